"""micro.py [NAME…]: measures what one core of this machine takes for single operations under XLA, and prints it as JSON.

Every row has the time of a whole call, and that time, less the time of an empty call, for one unit of its work: a launch, a trip, an element, a floating-point operation.
A row is the least of many rounds; noise is how far the middle round lies above it. The table of devices takes its reference CPU from here.
"""
import functools
import json
import os
import pathlib
import statistics
import sys
import time

os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "race"))

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from rows import ROWS, array, conv, indices, row, short

jax.config.update("jax_platforms", "cpu")

F32, BF16, F16, F64, I32, I8 = jnp.float32, jnp.bfloat16, jnp.float16, jnp.float64, jnp.int32, jnp.int8
ROUND_S, ROUNDS, LONGEST_S = 0.002, 40, 1.0


def once(compiled, args, calls):
    start = time.perf_counter()
    for _ in range(calls):
        jax.block_until_ready(compiled(*args))
    return (time.perf_counter() - start) / calls


def timed(fn, args):
    """Seconds of one call: the least of many rounds, and how far the middle round lies above it."""
    with jax.enable_x64(any(leaf.dtype == F64 for leaf in jax.tree.leaves(args))):
        args = jax.device_put(args)
        compiled = jax.jit(fn).lower(*args).compile()
    jax.block_until_ready(compiled(*args))
    calls = max(1, int(ROUND_S / once(compiled, args, 1)))
    deadline = time.perf_counter() + LONGEST_S
    rounds = [once(compiled, args, calls)]
    while len(rounds) < ROUNDS and time.perf_counter() < deadline:
        rounds.append(once(compiled, args, calls))
    return min(rounds), statistics.median(rounds) / min(rounds) - 1


@row("dispatch")
def dispatch():
    for n in (1, 10, 100, 1000):
        yield f"{n} arguments", "call", 1, lambda *xs: xs[0] + 1, [np.float32(i) for i in range(n)]
    for n in (1, 10, 100, 1000):
        yield f"{n} results", "call", 1, functools.partial(lambda n, x: [x + i for i in range(n)], n), [np.float32(1)]


@row("launch")
def launch():
    def chain(n, x):
        for _ in range(n):
            x = lax.optimization_barrier(jnp.sqrt(x) + 1)
        return x
    for size in (1, 8, 1024):
        for n in (10, 100, 1000):
            yield f"{n} kernels of {size} elements", "launch", n, functools.partial(chain, n), [array(size)]


@row("loop")
def loop():
    for n in (100, 10000):
        yield f"{n} trips, scalar body", "trip", n, lambda n, x: lax.fori_loop(0, n, lambda i, x: x * 0.999 + 1, x), [np.int32(n), np.float32(1)]
        yield f"{n} trips, known, scalar body", "trip", n, functools.partial(lambda n, x: lax.fori_loop(0, n, lambda i, x: x * 0.999 + 1, x), n), [np.float32(1)]
        yield f"{n} trips, body of 1024", "trip", n, lambda n, x: lax.fori_loop(0, n, lambda i, x: jnp.sqrt(x) + 1, x), [np.int32(n), array(1024)]
        yield f"{n} trips, dot 64x64 by vector", "trip", n, lambda n, w, x: lax.fori_loop(0, n, lambda i, x: jnp.tanh(w @ x), x), [np.int32(n), array(64, 64), array(64)]
        yield f"{n} trips, scan over rows of 64", "trip", n, lambda xs, c: lax.scan(lambda c, x: (c * 0.9 + x, c), c, xs), [array(n, 64), array(64)]
        yield f"{n} trips, scan of scalars", "trip", n, lambda xs, c: lax.scan(lambda c, x: (c * 0.9 + x, c), c, xs), [array(n), np.float32(1)]
    yield "cond", "branch", 1, lambda p, x: lax.cond(p, jnp.sin, jnp.cos, x), [np.bool_(True), array(8)]


@row("callback")
def callback():
    shape = jax.ShapeDtypeStruct((8,), F32)
    yield "pure_callback", "call", 1, lambda x: jax.pure_callback(lambda x: np.asarray(x), shape, x), [array(8)]
    yield "io_callback", "call", 1, lambda x: jax.experimental.io_callback(lambda x: np.asarray(x), shape, x), [array(8)]
    yield "debug.callback", "call", 1, lambda x: (jax.debug.callback(lambda x: None, x), x + 1)[1], [array(8)]
    big = jax.ShapeDtypeStruct((1 << 20,), F32)
    yield "pure_callback of 4 MiB", "call", 1, lambda x: jax.pure_callback(lambda x: np.asarray(x), big, x), [array(1 << 20)]
    yield "10 times pure_callback", "call", 10, lambda x: lax.fori_loop(0, 10, lambda i, x: jax.pure_callback(lambda x: np.asarray(x), shape, x), x), [array(8)]


