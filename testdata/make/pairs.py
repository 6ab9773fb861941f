"""Programs in two versions each: pairs.py CASE before|after [tpu-v5e|gpu-h100] compiles one for the CPU or a chip, and runs nothing."""

import os
import pathlib
import sys

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["JAX_SKIP_CUDA_CONSTRAINTS_CHECK"] = "1"

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec, SingleDeviceSharding

case, version, *chip = sys.argv[1:]
after = version == "after"


def array(*shape, dtype=np.float32):
    return jax.ShapeDtypeStruct(shape, dtype)


def fusion_callback_barrier():
    """A callback in the middle of an activation: what was one kernel cannot be one any more."""

    def act(x, b):
        y = jnp.tanh(x + b)
        if after:
            y = jax.pure_callback(np.asarray, y, y)
        return jax.nn.silu(y) * 2 + x

    return act, (array(64, 256), array(256)), {}


def softmax_barrier():
    """Optimization barriers between the steps of a softmax. A CPU drops them, GPU and TPU do not."""
    barrier = jax.lax.optimization_barrier if after else lambda x: x

    def softmax(x):
        largest = barrier(x.max(-1, keepdims=True))
        weights = barrier(jnp.exp(x - largest))
        return weights / barrier(weights.sum(-1, keepdims=True))

    return softmax, (array(64, 512),), {}


def intermediate_out():
    """An intermediate is returned as well, so it has to be written to memory."""

    def act(x, b):
        y = jnp.tanh(x + b)
        z = jax.nn.silu(y) * 2 + x
        return (z, y) if after else z

    return act, (array(64, 256), array(256)), {}


def donation_lost():
    """The parameters are not donated any more: nothing is updated in place."""

    def train_step(params, x, y):
        def loss(params):
            hidden = jax.nn.relu(x @ params["w1"] + params["b1"])
            return jnp.mean((hidden @ params["w2"] - y) ** 2)

        return jax.tree.map(lambda p, g: p - 0.1 * g, params, jax.grad(loss)(params))

    params = {"w1": array(64, 128), "b1": array(128), "w2": array(128, 32)}
    return train_step, (params, array(8, 64), array(8, 32)), {} if after else {"donate_argnums": 0}


def f64_creep():
    """A NumPy double sneaks in and widens what follows."""
    jax.config.update("jax_enable_x64", True)
    epsilon = np.float64(1e-3) * np.ones(256) if after else np.float32(1e-3) * np.ones(256, np.float32)

    def norm(x):
        return (x * epsilon / jnp.sqrt((x * x).sum(-1, keepdims=True) + epsilon[0])).sum()

    return norm, (array(64, 256),), {}


def sharding_allgather():
    """The weights are split along the wrong axis: they have to be gathered before every product."""
    mesh = Mesh(np.array(jax.devices()).reshape(2, 2), ("data", "model"))

    def split(*axes):
        return NamedSharding(mesh, PartitionSpec(*axes))

    def tensor_parallel_mlp(x, w1, w2):
        return jnp.sum(jax.nn.gelu(x @ w1) @ w2)

    column, row = split(None, "model"), split("model", None)
    shardings = (split("data", None), row, column) if after else (split("data", None), column, row)
    return tensor_parallel_mlp, (array(16, 32), array(32, 128), array(128, 32)), {"in_shardings": shardings}


def unrolled_loop():
    """A scan written as a Python loop: one step becomes twenty."""

    def rnn(w, xs):
        step = lambda h, x: (jnp.tanh(h @ w + x), None)
        h = jnp.zeros((4, 32))
        if after:
            for i in range(20):
                h, _ = step(h, xs[i])
        else:
            h, _ = jax.lax.scan(step, h, xs)
        return h.sum()

    return rnn, (array(32, 32), array(20, 4, 32)), {}


def renamed():
    """The same program, moved to other lines with other names inside: not a regression."""
    if after:

        def layer(inputs, weight):
            beta = jnp.cos(inputs)
            alpha = jnp.sin(inputs)
            return (alpha * beta) @ weight

    else:

        def layer(x, w):
            return (jnp.sin(x) * jnp.cos(x)) @ w

    return layer, (array(16, 32), array(32, 8)), {}


def improved():
    """The other way round: a callback in the middle is gone."""

    def scale(x, w):
        y = jax.nn.relu(x @ w)
        if not after:
            y = jax.pure_callback(np.asarray, y, y)
        return y * 2 + 1

    return scale, (array(64, 128), array(128, 128)), {}


def topk_sorted():
    """The best eight are taken from a sort instead of by the compiler's own kernel."""

    def best(x):
        return jnp.sort(x, axis=-1)[:, -8:] if after else jax.lax.top_k(x, 8)[0]

    return best, (array(16, 256),), {}


def constant_baked():
    """A weight is closed over instead of passed: it becomes a constant, and its argument is left unread."""
    weight = np.sin(np.arange(64 * 128, dtype=np.float32)).reshape(64, 128)

    def project(x, w):
        return jnp.tanh(x @ (weight if after else w))

    return project, (array(8, 64), array(64, 128)), {"keep_unused": True}


def extra_transpose():
    """The result is turned, because somebody prefers its rows as columns."""

    def project(x, w):
        y = jnp.cumsum(jnp.sin(x), axis=0)
        return jnp.cumsum(y.T, axis=0) @ w if after else jnp.cumsum(y, axis=1) @ w

    return project, (array(64, 64), array(64, 128)), {}


def unfused():
    """The same source; make.sh compiles the second without the fusion pass."""

    def act(x, b):
        return jnp.tanh(x + b) * 2 + x

    return act, (array(64, 256), array(256)), {}


def precision():
    """The product asks for full float32 precision: six passes through the matrix unit."""

    def project(x, w):
        return jnp.dot(x, w, precision="highest" if after else "default")

    return project, (array(512, 512), array(512, 512)), {}


