"""kernels.py FOLDER [GROUP…]: measures what single operations take on an accelerator, a whole step and, by the profiler, its kernels, and prints
it as JSON. The dumps are in FOLDER.

The prices of GPUs come from these rows, and internal/facts/h200_test.go holds the prices to some of them.
"""
import concurrent.futures
import functools
import json
import os
import pathlib
import re
import sys

from accelerator import Step, profile

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from rows import ROWS, array, conv, indices, row, short
from sides import Pair

F32, BF16, F16, F64, I32, I8, U8 = jnp.float32, jnp.bfloat16, jnp.float16, jnp.float64, jnp.int32, jnp.int8, jnp.uint8
F8 = jnp.float8_e4m3fn


@row("dispatch")
def dispatch():
    yield "empty", "call", 1, lambda x: x, [np.float32(1)]
    for n in (1, 10, 100, 500):
        yield f"{n} arguments", "call", 1, lambda *xs: xs[0] + 1, [np.float32(i) for i in range(n)]
    for n in (10, 100):
        yield f"{n} results", "call", 1, functools.partial(lambda n, x: [x + i for i in range(n)], n), [np.float32(1)]


@row("launch")
def launch():
    def chain(n, x):
        for _ in range(n):
            x = lax.optimization_barrier(jnp.sqrt(x) + 1)
        return x
    for size in (1, 1024, 1 << 20):
        for n in (2, 10, 100, 400):
            yield f"{n} kernels of {size}", "launch", n, functools.partial(chain, n), [array(size)]


@row("loop")
def loop():
    for n in (10, 100, 1000):
        yield f"{n} trips, traced, scalar body", "trip", n, lambda n, x: lax.fori_loop(0, n, lambda i, x: x * 0.999 + 1, x), [np.int32(n), np.float32(1)]
        yield f"{n} trips, known, body of 1024", "trip", n, functools.partial(lambda n, x: lax.fori_loop(0, n, lambda i, x: jnp.sqrt(x) + 1, x), n), [array(1024)]
        yield f"{n} trips, known, three kernels", "trip", n, functools.partial(lambda n, x: lax.fori_loop(0, n, lambda i, x: lax.optimization_barrier(jnp.sqrt(lax.optimization_barrier(jnp.sqrt(lax.optimization_barrier(jnp.sqrt(x) + 1)) + 1)) + 1), x), n), [array(1024)]
        yield f"{n} trips, known, dot 64", "trip", n, functools.partial(lambda n, w, x: lax.fori_loop(0, n, lambda i, x: jnp.tanh(w @ x), x), n), [array(64, 64), array(64, 64)]
        yield f"{n} trips, scan over rows of 64", "trip", n, lambda xs, c: lax.scan(lambda c, x: (c * 0.9 + x, c), c, xs), [array(n, 64), array(64)]
        yield f"{n} trips, while on a value", "trip", n, functools.partial(lambda n, x: lax.while_loop(lambda x: x[0] < n, lambda x: x + 1, x), n), [np.zeros(1024, np.float32)]
    yield "cond", "branch", 1, lambda p, x: lax.cond(p, jnp.sin, jnp.cos, x), [np.bool_(True), array(1024)]
    yield "cond of products", "branch", 1, lambda p, x: lax.cond(p, lambda x: x @ x, lambda x: x + 1, x), [np.bool_(True), array(256, 256)]
    yield "switch of 8 by index", "branch", 1, lambda i, x: lax.switch(i, [lambda x, k=k: jnp.sin(x) * k for k in range(8)], x), [np.int32(3), array(1024)]


@row("callback")
def callback():
    shape = jax.ShapeDtypeStruct((8,), F32)
    yield "pure_callback", "call", 1, lambda x: jax.pure_callback(lambda x: np.asarray(x), shape, x), [array(8)]
    yield "debug callback", "call", 1, lambda x: (jax.debug.callback(lambda x: None, x), x + 1)[1], [array(8)]