@row("dot")
def dot():
    for dtype in (F32, BF16, F16, F64, I8):
        out = I32 if dtype == I8 else dtype
        product = functools.partial(jnp.matmul, preferred_element_type=out)
        for n in (4, 8, 16, 32, 64, 128, 256, 512, 1024):
            if n < 1024 or dtype in (F32, BF16):
                yield f"{short(dtype)} {n}^3", "flop", 2 * n**3, product, [array(n, n, dtype=dtype), array(n, n, dtype=dtype)]
        yield f"{short(dtype)} vector by 1024^2", "flop", 2 << 20, product, [array(1, 1024, dtype=dtype), array(1024, 1024, dtype=dtype)]
        yield f"{short(dtype)} 1024^2 by vector", "flop", 2 << 20, product, [array(1024, 1024, dtype=dtype), array(1024, dtype=dtype)]
        yield f"{short(dtype)} 8 rows by 1024^2", "flop", 16 << 20, product, [array(8, 1024, dtype=dtype), array(1024, 1024, dtype=dtype)]
        yield f"{short(dtype)} 64 times 64^3", "flop", 128 * 64**3, product, [array(64, 64, 64, dtype=dtype), array(64, 64, 64, dtype=dtype)]
        yield f"{short(dtype)} 512 times 16^3", "flop", 1024 * 16**3, product, [array(512, 16, 16, dtype=dtype), array(512, 16, 16, dtype=dtype)]
        yield f"{short(dtype)} 4096 times 4^3", "flop", 8192 * 4**3, product, [array(4096, 4, 4, dtype=dtype), array(4096, 4, 4, dtype=dtype)]
    f32 = functools.partial(jnp.matmul, preferred_element_type=F32)
    yield "bfloat16 to f32 256^3", "flop", 2 * 256**3, f32, [array(256, 256, dtype=BF16), array(256, 256, dtype=BF16)]
    yield "f32 256^3 highest", "flop", 2 * 256**3, functools.partial(jnp.matmul, precision="highest"), [array(256, 256), array(256, 256)]
    yield "f32 256^3 both turned", "flop", 2 * 256**3, lambda a, b: a.T @ b.T, [array(256, 256), array(256, 256)]
    yield "f32 256^3 right turned", "flop", 2 * 256**3, lambda a, b: a @ b.T, [array(256, 256), array(256, 256)]
    yield "f32 bhqd,bhkd->bhqk 4x8x64x32", "flop", 2 * 4 * 8 * 64 * 64 * 32, functools.partial(jnp.einsum, "bhqd,bhkd->bhqk"), [array(4, 8, 64, 32), array(4, 8, 64, 32)]
    yield "f32 bqhd,bkhd->bhqk 4x8x64x32", "flop", 2 * 4 * 8 * 64 * 64 * 32, functools.partial(jnp.einsum, "bqhd,bkhd->bhqk"), [array(4, 64, 8, 32), array(4, 64, 8, 32)]


UNARY = {
    "add": lambda x: x + 1.5, "multiply": lambda x: x * 1.5, "divide": lambda x: 1.5 / x, "sqrt": jnp.sqrt, "rsqrt": lax.rsqrt, "exponential": jnp.exp, "log": jnp.log,
    "tanh": jnp.tanh, "logistic": lax.logistic, "sine": jnp.sin, "cosine": jnp.cos, "power": lambda x: x ** jnp.asarray(1.3, x.dtype), "erf": lax.erf, "expm1": jnp.expm1, "log1p": jnp.log1p,
    "atan2": lambda x: jnp.arctan2(x, 0.3), "cbrt": jnp.cbrt, "remainder": lambda x: lax.rem(x, jnp.asarray(0.3, x.dtype)), "floor": jnp.floor, "select": lambda x: jnp.where(x > 1, x, 0),
    "erf_inv": lambda x: lax.erf_inv(x - 1), "lgamma": lax.lgamma, "digamma": lax.digamma, "gelu": jax.nn.gelu, "tan": jnp.tan, "asin": lambda x: jnp.arcsin(x - 1), "20 multiply-adds": lambda x: functools.reduce(lambda y, _: y * x + 1.5, range(20), x),
}


