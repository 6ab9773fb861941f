"""Programs of a size that keeps an accelerator busy."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from .pair import below, f32, pair, weight
from .sequence import gates, recurrence
from .training import adam
from .transformer import normed_in_one_pass, normed_in_two
from .vision import conv

BF16, F32 = jnp.bfloat16, jnp.float32


def narrow(tree):
    return jax.tree.map(lambda x: x.astype(BF16) if x.dtype == np.float32 else x, tree)


# A decoder: 4 layers of width 1024, 16 heads, 8 sequences of 512 tokens.

WIDTH, HEADS, LENGTH, BATCH, LAYERS, VOCABULARY = 1024, 16, 512, 8, 4, 32000


def layer():
    return {"qkv": weight(WIDTH, 3 * WIDTH), "out": weight(WIDTH, WIDTH), "up": weight(WIDTH, 4 * WIDTH), "down": weight(4 * WIDTH, WIDTH), "norm": np.ones(WIDTH, np.float32)}


def rms(x, scale):
    y = x.astype(F32)
    return (y * lax.rsqrt(jnp.mean(y * y, -1, keepdims=True) + 1e-6)).astype(x.dtype) * scale


def softmax(x):
    return jax.nn.softmax(x.astype(F32), -1).astype(x.dtype)


def attention(p, x, softmax=softmax, precision=None):
    q, k, v = (t.reshape(*x.shape[:2], HEADS, -1) for t in jnp.split(jnp.matmul(x, p["qkv"], precision=precision), 3, -1))
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k, precision=precision) * 0.125
    scores = jnp.where(jnp.tril(jnp.ones(scores.shape[-2:], bool)), scores, -1e9)
    return jnp.matmul(jnp.einsum("bhqk,bkhd->bqhd", softmax(scores), v, precision=precision).reshape(x.shape), p["out"], precision=precision)


def block(p, x, attend=attention, act=jax.nn.gelu, precision=None):
    x = x + attend(p, rms(x, p["norm"]))
    return x + jnp.matmul(act(jnp.matmul(rms(x, p["norm"]), p["up"], precision=precision)), p["down"], precision=precision)


def decoder(block, params, x):
    for p in params:
        x = block(p, x)
    return x


def training(block, params, x):
    return jax.grad(lambda p: (decoder(block, p, x).astype(F32) ** 2).mean())(params)


PARAMS, INPUT = [layer()] * LAYERS, f32(BATCH, LENGTH, WIDTH)
STACKED = jax.tree.map(lambda *leaves: np.stack(leaves), *PARAMS)


@pair("a decoder's training in bfloat16")
def big_training_bfloat16():
    step = functools.partial(training, block)
    return step, step, (PARAMS, INPUT), (narrow(PARAMS), narrow(INPUT))


@pair("the highest precision of products")
def big_precision_highest():
    high = functools.partial(block, attend=functools.partial(attention, precision="highest"), precision="highest")
    return functools.partial(decoder, block), functools.partial(decoder, high), (PARAMS, INPUT)


@pair("jax.checkpoint around each layer")
def big_remat():
    return functools.partial(training, block), functools.partial(training, jax.checkpoint(block)), (narrow(PARAMS), narrow(INPUT))


@pair("softmax cut by optimization barriers")
def big_softmax_barrier():
    def cut(x):
        y = lax.optimization_barrier(jnp.exp(x.astype(F32) - x.astype(F32).max(-1, keepdims=True)))
        return (lax.optimization_barrier(y) / y.sum(-1, keepdims=True)).astype(x.dtype)
    return functools.partial(decoder, block), functools.partial(decoder, functools.partial(block, attend=functools.partial(attention, softmax=cut))), (narrow(PARAMS), narrow(INPUT))


@pair("layers by a scan, not unrolled")
def big_layers_scanned():
    def scanned(params, x):
        return lax.scan(lambda x, p: (block(p, x), None), x, params)[0]
    return functools.partial(decoder, block), scanned, (narrow(PARAMS), narrow(INPUT)), (narrow(STACKED), narrow(INPUT))


@pair("three products for query, key and value")
def big_three_projections():
    def joined(p, x):
        return sum(jnp.split(x @ p["qkv"], 3, -1))
    def apart(p, x):
        return x @ p["q"] + x @ p["k"] + x @ p["v"]
    q = weight(WIDTH, WIDTH).astype(BF16)
    return joined, apart, ({"qkv": np.concatenate([q, q, q], 1)}, INPUT.astype(BF16)), ({"q": q, "k": q, "v": q}, INPUT.astype(BF16))


@pair("attention of cuDNN, not written out")
def big_attention_cudnn():
    q = f32(BATCH, LENGTH, HEADS, 64).astype(BF16)
    def written(q, k, v):
        return jnp.einsum("bhqk,bkhd->bqhd", softmax(jnp.einsum("bqhd,bkhd->bhqk", q, k) * 0.125), v)
    return written, functools.partial(jax.nn.dot_product_attention, implementation="cudnn"), (q, q, q)


@pair("softmax of the attention in bfloat16, not f32")
def big_softmax_narrow():
    q = f32(BATCH, LENGTH, HEADS, 64).astype(BF16)
    def of(softmax, q, k, v):
        return jnp.einsum("bhqk,bkhd->bqhd", softmax(jnp.einsum("bqhd,bkhd->bhqk", q, k) * 0.125), v)
    return functools.partial(of, softmax), functools.partial(of, functools.partial(jax.nn.softmax, axis=-1)), (q, q, q)


@pair("keys repeated for every head")
def big_keys_repeated():
    q, k = f32(8, 512, 16, 64).astype(BF16), f32(8, 512, 4, 64).astype(BF16)
    def grouped(q, k, v):
        q = q.reshape(8, 512, 4, 4, 64)
        return jnp.einsum("bgjqk,bkgd->bqgjd", softmax(jnp.einsum("bqgjd,bkgd->bgjqk", q, k)), v)
    def repeated(q, k, v):
        k, v = jnp.repeat(k, 4, 2), jnp.repeat(v, 4, 2)
        return jnp.einsum("bhqk,bkhd->bqhd", softmax(jnp.einsum("bqhd,bkhd->bhqk", q, k)), v)
    return grouped, repeated, (q, k, k)


@pair("the exact gelu, by erf")
def big_gelu_exact():
    w = (weight(WIDTH, 4 * WIDTH).astype(BF16), INPUT.astype(BF16))
    return lambda w, x: jax.nn.gelu(x @ w), lambda w, x: jax.nn.gelu(x @ w, approximate=False), w


@pair("layer norm with the variance from a second pass")
def big_norm_two_passes():
    return normed_in_one_pass, normed_in_two, (f32(64, 512, 1024),)


LOGITS = (f32(2048, VOCABULARY), below(VOCABULARY, 2048))


def lean(logits, labels):
    return (jax.nn.logsumexp(logits, 1) - jnp.take_along_axis(logits, labels[:, None], 1)[:, 0]).mean()


def wide(logits, labels):
    return -(jax.nn.log_softmax(logits) * jax.nn.one_hot(labels, logits.shape[1], dtype=logits.dtype)).sum(1).mean()


@pair("the gradient of cross entropy by one-hot")
def big_cross_entropy_one_hot():
    return jax.grad(lean), jax.grad(wide), LOGITS


@pair("logits in bfloat16")
def big_logits_bfloat16():
    return jax.grad(lean), jax.grad(lambda x, y: lean(x, y).astype(F32)), LOGITS, (LOGITS[0].astype(BF16), LOGITS[1])


MOMENTS = tuple(np.abs(f32(4096, 4096)) for _ in range(4))


@pair("Adam's moments in bfloat16")
def big_moments_bfloat16():
    def small(p, m, v, g):
        p, m, v = adam(p, m.astype(F32), v.astype(F32), g)
        return p, m.astype(BF16), v.astype(BF16)
    return adam, small, MOMENTS, (MOMENTS[0], MOMENTS[1].astype(BF16), MOMENTS[2].astype(BF16), MOMENTS[3])


LEAVES = [f32(256, 1024) for _ in range(24)] + [f32(1024) for _ in range(24)]


def adam_leaves(ps, gs):
    return [p - 1e-3 * g / (jnp.abs(g) + 1e-8) for p, g in zip(ps, gs)]


@pair("gradients clipped by their norm")
def big_clipped():
    def clipped(ps, gs):
        norm = jnp.sqrt(sum((g * g).sum() for g in gs))
        return adam_leaves(ps, [g * jnp.minimum(1, 1 / norm) for g in gs])
    return adam_leaves, clipped, (LEAVES, LEAVES)


@pair("the leaves joined into one array for the optimizer")
def big_leaves_joined():
    def joined(ps, gs):
        flat = [jnp.concatenate([x.ravel() for x in xs]) for xs in (ps, gs)]
        cuts = np.cumsum([x.size for x in ps])[:-1]
        return [x.reshape(p.shape) for x, p in zip(jnp.split(adam_leaves([flat[0]], [flat[1]])[0], cuts), ps)]
    return adam_leaves, joined, (LEAVES, LEAVES)


@pair("the gradient of the embedding by a one-hot product")
def big_embedding_one_hot():
    args = (weight(8192, 512), below(8192, 8, 512))
    def gathered(table, ids):
        return jax.grad(lambda t: (t[ids] ** 2).sum())(table)
    def product(table, ids):
        return jax.grad(lambda t: ((jax.nn.one_hot(ids, 8192) @ t) ** 2).sum())(table)
    return gathered, product, args


TOKENS, EXPERTS, HIDDEN, CAPACITY = 4096, 8, 2048, 768
MOE = ({"router": weight(512, EXPERTS), "up": f32(EXPERTS, 512, HIDDEN, scale=0.05), "down": f32(EXPERTS, HIDDEN, 512, scale=0.05)}, f32(TOKENS, 512))


def chosen(p, x):
    weights = jax.nn.softmax(x @ p["router"])
    return weights.max(1), weights.argmax(1)


@pair("every expert for every token, not by capacity")
def big_experts_dense():
    def dense(p, x):
        gate, at = chosen(p, x)
        y = jnp.einsum("enf,efd->end", jax.nn.relu(jnp.einsum("nd,edf->enf", x, p["up"])), p["down"])
        return jnp.take_along_axis(y, at[None, :, None], 0)[0] * gate[:, None]
    def capacity(p, x):
        gate, at = chosen(p, x)
        one_hot = jax.nn.one_hot(at, EXPERTS, dtype=jnp.int32)
        place = (jnp.cumsum(one_hot, 0) * one_hot).max(1) - 1
        slots = jnp.zeros((EXPERTS, CAPACITY, 512)).at[at, place].set(x, mode="drop")
        y = jnp.einsum("ecf,efd->ecd", jax.nn.relu(jnp.einsum("ecd,edf->ecf", slots, p["up"])), p["down"])
        return y.at[at, place].get(mode="fill", fill_value=0) * gate[:, None]
    return capacity, dense, MOE


def decode(write, cache, x, at):
    q, k, v = x
    keys, values = write(cache[0], k, at), write(cache[1], v, at)
    scores = jnp.einsum("bhd,bkhd->bhk", q, keys)
    return (keys, values), jnp.einsum("bhk,bkhd->bhd", softmax(jnp.where(jnp.arange(keys.shape[1]) <= at, scores, -1e9)), values)


CACHE = ((f32(16, 2048, 16, 64).astype(BF16),) * 2, tuple(f32(16, 16, 64).astype(BF16) for _ in range(3)), np.int32(77))
CACHE = (tuple(x.copy() for x in CACHE[0]), *CACHE[1:])


def in_place(cache, row, at):
    return lax.dynamic_update_slice(cache, row[:, None], (0, at, 0, 0))


@pair("the cache joined anew for each token", carry=True, donate=((0,), (0,)))
def big_cache_concatenated():
    return functools.partial(decode, in_place), functools.partial(decode, lambda cache, row, at: jnp.concatenate([cache[:, 1:], row[:, None]], 1)), CACHE


@pair("the donation of the cache lost", carry=True, donate=((0,), ()))
def big_donation_lost():
    return functools.partial(decode, in_place), functools.partial(decode, in_place), CACHE


# Images: 32 of 56 by 56 with 64 channels.

KERNELS, IMAGES = [f32(3, 3, 64, 64, scale=0.04) for _ in range(3)], f32(32, 56, 56, 64)


def network(ws, x, layout="NHWC"):
    for w in ws:
        x = jax.nn.relu(conv(x, w, layout)) + x
    return x


@pair("convolutions in bfloat16")
def big_cnn_bfloat16():
    return network, network, (KERNELS, IMAGES), (narrow(KERNELS), narrow(IMAGES))


@pair("channels before height and width")
def big_cnn_channels_first():
    return network, functools.partial(network, layout="NCHW"), (narrow(KERNELS), narrow(IMAGES)), ([w.transpose(3, 2, 0, 1) for w in narrow(KERNELS)], narrow(IMAGES).transpose(0, 3, 1, 2))


@pair("batch norm by the batch's own statistics")
def big_cnn_norm():
    def norm(ws, x):
        for w in ws:
            y = conv(x, w)
            x = jax.nn.relu((y - y.mean((0, 1, 2))) * lax.rsqrt(y.var((0, 1, 2)) + 1e-5)) + x
        return x
    return network, norm, (KERNELS, IMAGES)


@pair("gradients as well")
def big_cnn_gradients():
    return network, lambda ws, x: jax.grad(lambda ws: (network(ws, x) ** 2).sum())(ws), (KERNELS, IMAGES)


@pair("a full convolution became a depthwise one and a pointwise one")
def big_cnn_separable():
    def separable(w, x):
        return conv(conv(x, w[0], groups=256), w[1])
    return lambda w, x: conv(x, w), separable, (f32(3, 3, 256, 256, scale=0.02), f32(16, 28, 28, 256)), ((f32(3, 3, 1, 256), f32(1, 1, 256, 256, scale=0.06)), f32(16, 28, 28, 256))


# Sequences.

CELL = ({"x": weight(512, 2048), "h": weight(512, 2048)}, f32(64, 64, 512))


def lstm(p, xs, **options):
    def step(state, x):
        c, h = gates(state[0], x @ p["x"] + state[1] @ p["h"])
        return (c, h), h
    zero = jnp.zeros((64, 512))
    return lax.scan(step, (zero, zero), xs, **options)[1]


@pair("the projection of the inputs taken out of the loop")
def big_lstm_inputs_before():
    def before(p, xs):
        def step(state, z):
            c, h = gates(state[0], z + state[1] @ p["h"])
            return (c, h), h
        zero = jnp.zeros((64, 512))
        return lax.scan(step, (zero, zero), xs @ p["x"])[1]
    return lstm, before, CELL


@pair("eight steps of time in one trip")
def big_lstm_unroll_eight():
    return lstm, functools.partial(lstm, unroll=8), CELL


@pair("a linear recurrence by an associative scan, not step by step")
def big_recurrence_associative():
    def associative(decay, x):
        return lax.associative_scan(lambda a, b: (a[0] * b[0], b[0] * a[1] + b[1]), (decay, x))[1]
    return recurrence, associative, (np.abs(f32(512, 65536, scale=0.1)), f32(512, 65536))


@pair("a loop that ends by a value, not by a count")
def big_loop_by_value():
    def counted(w, x):
        return lax.fori_loop(0, 40, lambda i, x: jnp.tanh(x @ w), x)
    def by_value(w, x):
        return lax.while_loop(lambda s: s[0] + 0 * s[1][0, 0] < 40, lambda s: (s[0] + 1, jnp.tanh(s[1] @ w)), (jnp.float32(0), x))[1]
    return counted, by_value, (weight(1024, 1024), f32(1024, 1024))


# Graphs and indices.

NODES, EDGES = 20000, 200000
GRAPH = (weight(128, 128), f32(NODES, 128), below(NODES, EDGES), np.sort(below(NODES, EDGES)))


def messages(w, x, src, dst, **options):
    return jax.nn.relu(jax.ops.segment_sum((x @ w)[src], dst, NODES, **options))


@pair("edges multiplied by the weights, not nodes")
def big_gnn_edges_multiplied():
    return messages, lambda w, x, src, dst: jax.nn.relu(jax.ops.segment_sum(x[src] @ w, dst, NODES)), GRAPH


@pair("indices_are_sorted promised")
def big_gnn_sorted():
    return messages, functools.partial(messages, indices_are_sorted=True), GRAPH


@pair("indices_are_sorted promised for narrow rows")
def big_gnn_sorted_narrow():
    graph = (weight(128, 4), *GRAPH[1:])
    return messages, functools.partial(messages, indices_are_sorted=True), graph


@pair("a histogram by a scatter, not by comparison with every bin")
def big_histogram_scattered():
    values = below(256, 1 << 20)
    return (lambda v: (v[:, None] == jnp.arange(256)).astype(jnp.int32).sum(0), lambda v: jnp.zeros(256, jnp.int32).at[v].add(1), (values,))


@pair("the largest of all by a full sort, not by top_k")
def big_sort_for_top_k():
    return lambda x: lax.top_k(x, 40)[0], lambda x: jnp.sort(x, 1)[:, ::-1][:, :40], (f32(64, 32000),)


@pair("a median by bisection, not by a sort")
def big_median_bisected():
    def bisected(x):
        def half(_, ends):
            low, high = ends
            middle = (low + high) / 2
            less = (x < middle[:, None]).sum(1) * 2 < x.shape[1]
            return jnp.where(less, middle, low), jnp.where(less, high, middle)
        return lax.fori_loop(0, 24, half, (x.min(1), x.max(1)))[0]
    return lambda x: jnp.sort(x, 1)[:, x.shape[1] // 2], bisected, (f32(512, 8192),)


# Random numbers, transforms, moves.

def dropped(key, x):
    for k in jax.random.split(key, 4):
        x = jnp.where(jax.random.bernoulli(k, 0.9, x.shape), x / 0.9, 0)
    return x


@pair("dropout's keys by rbg, not threefry")
def big_dropout_rbg():
    x = f32(64, 512, 512)
    return dropped, dropped, (jax.random.key(1), x), (jax.random.key(1, impl="rbg"), x)


@pair("a long convolution by FFT, not directly")
def big_convolution_by_fft():
    x, k = f32(64, 16384), f32(512)
    def direct(x, k):
        return lax.conv_general_dilated(x[:, None], k[None, None], (1,), [(511, 0)])[:, 0]
    def by_fft(x, k):
        return jnp.fft.irfft(jnp.fft.rfft(x, 32768) * jnp.fft.rfft(k, 32768), 32768)[:, :16384]
    return direct, by_fft, (x, k)


@pair("heads transposed to the front and back in each layer")
def big_transposed():
    x = f32(32, 512, 16, 64)
    def kept(x):
        for _ in range(4):
            x = lax.optimization_barrier(jnp.tanh(x))
        return x
    def turned(x):
        for _ in range(4):
            x = lax.optimization_barrier(jnp.tanh(lax.optimization_barrier(x.transpose(0, 2, 1, 3)))).transpose(0, 2, 1, 3)
        return x
    return kept, turned, (x,)


@pair("a cumulative sum by a scan over rows")
def big_cumsum_by_scan():
    return lambda x: jnp.cumsum(x, 0), lambda x: lax.scan(lambda c, r: (c + r,) * 2, jnp.zeros_like(x[0]), x)[1], (f32(512, 16384),)


@pair("forces of all bodies in a loop, not at once")
def big_bodies_in_loop():
    def force(x, y):
        d = y - x
        return (d * ((d * d).sum(-1, keepdims=True) + 0.01) ** -1.5).sum(0)
    return lambda x: jax.vmap(lambda a: force(a, x))(x), lambda x: lax.map(lambda a: force(a, x), x), (f32(2048, 3),)


@pair("the heat equation in float64", x64=True)
def big_heat_float64():
    def steps(x):
        for _ in range(8):
            x = x + 0.1 * (jnp.roll(x, 1, 0) + jnp.roll(x, -1, 0) + jnp.roll(x, 1, 1) + jnp.roll(x, -1, 1) - 4 * x)
            x = lax.optimization_barrier(x)
        return x
    return steps, steps, (f32(2048, 2048),), (f32(2048, 2048).astype(np.float64),)


@pair("gradients of eight microbatches gathered in a loop")
def big_microbatches():
    w, x = weight(1024, 1024), f32(4096, 1024)
    def whole(w, x):
        return jax.grad(lambda w: (jnp.tanh(x @ w) ** 2).sum())(w)
    def parts(w, x):
        return lax.scan(lambda g, x: (g + whole(w, x), None), jnp.zeros_like(w), x.reshape(8, 512, 1024))[0]
    return whole, parts, (w, x)


@pair("solved by an inverse")
def big_solve_by_inverse():
    a = f32(512, 512)
    a = a @ a.T / 512 + np.eye(512, dtype=np.float32)
    return jnp.linalg.solve, lambda a, b: jnp.linalg.inv(a) @ b, (a, f32(512, 64))