def wide_weights():
    """The weights are float32, and drag the bfloat16 activations with them."""
    wide = np.float32 if after else jnp.bfloat16

    def mlp(x, w1, w2):
        return jax.nn.relu(x @ w1) @ w2

    return mlp, (array(256, 256, dtype=jnp.bfloat16), array(256, 512, dtype=wide), array(512, 256, dtype=wide)), {}


def written(kernel, x):
    """Calls a kernel that was written by hand, with Pallas: for a TPU by Mosaic, for a GPU by Triton."""
    from jax.experimental import pallas
    from jax.experimental.pallas import triton

    options = {"compiler_params": triton.CompilerParams()} if chip[0].startswith("gpu") else {}
    return pallas.pallas_call(kernel, out_shape=x, **options)


def kernel_body():
    """Inside a kernel that was written by hand, every step computes more: outside nothing changes."""
    x = array(128, 128)

    def accumulate(x_ref, out_ref):
        def step(i, total):
            y = jnp.exp(x_ref[...]) * i
            return total + (y * jnp.tanh(y) if after else y)

        out_ref[...] = jax.lax.fori_loop(0, 8, step, jnp.zeros(x.shape, jnp.float32))

    def layer(x):
        return written(accumulate, x)(x) * 2

    return layer, (x,), {}


def kernel_moved():
    """A kernel that was written by hand moved to other lines, under other names: not a regression."""
    x = array(128, 128)
    if after:

        def accumulate_rows(in_ref, sum_ref):
            # What is added up.
            def body(k, carry):
                return carry + jnp.exp(in_ref[...]) * k

            zero = jnp.zeros(x.shape, jnp.float32)
            sum_ref[...] = jax.lax.fori_loop(0, 8, body, zero)

        def layer(value):
            return written(accumulate_rows, value)(value) * 2

    else:

        def accumulate(x_ref, out_ref):
            step = lambda i, total: total + jnp.exp(x_ref[...]) * i
            out_ref[...] = jax.lax.fori_loop(0, 8, step, jnp.zeros(x.shape, jnp.float32))

        def layer(x):
            return written(accumulate, x)(x) * 2

    return layer, (x,), {}


def kernel_lost():
    """A kernel that was written by hand is not called any more: the compiler makes its own of what stands there instead."""

    def normalize(x_ref, out_ref):
        out_ref[...] = normalized(x_ref[...])

    def normalized(x):
        return x * jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-6)

    def block(x, w, u):
        h = x @ w
        return (normalized(h) if after else written(normalize, h)(h)) @ u

    return block, (array(128, 256), array(256, 256), array(256, 128)), {}


def kernel_widened():
    """The product in a kernel that was written by hand is in float32 at the highest precision: outside nothing changes."""
    x = array(128, 128, dtype=jnp.bfloat16)

    def product(x_ref, out_ref):
        if after:
            wide = x_ref[...].astype(jnp.float32)
            out_ref[...] = jnp.dot(wide, wide, precision="highest").astype(out_ref.dtype)
        else:
            out_ref[...] = jnp.dot(x_ref[...], x_ref[...], preferred_element_type=jnp.float32).astype(out_ref.dtype)

    def layer(x):
        return written(product, x)(x) * 2

    return layer, (x,), {}


def kernels_merged():
    """Two kernels that were written by hand became one, which does what they did: nothing is lost."""

    def scale(x_ref, out_ref):
        out_ref[...] = x_ref[...] * jax.lax.rsqrt((x_ref[...] * x_ref[...]).mean(-1, keepdims=True) + 1e-6)

    def activate(x_ref, out_ref):
        out_ref[...] = jnp.tanh(x_ref[...])

    def both(x_ref, out_ref):
        out_ref[...] = jnp.tanh(x_ref[...] * jax.lax.rsqrt((x_ref[...] * x_ref[...]).mean(-1, keepdims=True) + 1e-6))

    def block(x, w, u):
        h = x @ w
        return (written(both, h)(h) if after else written(activate, h)(written(scale, h)(h))) @ u

    return block, (array(128, 256), array(256, 256), array(256, 128)), {}


def param_layout():
    """The argument is wanted with its columns in a row in memory: a copy turns it before anything is computed."""
    from jax.experimental.layout import Format, Layout

    def column_sums(x):
        return jnp.tanh(x).sum(0)

    turned = Format(Layout((1, 0)), SingleDeviceSharding(jax.devices()[0]))
    return column_sums, (array(64, 256),), {"in_shardings": turned} if after else {}


def remat():
    """The activations are all kept for the gradient: they no longer fit, and the compiler computes some of them twice."""

    def slope(w, x):
        def loss(w):
            h = x
            block = lambda h: jnp.tanh(jnp.tanh(h @ w) @ w)
            for _ in range(3):
                h = (block if after else jax.checkpoint(block))(h)
            return h.sum()

        return jax.grad(loss)(w)

    return slope, (array(256, 256), array(2359296, 256)), {}


def involuntary_remat():
    """The second constraint spreads the value in a way that the partitioner does not get to from the first: it replicates all of it."""
    mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))

    def split(*axes):
        return NamedSharding(mesh, PartitionSpec(*axes))

    def mix(x):
        y = jax.lax.with_sharding_constraint(jnp.tanh(x) + x, split("model", None, "data"))
        z = jax.lax.with_sharding_constraint(y, split(None, ("data", "model"), None) if after else split(None, None, "data"))
        return z * 2

    return mix, (array(8, 16, 4),), {"in_shardings": split("model", None, "data")}


def result_gathered():
    """The activations are asked for whole on every device: they have to be gathered at the end."""
    mesh = Mesh(np.array(jax.devices()).reshape(2, 2), ("data", "model"))

    def split(*axes):
        return NamedSharding(mesh, PartitionSpec(*axes))

    def layer(x, w):
        y = jnp.tanh(x @ w)
        return y, (y * y).mean()

    return layer, (array(16, 32), array(32, 64)), {
        "in_shardings": (split("data", None), split(None, "model")),
        "out_shardings": (split() if after else split("data", "model"), split()),
    }