@row("element")
def element():
    for dtype in (F32, BF16, F64):
        for name, fn in UNARY.items():
            yield f"{short(dtype)} {name}", "element", 1 << 15, fn, [array(1 << 15, dtype=dtype)]
    for name, fn in {"add": lambda x: x + 3, "multiply": lambda x: x * 3, "divide": lambda x: x // 3, "remainder": lambda x: x % 7, "shift": lambda x: x << 3}.items():
        yield f"int32 {name}", "element", 1 << 15, fn, [array(1 << 15, dtype=I32)]
    for a, b in ((F32, BF16), (BF16, F32), (F32, I8), (I8, F32), (F32, F64), (I32, F32), (F16, F32), (F32, F16)):
        yield f"convert {short(a)} to {short(b)}", "element", 1 << 15, lambda x, b=b: x.astype(b), [array(1 << 15, dtype=a)]


@row("bandwidth")
def bandwidth():
    for power in (12, 14, 16, 18, 20, 21, 22, 23, 24, 25, 26, 27):
        n = (1 << power) // 8
        yield f"{1 << power} bytes read and written", "byte", 1 << power, lambda x: x + 1.5, [array(n)]
        yield f"{1 << power} bytes summed", "byte", 1 << power, jnp.sum, [array(2 * n)]


@row("reduce")
def reduce():
    x = array(512, 512)
    for name, fn in {"sum rows": lambda x: x.sum(1), "sum columns": lambda x: x.sum(0), "sum all": jnp.sum, "max rows": lambda x: x.max(1), "argmax rows": lambda x: x.argmax(1),
                     "cumsum rows": lambda x: x.cumsum(1), "cumsum columns": lambda x: x.cumsum(0), "softmax rows": lambda x: jax.nn.softmax(x, 1), "logsumexp rows": lambda x: jax.nn.logsumexp(x, 1),
                     "associative_scan": lambda x: lax.associative_scan(jnp.add, x, axis=1), "var rows": lambda x: x.var(1), "any": lambda x: (x > 9).any(1)}.items():
        yield name, "element", x.size, fn, [x]
    yield "sum rows bf16", "element", x.size, lambda x: x.sum(1), [x.astype(BF16)]
    yield "sum rows f64", "element", x.size, lambda x: x.sum(1), [x.astype(F64)]
    yield "max pool 2x2", "element", x.size, lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (2, 2), (2, 2), "VALID"), [x]
    yield "mean pool 3x3", "element", x.size, lambda x: lax.reduce_window(x, 0.0, lax.add, (3, 3), (1, 1), "SAME"), [x]


@row("index")
def index():
    for width in (1, 4, 16, 64, 256):
        table, rows = array(4096, width), indices(4096, 4096)
        updates, ordered = array(4096, width, seed=2), np.arange(4096, dtype=np.int32)
        yield f"gather 4096 rows of {width}", "index", 4096, lambda t, i: t[i], [table, rows]
        yield f"scatter-add 4096 rows of {width}", "index", 4096, lambda t, i, u: t.at[i].add(u), [table, rows, updates]
        yield f"scatter-set 4096 rows of {width}", "index", 4096, lambda t, i, u: t.at[i].set(u), [table, rows, updates]
        yield f"scatter-add, sorted and unique, {width}", "index", 4096, lambda t, i, u: t.at[i].add(u, indices_are_sorted=True, unique_indices=True), [table, ordered, updates]
        yield f"one-hot product, {width}", "index", 4096, lambda t, i: jax.nn.one_hot(i, 256) @ t[:256], [table, rows % 256]
    yield "take_along_axis 512x512", "index", 512 * 512, lambda x, i: jnp.take_along_axis(x, i, 1), [array(512, 512), indices((512, 512), 512)]
    yield "segment_sum 4096 of 64", "index", 4096, lambda u, i: jax.ops.segment_sum(u, i, 512), [array(4096, 64), indices(4096, 512)]
    yield "dynamic slice of 64 in 4096x64", "call", 1, lambda x, i: lax.dynamic_slice(x, (i, jnp.int32(0)), (1, 64)), [array(4096, 64), np.int32(7)]
    yield "dynamic update slice, copied 1 MiB", "byte", 1 << 20, lambda x, u, i: lax.dynamic_update_slice(x, u, (i, jnp.int32(0))), [array(4096, 64), array(1, 64), np.int32(7)]