@row("dot")
def dot():
    def matmul(out, precision):
        return functools.partial(jnp.matmul, preferred_element_type=out, precision=precision)
    for n in (64, 128, 256, 512, 1024, 2048, 4096, 8192):
        for d, out, p in ((F32, F32, None), (BF16, BF16, None)) + (((F32, F32, "highest"),) if n <= 4096 else ()) + (((BF16, F32, None), (F16, F16, None), (I8, I32, None)) if n in (1024, 4096) else ()) + (((F64, F64, None),) if n in (256, 1024, 2048) else ()):
            yield f"{short(d)} to {short(out)} {p or ''} {n}", "flop", 2 * n**3, matmul(out, p), [array(n, n, dtype=d), array(n, n, dtype=d, seed=1)]
    yield "f32 high 4096", "flop", 2 * 4096**3, matmul(F32, "high"), [array(4096, 4096), array(4096, 4096)]
    yield "f8 4096", "flop", 2 * 4096**3, matmul(BF16, None), [array(4096, 4096, dtype=F8), array(4096, 4096, dtype=F8)]
    for d in (F32, BF16):
        yield f"{short(d)} vector by 4096", "flop", 2 * 4096**2, jnp.matmul, [array(1, 4096, dtype=d), array(4096, 4096, dtype=d)]
        yield f"{short(d)} 4096 by vector", "flop", 2 * 4096**2, jnp.matmul, [array(4096, 4096, dtype=d), array(4096, dtype=d)]
        yield f"{short(d)} 16 rows by 4096", "flop", 32 * 4096**2, jnp.matmul, [array(16, 4096, dtype=d), array(4096, 4096, dtype=d)]
        yield f"{short(d)} 4096x64 by 64x4096", "flop", 2 * 4096**2 * 64, jnp.matmul, [array(4096, 64, dtype=d), array(64, 4096, dtype=d)]
        yield f"{short(d)} 64x8192 by 8192x64", "flop", 2 * 64**2 * 8192, jnp.matmul, [array(64, 8192, dtype=d), array(8192, 64, dtype=d)]
        yield f"{short(d)} 512 times 128", "flop", 1024 * 128**3, jnp.matmul, [array(512, 128, 128, dtype=d), array(512, 128, 128, dtype=d)]
        yield f"{short(d)} 4096 times 16", "flop", 8192 * 16**3, jnp.matmul, [array(4096, 16, 16, dtype=d), array(4096, 16, 16, dtype=d)]
        yield f"{short(d)} turned 2048", "flop", 2 * 2048**3, lambda a, b: a.T @ b.T, [array(2048, 2048, dtype=d), array(2048, 2048, dtype=d)]
        yield f"{short(d)} attention 8x16x1024x64", "flop", 4 * 8 * 16 * 1024**2 * 64, lambda q, k, v: jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(jnp.einsum("bqhd,bkhd->bhqk", q, k) * 0.125), v), [array(8, 1024, 16, 64, dtype=d)] * 3
        yield f"{short(d)} dot, bias, gelu 2048", "flop", 2 * 2048**3, lambda a, b, c: jax.nn.gelu(a @ b + c), [array(2048, 2048, dtype=d), array(2048, 2048, dtype=d), array(2048, dtype=d)]
    yield "dot_product_attention cudnn", "flop", 4 * 8 * 16 * 1024**2 * 64, functools.partial(jax.nn.dot_product_attention, implementation="cudnn"), [array(8, 1024, 16, 64, dtype=BF16)] * 3

UNARY = {"add": lambda x: x + 1.5, "divide": lambda x: 1.5 / x, "sqrt": jnp.sqrt, "rsqrt": lax.rsqrt, "exponential": jnp.exp, "log": jnp.log, "tanh": jnp.tanh, "logistic": lax.logistic,
         "sine": jnp.sin, "power": lambda x: x ** jnp.asarray(1.3, x.dtype), "erf": lax.erf, "expm1": jnp.expm1, "log1p": jnp.log1p, "atan2": lambda x: jnp.arctan2(x, 0.3), "cbrt": jnp.cbrt,
         "remainder": lambda x: lax.rem(x, jnp.asarray(0.3, x.dtype)), "erf_inv": lambda x: lax.erf_inv(x * 0.1), "lgamma": lax.lgamma, "tan": jnp.tan}