def set_order():
    """Steps in the order of a set of strings, which Python shuffles anew in every process: two compiles are two programs."""

    def embed(x, w):
        steps = {"project": lambda x: x @ w, "normalize": lambda x: x / jnp.sqrt((x * x).sum(-1, keepdims=True)), "activate": jnp.tanh}
        for name in set(steps) if after else sorted(steps):
            x = steps[name](x)
        return x

    return embed, (array(64, 256), array(256, 32)), {}


def host_print():
    """A debug print in the step: a TPU sends to the host, and waits for its answer."""

    def step(x):
        y = jnp.tanh(x)
        if after:
            jax.debug.print("mean {}", y.mean())
        return y * 2

    return step, (array(64, 64),), {}


def psum_in_loop():
    """A sum over all devices moved from behind a loop into it: it is one still, and runs twelve times."""
    mesh = Mesh(np.array(jax.devices()), ("data",))

    def accumulate(w, xs):
        def step(total, x):
            y = jnp.tanh(x @ w)
            return total + (jax.lax.psum(y, "data") if after else y), None

        total, _ = jax.lax.scan(step, jnp.zeros((16, 64)), xs)
        return total if after else jax.lax.psum(total, "data")

    split = PartitionSpec(None, "data")
    mapped = jax.shard_map(accumulate, mesh=mesh, in_specs=(PartitionSpec(), split), out_specs=PartitionSpec(), check_vma=False)

    def step(w, xs):
        return mapped(w, xs)

    return step, (array(64, 64), array(12, 64, 64)), {}


def loop_gone():
    """A loop over the batch became one product: better."""

    def project(x, w):
        row = lambda x: jnp.tanh(x @ w)
        return jax.vmap(row)(x) if after else jax.lax.map(row, x)

    return project, (array(32, 16, 64), array(64, 64)), {}


def int8_lost():
    """A product of eight-bit integers is computed in float32: nothing else of the program costs more."""

    def dense(x, w):
        if after:
            return x.astype(jnp.float32) @ w.astype(jnp.float32)
        return jax.lax.dot(x, w, preferred_element_type=jnp.int32).astype(jnp.float32)

    return dense, (array(128, 256, dtype=np.int8), array(256, 512, dtype=np.int8)), {}


def bf16_lost():
    """An activation is widened, and drags the second product with it; what a CPU makes of a product in bfloat16 is one in float32 all the same."""

    def mlp(x, up, down):
        h = jax.nn.relu(x @ up)
        return ((h.astype(jnp.float32) if after else h) @ down).astype(jnp.bfloat16)

    return mlp, tuple(array(*shape, dtype=jnp.bfloat16) for shape in [(64, 128), (128, 256), (256, 64)]), {}


def in_eight_bits(x, scale):
    """Numbers as a type of eight bits has them, scaled back."""
    return (x / scale).astype(jnp.float8_e4m3fn).astype(x.dtype) * scale


def fp8_lost():
    """One side of each product is not scaled down to eight bits any more. A CPU has no product in eight bits, and multiplies what was scaled back."""
    scaled = (lambda x, scale: x) if after else in_eight_bits

    def mlp(layers, scale, x):
        def layer(x, w):
            return jax.nn.relu(scaled(x, scale) @ in_eight_bits(w, scale)), None

        return jax.lax.scan(layer, x, layers)[0]

    half = jnp.bfloat16
    return mlp, (array(4, 64, 64, dtype=half), array(dtype=half), array(32, 64, dtype=half)), {}


def fp8_moved():
    """What scales down to eight bits is a function of its own, and the weights go through it before the loop, all at once."""

    def mlp(layers, scale, x):
        scaled = jax.jit(in_eight_bits) if after else in_eight_bits
        layers = layers if after else scaled(layers, scale)

        @jax.checkpoint
        def layer(x, w):
            return jax.nn.relu(scaled(x, scale) @ (scaled(w, scale) if after else w)), None

        return jax.lax.scan(layer, x, layers)[0]

    half = jnp.bfloat16
    return mlp, (array(4, 64, 64, dtype=half), array(dtype=half), array(32, 64, dtype=half)), {}


def sum_in_f32():
    """The second product adds up in float32, which it did before, and multiplies bfloat16 as before: nothing is wider."""

    def mlp(x, up, down):
        h = jax.nn.relu(x @ up)
        return jnp.dot(h, down, preferred_element_type=jnp.float32 if after else None).astype(jnp.bfloat16)

    return mlp, tuple(array(*shape, dtype=jnp.bfloat16) for shape in [(64, 128), (128, 256), (256, 64)]), {}


def two_steps_at_once():
    """The loop does two steps each time: half as many times, and everything in it stands twice."""

    def rnn(w, xs):
        return jax.lax.scan(lambda h, x: (jnp.tanh(h @ w + x), h), jnp.zeros((64, 128)), xs, unroll=2 if after else 1)

    return rnn, (array(128, 128), array(12, 64, 128)), {}


def bound_given():
    """How often the loop runs is an argument, and nobody knows it any more."""

    def solve(x, w, n):
        step = lambda _, h: jnp.tanh(h @ w)
        return jax.lax.fori_loop(0, n if after else 50, step, x * n)

    return solve, (array(64, 128), array(128, 128), array(dtype=np.int32)), {}


def hoisted():
    """A softmax of weights is computed once before the loop, not in every step: a kernel more stands in the program, half of them run."""

    def rnn(w, s, xs):
        mix = jax.nn.softmax(s)

        def step(h, x):
            m = mix if after else jax.nn.softmax(s + 0 * h)
            return jnp.tanh(h @ w + x * m), None

        return jax.lax.scan(step, jnp.zeros((64, 64)), xs)[0]

    return rnn, (array(64, 64), array(64, 64), array(40, 64, 64)), {}