@row("move")
def move():
    x = array(512, 512)
    for name, fn in {"transpose": lambda x: x.T.copy(), "transpose of a multiple": lambda x: (2 * x).T.copy(), "transpose 8x64x8x64": lambda x: x.reshape(8, 64, 8, 64).transpose(0, 2, 1, 3), "concatenate": lambda x: jnp.concatenate([x, x + 1], 1),
                     "pad": lambda x: jnp.pad(x, 3), "reverse": lambda x: x[::-1, ::-1], "roll": lambda x: jnp.roll(x, 7, 1), "slice": lambda x: x[:, 3:400] + 0, "broadcast": lambda x: jnp.broadcast_to(x[0], (512, 512)) + 0,
                     "iota": lambda x: jnp.arange(512 * 512, dtype=F32) + x[0, 0]}.items():
        yield name, "element", x.size, fn, [x]


@row("sort")
def sort():
    for n in (16, 256, 4096, 65536, 1 << 18):
        work = n * max(1, int(np.log2(n)))
        yield f"sort {n}", "n log n", work, jnp.sort, [array(n)]
        yield f"argsort {n}", "n log n", work, jnp.argsort, [array(n)]
        yield f"sort int32 {n}", "n log n", work, jnp.sort, [indices(n, 1 << 30)]
        yield f"top_k 8 of {n}", "element", n, lambda x: lax.top_k(x, 8), [array(n)]
    yield "sort 256 rows of 256", "n log n", 256 * 256 * 8, lambda x: jnp.sort(x, 1), [array(256, 256)]
    yield "sort 256 columns of 256", "n log n", 256 * 256 * 8, lambda x: jnp.sort(x, 0), [array(256, 256)]
    yield "argsort 256 rows of 256", "n log n", 256 * 256 * 8, lambda x: jnp.argsort(x, 1), [array(256, 256)]
    yield "unstable sort 65536", "n log n", 65536 * 16, lambda x: jnp.sort(x, stable=False), [array(65536)]
    yield "top_k 50 of 32 rows of 4096", "element", 32 * 4096, lambda x: lax.top_k(x, 50), [array(32, 4096)]


@row("fft")
def fft():
    for n in (64, 256, 1024, 1000, 4096, 65536):
        yield f"fft {n}", "n log n", n * np.log2(n), jnp.fft.fft, [array(n).astype(np.complex64)]
        yield f"rfft {n}", "n log n", n * np.log2(n), jnp.fft.rfft, [array(n)]
    yield "64 times fft 1024", "n log n", 64 * 1024 * 10, jnp.fft.fft, [array(64, 1024).astype(np.complex64)]
    yield "64 times irfft 1024", "n log n", 64 * 1024 * 10, jnp.fft.irfft, [array(64, 513).astype(np.complex64)]
    yield "fft2 256x256", "n log n", 65536 * 16, jnp.fft.fft2, [array(256, 256).astype(np.complex64)]


@row("rng")
def rng():
    for kind in ("threefry2x32", "rbg", "unsafe_rbg"):
        for n in (1, 1024, 1 << 16, 1 << 20):
            key = jax.random.key(0, impl=kind)
            yield f"{kind} bits {n}", "number", n, functools.partial(lambda n, k: jax.random.bits(k, (n,)), n), [key]
        n = 1 << 16
        yield f"{kind} uniform {n}", "number", n, lambda k: jax.random.uniform(k, (n,), F32), [key]
        yield f"{kind} normal {n}", "number", n, lambda k: jax.random.normal(k, (n,), F32), [key]
        yield f"{kind} bernoulli {n}", "number", n, lambda k: jax.random.bernoulli(k, 0.1, (n,)), [key]
        yield f"{kind} split in 2", "call", 1, jax.random.split, [key]
        yield f"{kind} permutation {n}", "number", n, lambda k: jax.random.permutation(k, n), [key]
    yield "threefry2x32 gamma 4096", "number", 4096, lambda k: jax.random.gamma(k, 2.0, (4096,), F32), [jax.random.key(0)]