@row("element")
def element():
    def many(f, k, x):
        return functools.reduce(lambda a, i: a + f(x + i), range(1, k), f(x))
    for d, n in ((F32, 1 << 22), (BF16, 1 << 22), (F64, 1 << 20)):
        for name, fn in UNARY.items():
            if d == F32 or name in ("add", "divide", "exponential", "tanh", "sine", "power"):
                yield f"{short(d)} 32 {name}", "element", 32 * n, functools.partial(many, fn, 32), [array(n, dtype=d)]
    yield "f32 256 multiply-adds", "element", 512 << 22, lambda x: functools.reduce(lambda y, _: y * x + 1.5, range(256), x), [array(1 << 22)]
    yield "f64 256 multiply-adds", "element", 512 << 20, lambda x: functools.reduce(lambda y, _: y * x + 1.5, range(256), x), [array(1 << 20, dtype=F64)]
    yield "int32 32 divides", "element", 32 << 22, functools.partial(lambda k, x, y: functools.reduce(lambda a, i: a + (x + i) // y, range(k), x), 32), [array(1 << 22, dtype=I32), array(1 << 22, dtype=I32)]
    for a, b in ((F32, BF16), (BF16, F32), (F32, I8), (F32, F64), (F32, F16)):
        yield f"convert {short(a)} to {short(b)}", "element", 1 << 26, lambda x, b=b: x.astype(b), [array(1 << 26, dtype=a)]


@row("bandwidth")
def bandwidth():
    for power in (12, 16, 18, 20, 22, 23, 24, 25, 26, 27, 28, 30):
        n = (1 << power) // 8
        yield f"2^{power} bytes read and written", "byte", 1 << power, lambda x: x + 1.5, [array(n)]
        yield f"2^{power} bytes summed", "byte", 1 << power, jnp.sum, [array(2 * n)]
    yield "copied 2^28", "byte", 1 << 29, lambda x: x.copy(), [array(1 << 26)]
    yield "iota 2^26", "byte", 1 << 28, lambda s: jnp.arange(1 << 26, dtype=F32) + s, [np.float32(1)]
    yield "chain 2^24 4 kernels", "byte", 4 << 27, lambda x: functools.reduce(lambda y, _: lax.optimization_barrier(y + 1), range(4), x), [array(1 << 24)]
    yield "chain 2^22 4 kernels", "byte", 4 << 25, lambda x: functools.reduce(lambda y, _: lax.optimization_barrier(y + 1), range(4), x), [array(1 << 22)]


@row("reduce")
def reduce():
    for shape in ((4096, 4096), (1 << 17, 128), (128, 1 << 17), (64, 64)):
        x, s = array(*shape), "x".join(map(str, shape))
        for name, fn in {"sum rows": lambda x: x.sum(1), "sum columns": lambda x: x.sum(0), "argmax rows": lambda x: x.argmax(1), "cumsum rows": lambda x: x.cumsum(1), "softmax rows": lambda x: jax.nn.softmax(x, 1), "logsumexp rows": lambda x: jax.nn.logsumexp(x, 1), "var rows": lambda x: x.var(1)}.items():
            yield f"{name} {s}", "element", x.size, fn, [x]
    for d in (F32, BF16):
        for n in (128, 512, 2048):
            x, kept = array((1 << 16) // n, 512, n, dtype=d), np.tri(512, n, dtype=bool)
            yield f"{short(d)} masked softmax rows of {n}", "element", x.size, lambda x, kept: jax.nn.softmax(jnp.where(kept, x.astype(F32), -1e9), -1).astype(x.dtype), [x, kept]
    for n, c in ((4096, 32), (1 << 17, 32)):
        yield f"sum columns {n}x{c}", "element", n * c, lambda x: x.sum(0), [array(n, c)]
    x = array(2048, 2048)
    yield "cumsum columns", "element", x.size, lambda x: x.cumsum(0), [x]
    yield "associative scan rows", "element", x.size, lambda x: lax.associative_scan(jnp.add, x, axis=1), [x]
    yield "sum rows bf16", "element", x.size, lambda x: x.sum(1), [x.astype(BF16)]
    y = array(32, 128, 128, 64)
    yield "max pool 2x2", "element", y.size, lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"), [y]
    yield "mean pool 3x3", "element", y.size, lambda x: lax.reduce_window(x, 0.0, lax.add, (1, 3, 3, 1), (1, 1, 1, 1), "SAME"), [y]
    yield "max pool gradient", "element", y.size, jax.grad(lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID").sum()), [y]
    yield "batch norm statistics", "element", y.size, lambda x: (x - x.mean((0, 1, 2))) / jnp.sqrt(x.var((0, 1, 2)) + 1e-5), [y]


@row("index")
def index():
    N = 1 << 16
    for width in (1, 4, 16, 64, 256, 1024):
        table, rows = array(N, width), indices(N, N)
        updates, ordered = array(N, width, seed=2), np.arange(N, dtype=np.int32)
        yield f"gather rows of {width}", "index", N, lambda t, i: t[i], [table, rows]
        yield f"scatter-add rows of {width}", "index", N, lambda t, i, u: t.at[i].add(u), [table, rows, updates]
        yield f"scatter-add sorted {width}", "index", N, lambda t, i, u: t.at[i].add(u, indices_are_sorted=True), [table, np.sort(rows), updates]
        yield f"scatter-add sorted and unique {width}", "index", N, lambda t, i, u: t.at[i].add(u, indices_are_sorted=True, unique_indices=True), [table, ordered, updates]
        yield f"scatter-add unique {width}", "index", N, lambda t, i, u: t.at[i].add(u, unique_indices=True), [table, np.random.default_rng(3).permutation(N).astype(np.int32), updates]
        if width in (1, 64):
            yield f"scatter-add colliding {width}", "index", N, lambda t, i, u: t.at[i].add(u), [table, rows % 16, updates]
            yield f"scatter-set {width}", "index", N, lambda t, i, u: t.at[i].set(u), [table, rows, updates]
            yield f"scatter-add bf16 {width}", "index", N, lambda t, i, u: t.at[i].add(u), [table.astype(BF16), rows, updates.astype(BF16)]
    yield "take_along_axis 2048", "index", 1 << 22, lambda x, i: jnp.take_along_axis(x, i, 1), [array(2048, 2048), indices((2048, 2048), 2048)]
    yield "segment_sum 65536 of 64 to 512", "index", N, lambda u, i: jax.ops.segment_sum(u, i, 512), [array(N, 64), indices(N, 512)]
    yield "one-hot product", "index", N, lambda t, i: jax.nn.one_hot(i, 256) @ t, [array(256, 256), indices(N, 256)]
    yield "dynamic update slice, copied 64 MiB", "byte", 1 << 26, lambda x, u, i: lax.dynamic_update_slice(x, u, (i, jnp.int32(0))), [array(1 << 18, 64), array(1, 64), np.int32(7)]


@row("move")
def move():
    x = array(4096, 4096)
    for name, fn in {"transpose": lambda x: (2 * x).T.copy(), "transpose 64x64x64x64": lambda x: (2 * x).reshape(64, 64, 64, 64).transpose(0, 2, 1, 3), "transpose last kept 16": lambda x: (2 * x).reshape(1024, 1024, 16).transpose(1, 0, 2), "concatenate": lambda x: jnp.concatenate([x, x + 1], 1), "pad": lambda x: jnp.pad(x, 3), "reverse": lambda x: x[::-1, ::-1], "roll": lambda x: jnp.roll(x, 7, 1), "slice": lambda x: x[:, 3:3000] + 0, "strided": lambda x: x[:, ::2] + 1, "broadcast": lambda x: jnp.broadcast_to(x[0], (4096, 4096)) + 0}.items():
        yield name, "element", x.size, fn, [x]
    yield "transpose bf16", "element", x.size, lambda x: (2 * x).T.copy(), [x.astype(BF16)]


@row("sort")
def sort():
    for n in (1024, 16384, 1 << 18, 1 << 22):
        w = n * int(np.log2(n))
        yield f"sort {n}", "n log n", w, jnp.sort, [array(n)]
        yield f"argsort {n}", "n log n", w, jnp.argsort, [array(n)]
        yield f"sort int32 {n}", "n log n", w, jnp.sort, [indices(n, 1 << 30)]
        yield f"top_k 8 of {n}", "element", n, lambda x: lax.top_k(x, 8), [array(n)]
    for r, c in ((4096, 256), (256, 4096), (64, 50257)):
        yield f"sort {r} rows of {c}", "n log n", r * c * np.log2(c), lambda x: jnp.sort(x, 1), [array(r, c)]
        yield f"argsort {r} rows of {c}", "n log n", r * c * np.log2(c), lambda x: jnp.argsort(x, 1), [array(r, c)]
        yield f"top_k 50 of {r} rows of {c}", "element", r * c, lambda x: lax.top_k(x, 50), [array(r, c)]
    yield "sort 4 values by a key 262144", "n log n", (1 << 18) * 18, lambda *x: lax.sort(x, num_keys=1), [array(1 << 18)] * 4


@row("fft")
def fft():
    for r, n in ((1, 1024), (1, 8192), (1, 1 << 15), (1, 1 << 20), (32, 4096), (32, 4099), (64, 1 << 15), (4096, 1024), (4096, 1000), (256, 1021)):
        yield f"fft {r} of {n}", "n log n", r * n * np.log2(n), jnp.fft.fft, [array(r, n).astype(np.complex64)]
        yield f"rfft {r} of {n}", "n log n", r * n * np.log2(n), jnp.fft.rfft, [array(r, n)]
    yield "fft2 2048", "n log n", 2048 * 2048 * 22, jnp.fft.fft2, [array(2048, 2048).astype(np.complex64)]


@row("rng")
def rng():
    for kind in ("threefry2x32", "rbg", "unsafe_rbg"):
        key = jax.random.key(0, impl=kind)
        for n in (1024, 1 << 24):
            yield f"{kind} bits {n}", "number", n, functools.partial(lambda n, k: jax.random.bits(k, (n,)), n), [key]
            yield f"{kind} normal {n}", "number", n, functools.partial(lambda n, k: jax.random.normal(k, (n,), F32), n), [key]
        yield f"{kind} bernoulli", "number", 1 << 24, lambda k: jax.random.bernoulli(k, 0.1, (1 << 24,)), [key]
    yield "permutation 1048576", "number", 1 << 20, lambda k: jax.random.permutation(k, 1 << 20), [jax.random.key(0)]
    yield "gamma 262144", "number", 1 << 18, lambda k: jax.random.gamma(k, 2.0, (1 << 18,), F32), [jax.random.key(0)]
    yield "categorical 4096 of 50257", "number", 4096 * 50257, lambda k, x: jax.random.categorical(k, x), [jax.random.key(0), array(4096, 50257)]

@row("convolution")
def convolution():
    nhwc, nchw = functools.partial(conv, "NHWC", "HWIO"), functools.partial(conv, "NCHW", "OIHW")
    for d in (F32, BF16):
        for c in (3, 64, 256):
            fl = 2 * 32 * 56 * 56 * 9 * c * 256
            yield f"{short(d)} 3x3 {c} to 256, NHWC", "flop", fl, nhwc, [array(32, 56, 56, c, dtype=d), array(3, 3, c, 256, dtype=d)]
            yield f"{short(d)} 3x3 {c} to 256, NCHW", "flop", fl, nchw, [array(32, c, 56, 56, dtype=d), array(256, c, 3, 3, dtype=d)]
        fl = 2 * 32 * 56 * 56 * 9 * 64 * 64
        yield f"{short(d)} 3x3 gradient by input", "flop", fl, jax.grad(lambda x, w: nhwc(x, w).sum()), [array(32, 56, 56, 64, dtype=d), array(3, 3, 64, 64, dtype=d)]
        yield f"{short(d)} 3x3 gradient by kernel", "flop", fl, jax.grad(lambda w, x: (nhwc(x, w) ** 2).sum()), [array(3, 3, 64, 64, dtype=d), array(32, 56, 56, 64, dtype=d)]
        yield f"{short(d)} 1x1 256 to 256", "flop", 2 * 32 * 56 * 56 * 256 * 256, nhwc, [array(32, 56, 56, 256, dtype=d), array(1, 1, 256, 256, dtype=d)]
        yield f"{short(d)} 7x7 stride 2", "flop", 2 * 32 * 112 * 112 * 49 * 3 * 64, functools.partial(nhwc, stride=2), [array(32, 224, 224, 3, dtype=d), array(7, 7, 3, 64, dtype=d)]
        yield f"{short(d)} depthwise 256", "flop", 2 * 32 * 56 * 56 * 9 * 256, functools.partial(nhwc, groups=256), [array(32, 56, 56, 256, dtype=d), array(3, 3, 1, 256, dtype=d)]
        for c in (16, 32, 64, 128):
            yield f"{short(d)} 3x3 {c} to {c}", "flop", 2 * 32 * 56 * 56 * 9 * c * c, nhwc, [array(32, 56, 56, c, dtype=d), array(3, 3, c, c, dtype=d)]
        for g in (4, 32):
            yield f"{short(d)} 3x3 256 in {g} groups", "flop", 2 * 32 * 28 * 28 * 9 * 256 * 256 // g, functools.partial(nhwc, groups=g), [array(32, 28, 28, 256, dtype=d), array(3, 3, 256 // g, 256, dtype=d)]
    for n, k in ((1 << 14, 512), (1 << 14, 32)):
        yield f"1-d {k} taps of one channel", "flop", 128 * n * k, functools.partial(conv, "NWC", "WIO"), [array(64, n, 1), array(k, 1, 1)]
    yield "1-d 5 taps", "flop", 2 * 64 * 4096 * 5 * 64 * 64, functools.partial(conv, "NWC", "WIO"), [array(64, 4096, 64), array(5, 64, 64)]


@row("linalg")
def linalg():
    for n in (64, 512, 2048):
        x = array(n, n)
        spd = x @ x.T + n * np.eye(n, dtype=np.float32)
        yield f"cholesky {n}", "flop", n**3 / 3, jnp.linalg.cholesky, [spd]
        yield f"triangular solve {n}", "flop", n**3, lambda a, b: jax.scipy.linalg.solve_triangular(a, b, lower=True), [np.linalg.cholesky(spd), x]
        yield f"lu {n}", "flop", 2 * n**3 / 3, jax.scipy.linalg.lu_factor, [spd]
        yield f"qr {n}", "flop", 4 * n**3 / 3, jnp.linalg.qr, [x]
        if n < 2048:
            yield f"eigh {n}", "flop", 9 * n**3, jnp.linalg.eigh, [spd]
            yield f"svd {n}", "flop", 20 * n**3, jnp.linalg.svd, [x]
    b = np.tile(array(16, 16) @ array(16, 16).T + 16 * np.eye(16, dtype=np.float32), (1024, 1, 1))
    yield "cholesky 1024 times 16", "flop", 1024 * 16**3 / 3, jnp.linalg.cholesky, [b]
    yield "eigh 1024 times 16", "flop", 1024 * 9 * 16**3, jnp.linalg.eigh, [b]


def main():
    root, rows = pathlib.Path(sys.argv[1]), []
    for group in sys.argv[2:] or ROWS:
        for label, unit, units, fn, args in ROWS[group]():
            wide = any(getattr(leaf, "dtype", None) == np.float64 for leaf in jax.tree.leaves(args))
            name = re.sub(r"[^a-z0-9]+", "_", f"{group} {label}".lower()).strip("_")
            rows.append((group, label, unit, units, Step(Pair(name, unit, fn, None, tuple(args), (), x64=wide), "before", root)))
    steps = [step for *_, step in rows]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(Step.compile, steps))
    for step in steps:
        step.sweep()
    for first in range(0, len(steps), 40):
        profile(steps[first:first + 40])
    printed = [{"group": group, "label": label, "us": round(min(step.seen) * 1e6, 2), "kernels_us": step.kernels / 1e3, "unit": unit, "units": float(units)} for group, label, unit, units, step in rows]
    print(json.dumps({"device": jax.devices()[0].device_kind, "jax": jax.__version__, "rows": printed}, indent=1))


if __name__ == "__main__":
    main()