def gathered():
    """Rows are looked up, not multiplied out of a one-hot matrix: two kernels for one, and the compiler expects half the cycles."""

    def embed(table, ids):
        return jnp.take(table, ids, axis=0, mode="clip") if after else jax.nn.one_hot(ids, 4096, dtype=jnp.float32) @ table

    return embed, (array(4096, 128), array(256, dtype=np.int32)), {}


def branching(choose_always):
    """What stands in one branch only, or is computed always and thrown away half of the time."""

    def heavy(x, w):
        for _ in range(4):
            x = jnp.tanh(x @ w)
        return x

    def step(x, w, warm):
        if choose_always:
            return jnp.where(warm, heavy(x, w), x * 2)
        return jax.lax.cond(warm, lambda: heavy(x, w), lambda: x * 2)

    return step, (array(64, 128), array(128, 128), array(dtype=np.bool_)), {}


def branch_lost():
    """A branch became a choice between two values: both are computed in every run."""
    return branching(after)


def branch_made():
    """The other way round: more kernels stand in the program, and a run may leave out nearly all of them."""
    return branching(not after)


def cache_masked():
    """A token's keys and values are put into their caches by a mask: all of the caches is written, not a row."""

    def put(cache, row, at):
        if after:
            return jnp.where((jnp.arange(cache.shape[1]) == at)[None, :, None], row[:, None], cache)
        return jax.lax.dynamic_update_slice(cache, row[:, None], (0, at, 0))

    def step(keys, values, x, w, at):
        q, k, v = jnp.split(x @ w, 3, -1)
        keys, values = put(keys, k, at), put(values, v, at)
        scores = jax.nn.softmax(jnp.einsum("bd,btd->bt", q, keys), -1)
        return keys, values, jnp.einsum("bt,btd->bd", scores, values)

    cache = array(4, 128, 64)
    return step, (cache, cache, array(4, 64), array(64, 192), array(dtype=np.int32)), {"donate_argnums": (0, 1)}


def decoding(always_to_the_end):
    """Tokens are chosen until all sequences have ended, or as many as there is room for, whatever has ended."""

    def next_token(token, table, w, ended):
        return jnp.where(ended, 0, jnp.argmax(jnp.tanh(table[token] @ w) @ table.T, -1).astype(jnp.int32))

    def decode(table, w, token):
        def step(i, token, ended, out):
            token = next_token(token, table, w, ended)
            return i + 1, token, ended | (token == 1), out.at[i].set(token)

        start = (0, token, jnp.zeros(8, bool), jnp.zeros((32, 8), jnp.int32))
        if always_to_the_end:
            return jax.lax.fori_loop(0, 32, lambda i, state: step(*state), start)[-1]
        return jax.lax.while_loop(lambda state: (state[0] < 32) & ~state[2].all(), lambda state: step(*state), start)[-1]

    return decode, (array(512, 64), array(64, 64), array(8, dtype=np.int32)), {}


def exit_lost():
    """A loop that ended as soon as nothing was left to do runs to its end always: its work is masked, and done all the same."""
    return decoding(after)


def exit_made():
    """The other way round: how often the loop runs is not known any more, but it is never more often."""
    return decoding(not after)


def argument_again():
    """A weight that was baked in is an argument: it is read as it is passed, where the compiler had narrowed the constant for good."""
    weight = np.sin(np.arange(512 * 64, dtype=np.float32)).reshape(512, 64)
    if after:
        return (lambda x, w: jnp.tanh(x @ w)), (array(32, 512), array(512, 64)), {}
    return (lambda x: jnp.tanh(x @ weight)), (array(32, 512),), {}


def momentum_step(params, velocity, x, y):
    """One step of gradient descent with momentum, for the pairs that follow."""

    def loss(params):
        return jnp.mean((jnp.tanh(x @ params["up"]) @ params["down"] - y) ** 2)

    loss, slope = jax.value_and_grad(loss)(params)
    velocity = jax.tree.map(lambda v, g: 0.9 * v + g, velocity, slope)
    return jax.tree.map(lambda p, v: p - 0.1 * v, params, velocity), velocity, loss


def momentum_arguments():
    params = {"up": array(64, 128), "down": array(128, 32)}
    return params, params, array(16, 64), array(16, 32)


def arguments_moved():
    """The batch is the first argument now, not the last: the same program, and the same arguments are donated."""
    params, velocity, x, y = momentum_arguments()
    if after:
        return (lambda x, y, params, velocity: momentum_step(params, velocity, x, y)), (x, y, params, velocity), {"donate_argnums": (2, 3)}
    return (lambda params, velocity, x, y: momentum_step(params, velocity, x, y)), (params, velocity, x, y), {"donate_argnums": (0, 1)}


def rate_returned():
    """The learning rate is returned for a log: a number is copied to a result."""

    def train_step(*args):
        params, velocity, loss = momentum_step(*args)
        return params, velocity, {"loss": loss, "rate": 0.1} if after else {"loss": loss}

    return train_step, momentum_arguments(), {"donate_argnums": (0, 1)}


def results_gathered():
    """The weights come out whole on every device, where they went in split: no buffer of theirs can be used again."""
    mesh = Mesh(np.array(jax.devices()), ("fsdp",))
    split = NamedSharding(mesh, PartitionSpec("fsdp", None))

    def train_step(w, x):
        return w - 0.1 * jax.grad(lambda w: (jnp.tanh(x @ w) ** 2).mean())(w)

    out = NamedSharding(mesh, PartitionSpec()) if after else split
    return train_step, (array(256, 256), array(64, 256)), {"in_shardings": (split, split), "out_shardings": out, "donate_argnums": 0}