@row("convolution")
def convolution():
    nhwc, nchw = functools.partial(conv, "NHWC", "HWIO"), functools.partial(conv, "NCHW", "OIHW")
    for c in (3, 16, 64):
        flops = 2 * 4 * 32 * 32 * 9 * c * 64
        yield f"3x3 {c} to 64, NHWC", "flop", flops, nhwc, [array(4, 32, 32, c), array(3, 3, c, 64)]
        yield f"3x3 {c} to 64, NCHW", "flop", flops, nchw, [array(4, c, 32, 32), array(64, c, 3, 3)]
        yield f"3x3 {c} to 64, NHWC, gradient by input", "flop", flops, jax.grad(lambda x, w: nhwc(x, w).sum()), [array(4, 32, 32, c), array(3, 3, c, 64)]
        yield f"3x3 {c} to 64, NHWC, gradient by kernel", "flop", flops, jax.grad(lambda w, x: (nhwc(x, w) ** 2).sum()), [array(3, 3, c, 64), array(4, 32, 32, c)]
    yield "3x3 64 to 64, bf16", "flop", 2 * 4 * 1024 * 9 * 64 * 64, nhwc, [array(4, 32, 32, 64, dtype=BF16), array(3, 3, 64, 64, dtype=BF16)]
    yield "1x1 64 to 64", "flop", 2 * 4 * 1024 * 64 * 64, nhwc, [array(4, 32, 32, 64), array(1, 1, 64, 64)]
    yield "3x3 stride 2, 64 to 64", "flop", 2 * 4 * 256 * 9 * 64 * 64, functools.partial(nhwc, stride=2), [array(4, 32, 32, 64), array(3, 3, 64, 64)]
    yield "3x3 depthwise 64", "flop", 2 * 4 * 1024 * 9 * 64, functools.partial(nhwc, groups=64), [array(4, 32, 32, 64), array(3, 3, 1, 64)]
    yield "3x3 8 groups of 64", "flop", 2 * 4 * 1024 * 9 * 8 * 64, functools.partial(nhwc, groups=8), [array(4, 32, 32, 64), array(3, 3, 8, 64)]
    yield "1-d 5 taps 32 to 32", "flop", 2 * 8 * 256 * 5 * 32 * 32, functools.partial(conv, "NWC", "WIO"), [array(8, 256, 32), array(5, 32, 32)]
    yield "3-d 3x3x3 8 to 8", "flop", 2 * 16**3 * 27 * 64, functools.partial(conv, "NDHWC", "DHWIO"), [array(1, 16, 16, 16, 8), array(3, 3, 3, 8, 8)]


@row("linalg")
def linalg():
    for n in (16, 64, 256):
        x = array(n, n)
        spd = x @ x.T + n * np.eye(n, dtype=np.float32)
        yield f"cholesky {n}", "flop", n**3 / 3, jnp.linalg.cholesky, [spd]
        yield f"triangular solve {n}", "flop", n**3, lambda a, b: jax.scipy.linalg.solve_triangular(a, b, lower=True), [np.linalg.cholesky(spd), x]
        yield f"solve {n}", "flop", 2 * n**3 / 3, jnp.linalg.solve, [spd, x[0]]
        yield f"qr {n}", "flop", 4 * n**3 / 3, jnp.linalg.qr, [x]
        yield f"eigh {n}", "flop", 9 * n**3, jnp.linalg.eigh, [spd]
        yield f"svd {n}", "flop", 20 * n**3, jnp.linalg.svd, [x]
        yield f"inv {n}", "flop", 2 * n**3, jnp.linalg.inv, [spd]
    yield "cholesky 64 times 16", "flop", 64 * 16**3 / 3, jnp.linalg.cholesky, [np.tile(array(16, 16) @ array(16, 16).T + 16 * np.eye(16, dtype=np.float32), (64, 1, 1))]


def main():
    empty, _ = timed(lambda x: x, [np.float32(1)])
    rows = []
    for group in sys.argv[1:] or ROWS:
        for label, unit, units, fn, args in ROWS[group]():
            seconds, noise = timed(fn, args)
            rows.append({"group": group, "label": label, "us": round(seconds * 1e6, 3), "unit": unit, "units": float(units),
                         "ns_per_unit": round(max(0, seconds - empty) * 1e9 / units, 5), "noise": round(noise, 3)})
            print(rows[-1], file=sys.stderr)
    with open("/proc/cpuinfo") as f:
        cpu = next(line.split(":")[1].strip() for line in f if line.startswith("model name"))
    print(json.dumps({"machine": cpu, "cores": 1, "jax": jax.__version__, "empty_call_us": round(empty * 1e6, 3), "rows": rows}, indent=1))


if __name__ == "__main__":
    main()