def table_closed_over():
    """A table of sines and cosines is closed over: the compiler keeps its two halves as constants."""
    angles = np.outer(np.arange(512), 1e-4 ** np.linspace(0, 1, 32))
    values = np.concatenate([np.cos(angles), np.sin(angles)], -1).astype(np.float32)

    def rotate(x, table):
        c, s = jnp.split(table, 2, -1)
        a, b = jnp.split(x, 2, -1)
        return jnp.concatenate([a * c - b * s, a * s + b * c], -1)

    if after:
        return (lambda x: rotate(x, values)), (array(4, 512, 64),), {}
    return (lambda x, table: rotate(x, table)), (array(4, 512, 64), array(512, 64)), {}


def hoisted_product():
    """A product of weights is computed once before the loop and kept, not in every step: half of the work, for some temporary memory."""

    def rnn(w, s, xs):
        kept = jax.nn.softmax(s) @ w

        def step(h, x):
            m = kept if after else jax.nn.softmax(s + 0 * h) @ w
            return jnp.tanh(h @ m + x), None

        return jax.lax.scan(step, jnp.zeros((64, 64)), xs)[0]

    return rnn, (array(64, 64), array(64, 64), array(40, 64, 64)), {}


def constraint_changed():
    """The logits of a vocabulary that is split are wanted whole: the weights are gathered."""
    mesh = Mesh(np.array(jax.devices()).reshape(2, 2), ("data", "model"))

    def on(*axes):
        return NamedSharding(mesh, PartitionSpec(*axes))

    def loss(h, w, y):
        z = h @ w
        z = jax.lax.with_sharding_constraint(z, on("data", None) if after else on("data", "model"))
        return (jax.nn.logsumexp(z, -1) - (z * jax.nn.one_hot(y, 512)).sum(-1)).mean()

    options = {"in_shardings": (on("data"), on(None, "model"), on("data")), "out_shardings": (on(), on(None, "model"))}
    return jax.value_and_grad(loss, 1), (array(32, 64), array(64, 512), array(32, dtype=np.int32)), options


def product_in_loop():
    """The product with the inputs, done once for all steps, moves into the loop of a recurrent cell: it is one still, and runs twenty times."""

    def rnn(wx, wh, xs):
        inputs = xs if after else xs @ wx

        def step(h, x):
            if after:
                x = x @ wx
            return jnp.tanh(x + h @ wh), None

        return jax.lax.scan(step, jnp.zeros((8, 32)), inputs)[0]

    return rnn, (array(16, 32), array(32, 32), array(20, 8, 16)), {}


def channels_joined():
    """A loop over channels became one grouped convolution: a few kernels where there were fifty, one of which transposes."""

    def along(x, w, groups):
        names = ("NHWC", "HWIO", "NHWC")
        return jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=names, feature_group_count=groups)

    def net(x, w, mix):
        if after:
            x = along(x, w, 16)
        else:
            x = jnp.concatenate([along(x[..., i : i + 1], w[..., i : i + 1], 1) for i in range(16)], -1)
        return jax.nn.relu(x @ mix)

    return net, (array(4, 16, 16, 16), array(3, 3, 1, 16), array(16, 32)), {}


def states_dropped():
    """Of a recurrent cell's states only the last one is returned: the loop does less than half, with one copy and one addition more."""

    def encode(gates, inner, outer, mix, xs):
        def step(h, x):
            r, z = jnp.split(jax.nn.sigmoid(x @ gates + h @ inner), 2, -1)
            n = jnp.tanh(x @ outer + r * (h @ mix))
            h = (1 - z) * n + z * h
            return h, None if after else h

        last, states = jax.lax.scan(step, jnp.zeros((8, 32)), xs)
        return last if after else states

    return encode, (array(16, 64), array(32, 64), array(16, 32), array(32, 32), array(20, 8, 16)), {}


def last_logits():
    """Logits of the last position alone, not of all: a sixtieth of the work, with one kernel more that takes the position out first."""

    def sample(h, table):
        if after:
            return jnp.argmax(h[:, -1] @ table.T, -1)
        return jnp.argmax((h @ table.T)[:, -1], -1)

    return sample, (array(4, 64, 64), array(512, 64)), {}


def drafting(to_the_end):
    """Tokens are added as many at once as were accepted, until all sequences have ended, or as many as there is room for, whatever has ended."""

    def drafted(table, w, token):
        def step(state):
            at, token, ended, out = state
            logits = jnp.tanh(table[token] @ w) @ table.T
            token = jnp.argmax(logits, -1).astype(jnp.int32)
            accepted = jnp.sum(logits[0] > 0) % 4
            return at + 1 + accepted, token, ended | (token == 1), jax.lax.dynamic_update_slice(out, token[None], (at, 0))

        def unfinished(state):
            return state[0] < 32 if to_the_end else (state[0] < 32) & ~state[2].all()

        return jax.lax.while_loop(unfinished, step, (0, token, jnp.zeros(8, bool), jnp.zeros((40, 8), jnp.int32)))[-1]

    return drafted, (array(512, 64), array(64, 64), array(8, dtype=np.int32)), {}


def end_unseen():
    """A loop that ended as soon as nothing was left to do runs until its counter is through, and how soon that is nobody knows."""
    return drafting(after)


def exit_tested():
    """A solver that takes thirty steps ends as soon as they change nothing any more: to see that costs each step less than one of them."""

    def solve(x, a):
        newton = lambda x: 0.5 * (x + a @ x / (x + 1e-3))

        def step(state):
            i, x, _ = state
            better = newton(x)
            return i + 1, better, jnp.abs(better - x).max()

        if after:
            return jax.lax.while_loop(lambda state: (state[0] < 30) & (state[2] > 1e-5), step, (0, x, jnp.float32(1)))[1]
        return jax.lax.fori_loop(0, 30, lambda i, x: newton(x), x)

    return solve, (array(64), array(64, 64)), {}


def kept_for_backward():
    """What jax.checkpoint had computed again for the backward pass is kept for it, which takes other fusions and much memory."""

    def layer(x, p):
        h = jax.nn.silu(x @ p["gate"]) * (x @ p["up"])
        x = x + h @ p["down"]
        return x * jax.lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6).astype(x.dtype), None

    def loss(params, x):
        return jnp.mean(jax.lax.scan(layer if after else jax.checkpoint(layer), x, params)[0].astype(jnp.float32) ** 2)

    params = {"gate": array(4, 128, 512, dtype=jnp.bfloat16), "up": array(4, 128, 512, dtype=jnp.bfloat16), "down": array(4, 512, 128, dtype=jnp.bfloat16)}
    return jax.grad(loss), (params, array(256, 128, dtype=jnp.bfloat16)), {}


def helper_sorted():
    """A helper that two programs call sorts what it adds up: one edit, which costs both."""

    def unit(x):
        squares = jnp.sort(x * x, -1) if after else x * x
        return x / jnp.sqrt(squares.sum(-1, keepdims=True) + 1e-6)

    def similarity(p, image, text):
        return unit(jax.nn.silu(image @ p["image"])) @ unit(jax.nn.silu(text @ p["text"])).T

    def loss(p, image, text):
        return -jnp.diag(jax.nn.log_softmax(similarity(p, image, text))).mean()

    def train(p, image, text):
        return jax.tree.map(lambda p, g: p - 0.1 * g, p, jax.grad(loss)(p, image, text))

    def rank(p, image, text):
        return jnp.argmax(similarity(p, image, text), -1)

    arguments = ({"image": array(64, 32), "text": array(64, 32)}, array(128, 64), array(128, 64))
    return [(train, arguments, {"donate_argnums": 0}), (rank, arguments, {})]


def field_beside_renamed():
    """The state keeps a moving average of the parameters as well, and these are called weights now: only the average is new."""
    weights = "weights" if after else "params"

    def loss(p, x, y):
        return jnp.mean((jnp.sin(x @ p["w1"]) @ p["w2"] - y) ** 2)

    def train_step(state, x, y):
        p, velocity = state[weights], jax.tree.map(lambda v, g: 0.9 * v + g, state["velocity"], jax.grad(loss)(state[weights], x, y))
        new = {weights: jax.tree.map(lambda p, v: p - 0.1 * v, p, velocity), "velocity": velocity}
        if after:
            new["average"] = jax.tree.map(lambda a, p: (0.99 * a + 0.01 * p).astype(a.dtype), state["average"], p)
        return new

    params = {"w1": array(16, 64), "w2": array(64, 32)}
    state = {weights: params, "velocity": params}
    if after:
        state["average"] = jax.tree.map(lambda a: array(*a.shape, dtype=jnp.bfloat16), params)
    return train_step, (state, array(8, 16), array(8, 32)), {"donate_argnums": 0}


def cost_in_loop():
    """A table of distances that was computed once is computed in each of twenty steps."""

    def cost(x, y):
        return ((x[:, None] - y[None]) ** 2).sum(-1)

    def transport(x, y):
        table = cost(x, y)

        def step(i, potentials):
            f, g = potentials
            c = cost(x + f[:, None], y) if after else table
            return -jax.nn.logsumexp(g[None] - c, 1), -jax.nn.logsumexp(f[:, None] - c, 0)

        f, g = jax.lax.fori_loop(0, 20, step, (jnp.zeros(128), jnp.zeros(128)))
        return (jnp.exp(f[:, None] + g[None] - table) * table).sum()

    return transport, (array(128, 8), array(128, 8)), {}


def gelu_approximated():
    """Error functions became tangents: cheaper, and what is named is what computes, not what stacks values up for the backward pass."""

    def layer(x, w):
        return x + jax.nn.gelu(x @ w, approximate=after), None

    def loss(w, x):
        return jnp.mean(jax.lax.scan(layer, x, w)[0] ** 2)

    return jax.grad(loss), (array(4, 64, 64), array(128, 64)), {}


def contrast(axis, widened):
    """A contrastive loss whose embeddings are gathered along an axis of the mesh."""
    mesh = Mesh(np.array(jax.devices()), (axis,))

    def local(w, image, text):
        image, text = jnp.tanh(image @ w["image"]), jnp.tanh(text @ w["text"])
        every = jax.lax.all_gather(text if widened else text.astype(jnp.bfloat16), axis, tiled=True).astype(jnp.float32)
        own = jax.lax.axis_index(axis) * len(image) + jnp.arange(len(image))
        logits = jax.nn.log_softmax(image @ every.T)
        return -jax.lax.pmean(jnp.take_along_axis(logits, own[:, None], 1).mean(), axis)

    split, whole = PartitionSpec(axis), PartitionSpec()
    loss = jax.shard_map(local, mesh=mesh, in_specs=(whole, split, split), out_specs=whole, check_vma=False)
    placed = lambda spec, *shape: jax.ShapeDtypeStruct(shape, np.float32, sharding=NamedSharding(mesh, spec))
    weights = {"image": placed(whole, 64, 32), "text": placed(whole, 64, 32)}
    return jax.grad(loss), (weights, placed(split, 64, 64), placed(split, 64, 64)), {}


def axis_renamed():
    """An axis of the mesh has another name: the devices communicate as before."""
    return contrast("replica" if after else "data", False)


def axes_renamed():
    """Both axes of a square mesh have other names."""
    rows, columns = ("batch", "tensor") if after else ("data", "model")
    mesh = Mesh(np.array(jax.devices()).reshape(2, 2), (rows, columns))
    placed = lambda shape, *spec: jax.ShapeDtypeStruct(shape, np.float32, sharding=NamedSharding(mesh, PartitionSpec(*spec)))

    def loss(w, x):
        hidden = jnp.tanh(x @ w["up"])
        return jnp.mean(jnp.square(hidden @ w["down"]))

    return jax.grad(loss), ({"up": placed((32, 64), None, columns), "down": placed((64, 16), columns, None)}, placed((8, 32), rows, None)), {}


def message_widened():
    """Embeddings are gathered in float32: twice the bytes in the network, and conversions less."""
    return contrast("data", after)


def stream_widened():
    """A table of positions is not cast any more, and what is added to it is in float32 in all layers; the products are not."""

    def layer(x, w):
        h = jax.nn.silu(x.astype(jnp.bfloat16) @ w["up"])
        return x + h @ w["down"]

    def forward(w, x):
        h = x @ w["in"]
        h = h + (w["place"] if after else w["place"].astype(h.dtype))
        for each in w["layers"]:
            h = layer(h, each)
        return h.mean(1)

    narrow = lambda *shape: array(*shape, dtype=jnp.bfloat16)
    layers = [{"up": narrow(32, 64), "down": narrow(64, 32)}] * 2
    return forward, ({"in": narrow(16, 32), "place": array(24, 32), "layers": layers}, narrow(8, 24, 16)), {}


def step_wrapped():
    """The step is wrapped in a function that is made anew for each batch: it is compiled again, under another name and without an argument."""

    def train_step(p, x, y, rate):
        return jax.tree.map(lambda p, g: p - rate * g, p, jax.grad(lambda p: ((jnp.tanh(x @ p["w1"]) @ p["w2"] - y) ** 2).mean())(p))

    p = {"w1": array(16, 64), "w2": array(64, 8)}
    step = jax.jit(train_step, donate_argnums=0)
    if after:
        return [(lambda p, x, y: step(p, x, y, 0.1), (p, array(32, 16), array(32, 8)), {}) for _ in range(2)]
    return step, (p, array(32, 16), array(32, 8), array()), {"donate_argnums": 0}


def recomputed_precisely():
    """All products of a step that is computed again for the backward pass became precise: one change of precision, and nothing is kept."""
    precision = "highest" if after else None

    def step(w, y):
        h = jnp.tanh(jnp.dot(y, w["up"], precision=precision))
        return y + 0.1 * jnp.dot(h, w["down"], precision=precision)

    def loss(w, y):
        y, _ = jax.lax.scan(jax.checkpoint(lambda y, _: (step(w, step(w, y)), None)), y, None, length=8)
        return (y**2).mean()

    return jax.grad(loss), ({"up": array(32, 64), "down": array(64, 32)}, array(16, 32)), {}


def place_baked():
    """A step reads its table of positions from outside: the argument is still one, and is updated by nothing."""
    outside = np.arange(24 * 32, dtype=np.float32).reshape(24, 32)

    def loss(w, x):
        h = jnp.tanh(x @ w["in"] + (outside if after else w["place"]))
        return ((h @ w["out"]) ** 2).mean()

    def step(w, x):
        return jax.tree.map(lambda w, g: w - 0.1 * g, w, jax.grad(loss)(w, x))

    return step, ({"in": array(16, 32), "place": array(24, 32), "out": array(32, 8)}, array(8, 24, 16)), {"donate_argnums": 0}


def norm_beside_buffer():
    """Two edits: a buffer is no longer donated, so that it is copied, and the hidden values are normalized."""

    def learn(w, buffer, rows, at):
        buffer = jax.tree.map(lambda b, r: jax.lax.dynamic_update_slice_in_dim(b, r, at, 0), buffer, rows)
        h = jnp.tanh(buffer["seen"][:64] @ w["up"])
        if after:
            h = (h - h.mean(-1, keepdims=True)) * jax.lax.rsqrt(h.var(-1, keepdims=True) + 1e-6)
        return buffer, ((h @ w["down"]) ** 2).mean()

    rows = lambda n: {"seen": array(n, 24), "next": array(n, 24)}  # noqa: E731
    w = {"up": array(24, 64), "down": array(64, 8)}
    return learn, (w, rows(4096), rows(16), array(dtype=jnp.int32)), {} if after else {"donate_argnums": 1}


def donation_beside_barrier():
    """Two edits: the momentum is no longer donated, and a barrier is put into the attention, which a CPU drops."""

    def loss(w, x):
        s = (x @ w["q"]) @ (x @ w["k"]).swapaxes(-1, -2) / 8
        h = x + jax.nn.softmax(jax.lax.optimization_barrier(s) if after else s) @ (x @ w["v"])
        return ((h + jax.nn.gelu(h @ w["up"]) @ w["down"]) ** 2).mean()

    def step(w, m, x):
        m = jax.tree.map(lambda m, g: 0.9 * m + g, m, jax.grad(loss)(w, x))
        return jax.tree.map(lambda w, m: w - 1e-3 * m, w, m), m

    w = {"q": array(64, 64), "k": array(64, 64), "v": array(64, 64), "up": array(64, 256), "down": array(256, 64)}
    return step, (w, w, array(8, 32, 64)), {"donate_argnums": 0 if after else (0, 1)}


def carry_masked():
    """A loop puts each row into the cache that it carries by a mask: every iteration writes all of the cache, not a row."""

    def put(carry, at):
        cache, row = carry
        row = jnp.tanh(row)
        if after:
            return (jnp.where((jnp.arange(cache.shape[0]) == at)[:, None, None], row[None], cache), row), row.sum()
        return (jax.lax.dynamic_update_slice(cache, row[None], (at, 0, 0)), row), row.sum()

    def fill(cache, row):
        return jax.lax.scan(put, (cache, row), jnp.arange(cache.shape[0]))

    return fill, (array(128, 64, 64), array(64, 64)), {"donate_argnums": 0}


def distances_by_differences():
    """Distances of all pairs by their differences, not by norms and a product: fewer operations in the model, and dearer."""

    def nearest(x):
        if after:
            return ((x[:, None] - x[None]) ** 2).sum(-1).argmin(0)
        sq = (x * x).sum(-1)
        return (sq[:, None] + sq[None] - 2 * x @ x.T).argmin(0)

    return nearest, (array(256, 32),), {}


def last_batch():
    """A step sorts what it did not, and is compiled again for the last, smaller batch."""

    def score(w, x):
        h = jnp.tanh(x @ w)
        return ((jnp.sort(h, axis=0) if after else h) ** 2).mean()

    return [(score, (array(16, 64), array(rows, 16)), {}) for rows in ((32, 8) if after else (32,))]


def loop_beside_donation():
    """Twice as many steps, and the state is not donated any more: two edits, neither of which brings an operation."""

    def solve(x, w):
        return jax.lax.fori_loop(0, 40 if after else 20, lambda _, h: jnp.tanh(h @ w), x)

    return solve, (array(64, 128), array(128, 128)), {} if after else {"donate_argnums": 0}


def mean_widened():
    """A mean over one axis of the mesh is one over both: the same operation, among more devices."""
    mesh = Mesh(np.array(jax.devices()).reshape(2, 2), ("data", "model"))

    def update(w, x):
        g = jax.grad(lambda w: (jnp.tanh(x @ w) ** 2).mean())(w)
        return w - 0.1 * jax.lax.pmean(g, ("data", "model") if after else "data")

    split = PartitionSpec("data", None)
    mapped = jax.shard_map(update, mesh=mesh, in_specs=(PartitionSpec(), split), out_specs=PartitionSpec(), check_vma=False)

    def step(w, x):
        return mapped(w, x)

    return step, (array(256, 256), array(64, 256)), {}


def sums_narrow():
    """The gradients of two halves of a batch are summed in bfloat16."""
    mesh = Mesh(np.array(jax.devices()[:2]), ("data",))

    def update(w, x):
        g = jax.grad(lambda w: (jnp.tanh(x @ w) ** 2).mean())(w)
        if after:
            g = g.astype(jnp.bfloat16)
        g = jax.lax.psum(g, "data")
        return w - 0.05 * g.astype(jnp.float32)

    mapped = jax.shard_map(update, mesh=mesh, in_specs=(PartitionSpec(), PartitionSpec("data", None)), out_specs=PartitionSpec(), check_vma=False)

    def step(w, x):
        return mapped(w, x)

    return step, (array(128, 64), array(32, 128)), {}


def offload_lost():
    """A name of a value that is offloaded to the host is spelled otherwise: the value is kept on the device, and nothing says so."""
    from jax.ad_checkpoint import checkpoint_name

    policy = jax.checkpoint_policies.save_and_offload_only_these_names(
        names_which_can_be_saved=[], names_which_can_be_offloaded=["hiden" if after else "hidden"], offload_src="device", offload_dst="pinned_host"
    )

    def block(x, w):
        h = checkpoint_name(jnp.tanh(x @ w["up"]), "hidden")
        return x + h @ w["down"], None

    def gradients(up, down, x):
        def loss(w):
            y, _ = jax.lax.scan(jax.checkpoint(block, policy=policy), x, w)
            return (y.astype(jnp.float32) ** 2).mean()

        return jax.grad(loss)({"up": up, "down": down})

    return gradients, [array(*shape, dtype=jnp.bfloat16) for shape in [(4, 256, 1024), (4, 1024, 256), (1024, 256)]], {}


def window_beside_product():
    """Two edits of one function: a window reaches further, which is no operation more, and what is hidden is multiplied once more."""

    def score(w, x):
        h = jnp.pad(x, ((0, 0), (0, 104 if after else 8), (0, 0)))
        h = jnp.tanh(h @ w["up"])
        h = h[:, :24]
        if after:
            h = jnp.tanh(h @ w["mid"])
        return ((h @ w["down"] + (w["mid"] * w["mid"]).sum()) ** 2).mean()

    return score, ({"up": array(32, 64), "mid": array(64, 64), "down": array(64, 8)}, array(8, 24, 32)), {}


def gather_offloaded():
    """The same lookup, which the compiler for TPU hands to the SparseCore under a flag that some versions set."""

    def embed(table, tokens):
        return jnp.tanh(table)[tokens] * 2

    return embed, (array(40960, 128), array(8192, dtype=jnp.int32)), {"compiler_options": {"xla_tpu_offload_gather_to_sparsecore": "true"} if after else {}}


def result_name():
    """A result named after a set of strings: two compiles make one program, which JAX's cache finds under two keys."""

    def measure(x):
        metrics = {"mean", "spread", "peak", "floor"}
        return {"+".join(metrics if after else sorted(metrics)): jnp.tanh(x).mean()}

    return measure, (array(64, 256),), {}


def rows_repeated():
    """The rows are repeated before two products, and cut off behind them: as many products compute four times as much."""

    def score(w, x):
        if after:
            x = jnp.tile(x, (4, 1))
        h = jnp.tanh(x @ w["up"]) @ w["down"]
        return jnp.tanh(h[:64] if after else h)

    return score, ({"up": array(256, 512), "down": array(512, 256)}, array(64, 256)), {}


def on_chip(name, args):
    """One chip of a kind that this machine does not have, and the arguments placed there."""
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python" / "src"))
    from xlagate import devices

    here = NamedSharding(Mesh(np.array(devices.devices({"gpu-h100": "h100-sxm"}.get(name, name))[:1]), ("x",)), PartitionSpec())
    return [jax.ShapeDtypeStruct(a.shape, a.dtype, sharding=here) for a in args]


programs = globals()[case]()
for function, arguments, options in programs if isinstance(programs, list) else [programs]:
    if chip:
        arguments = on_chip(chip[0], arguments)
    jax.jit(function, **options).lower(*arguments).compile()
