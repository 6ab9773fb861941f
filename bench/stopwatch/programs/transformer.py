"""Transformers: training, and decoding with a cache."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from .pair import below, f32, pair, weight

WIDTH, HEADS, LENGTH, BATCH, VOCABULARY = 64, 4, 64, 4, 256


def layer_params(width=WIDTH):
    return {"qkv": weight(width, 3 * width), "out": weight(width, width), "up": weight(width, 4 * width), "down": weight(4 * width, width),
            "norm": np.ones(width, np.float32)}


def stacked(count):
    return jax.tree.map(lambda *leaves: np.stack(leaves), *[layer_params() for _ in range(count)])


def norm(x, scale):
    return x * lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6) * scale


def heads(x):
    return x.reshape(*x.shape[:2], HEADS, -1)


def softmax(x):
    return jax.nn.softmax(x, -1)


def attention(p, x, softmax=softmax):
    q, k, v = (heads(t) for t in jnp.split(x @ p["qkv"], 3, -1))
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(q.shape[-1])
    scores = jnp.where(np.tril(np.ones(scores.shape[-2:], bool)), scores, -1e9)
    return jnp.einsum("bhqk,bkhd->bqhd", softmax(scores), v).reshape(x.shape) @ p["out"]


def block(p, x, softmax=softmax):
    x = x + attention(p, norm(x, p["norm"]), softmax)
    return x + jax.nn.gelu(norm(x, p["norm"]) @ p["up"]) @ p["down"]


def scanned(block, params, x):
    return lax.scan(lambda x, p: (block(p, x), None), x, params)[0]


def unrolled(block, params, x):
    for i in range(params["out"].shape[0]):
        x = block(jax.tree.map(lambda p: p[i], params), x)
    return x


def gradients(run, params, x):
    return jax.grad(lambda p: (run(p, x) ** 2).mean())(params)


INPUT = f32(BATCH, LENGTH, WIDTH)
ARGS = (stacked(4), INPUT)


@pair("a scan over the layers unrolled")
def gpt_layers_unrolled():
    return functools.partial(scanned, block), functools.partial(unrolled, block), ARGS


@pair("a scan over the layers unrolled, with gradients")
def gpt_gradients_unrolled():
    return functools.partial(gradients, functools.partial(scanned, block)), functools.partial(gradients, functools.partial(unrolled, block)), ARGS


@pair("jax.checkpoint around each layer")
def gpt_remat():
    return (functools.partial(gradients, functools.partial(unrolled, block)),
            functools.partial(gradients, functools.partial(unrolled, jax.checkpoint(block))), ARGS)


@pair("softmax cut by optimization barriers")
def gpt_softmax_barrier():
    def cut(x):
        x = lax.optimization_barrier(jnp.exp(x - x.max(-1, keepdims=True)))
        return lax.optimization_barrier(x) / x.sum(-1, keepdims=True)
    return functools.partial(unrolled, block), functools.partial(unrolled, functools.partial(block, softmax=cut)), ARGS


@pair("softmax written out, the same operations")
def gpt_softmax_written_out():
    def written(x):
        e = jnp.exp(x - lax.stop_gradient(x.max(-1, keepdims=True)))
        return e / e.sum(-1, keepdims=True)
    return functools.partial(unrolled, block), functools.partial(unrolled, functools.partial(block, softmax=written)), ARGS


@pair("the whole model in bfloat16")
def gpt_bfloat16():
    narrow = jax.tree.map(lambda p: p.astype(jnp.bfloat16), ARGS)
    return functools.partial(unrolled, block), functools.partial(unrolled, block), ARGS, narrow


@pair("one product for query, key and value cut into three")
def gpt_three_projections():
    def apart(p, x):
        q, k, v = (x @ w for w in (p["q"], p["k"], p["v"]))
        return q + k + v
    def joined(p, x):
        return sum(jnp.split(x @ p["qkv"], 3, -1))
    q, k, v = (weight(256, 256) for _ in range(3))
    return joined, apart, ({"qkv": np.concatenate([q, k, v], 1)}, f32(128, 256)), ({"q": q, "k": k, "v": v}, f32(128, 256))


@pair("heads before positions in every product of the attention")
def attention_heads_first():
    q = f32(4, 128, 8, 32)
    def last(q, k, v):
        return jnp.einsum("bhqk,bkhd->bqhd", softmax(jnp.einsum("bqhd,bkhd->bhqk", q, k)), v)
    def first(q, k, v):
        return jnp.einsum("bhqk,bhkd->bhqd", softmax(jnp.einsum("bhqd,bhkd->bhqk", q, k)), v)
    return last, first, (q, q, q), (q.transpose(0, 2, 1, 3),) * 3


@pair("attention over the last 32 positions only")
def attention_window():
    q = f32(4, 8, 256, 32)
    def full(q, k, v):
        return jnp.einsum("bhqk,bhkd->bhqd", softmax(jnp.einsum("bhqd,bhkd->bhqk", q, k)), v)
    def window(q, k, v):
        q, k, v = (t.reshape(4, 8, 8, 32, 32) for t in (q, k, v))
        return jnp.einsum("bhwqk,bhwkd->bhwqd", softmax(jnp.einsum("bhwqd,bhwkd->bhwqk", q, k)), v)
    return full, window, (q, q, q)


@pair("softmax attention became linear attention")
def attention_linear():
    q = f32(4, 8, 256, 32)
    def full(q, k, v):
        return jnp.einsum("bhqk,bhkd->bhqd", softmax(jnp.einsum("bhqd,bhkd->bhqk", q, k)), v)
    def linear(q, k, v):
        q, k = jax.nn.elu(q) + 1, jax.nn.elu(k) + 1
        return jnp.einsum("bhqd,bhde->bhqe", q, jnp.einsum("bhkd,bhke->bhde", k, v)) / jnp.einsum("bhqd,bhd->bhq", q, k.sum(2))[..., None]
    return full, linear, (q, q, q)


@pair("attention in blocks of 64 keys by a scan")
def attention_blocks():
    q = f32(2, 4, 512, 32)
    def full(q, k, v):
        return jnp.einsum("bhqk,bhkd->bhqd", softmax(jnp.einsum("bhqd,bhkd->bhqk", q, k)), v)
    def blocks(q, k, v):
        def one(carry, kv):
            top, total, out = carry
            k, v = kv
            scores = jnp.einsum("bhqd,bhkd->bhqk", q, k)
            new = jnp.maximum(top, scores.max(-1))
            weights, scale = jnp.exp(scores - new[..., None]), jnp.exp(top - new)
            return (new, total * scale + weights.sum(-1), out * scale[..., None] + jnp.einsum("bhqk,bhkd->bhqd", weights, v)), None
        start = (jnp.full(q.shape[:3], -jnp.inf), jnp.zeros(q.shape[:3]), jnp.zeros(q.shape))
        (_, total, out), _ = lax.scan(one, start, tuple(t.reshape(2, 4, 8, 64, 32).transpose(2, 0, 1, 3, 4) for t in (k, v)))
        return out / total[..., None]
    return full, blocks, (q, q, q)


@pair("keys repeated for every head, not shared by groups")
def attention_keys_repeated():
    q, k = f32(4, 64, 8, 32), f32(4, 512, 2, 32)
    def grouped(q, k, v):
        q = q.reshape(4, 64, 2, 4, 32)
        return jnp.einsum("bgjqk,bkgd->bqgjd", softmax(jnp.einsum("bqgjd,bkgd->bgjqk", q, k)), v)
    def repeated(q, k, v):
        k, v = jnp.repeat(k, 4, 2), jnp.repeat(v, 4, 2)
        return jnp.einsum("bhqk,bkhd->bqhd", softmax(jnp.einsum("bqhd,bkhd->bhqk", q, k)), v)
    return grouped, repeated, (q, k, k)


def decode(write, cache, x, at):
    q, k, v = x
    keys, values = write(cache[0], k, at), write(cache[1], v, at)
    scores = jnp.einsum("hd,khd->hk", q, keys)
    return (keys, values), jnp.einsum("hk,khd->hd", softmax(jnp.where(jnp.arange(keys.shape[0]) <= at, scores, -1e9)), values)


CACHE = ((f32(1024, 4, 64), f32(1024, 4, 64)), tuple(f32(4, 64) for _ in range(3)), np.int32(77))


def in_place(cache, row, at):
    return lax.dynamic_update_slice(cache, row[None], (at, 0, 0))


@pair("the cache joined anew for each token, not updated in place", carry=True, donate=((0,), (0,)))
def cache_concatenated():
    def joined(cache, row, at):
        return jnp.concatenate([cache[1:], row[None]])
    return functools.partial(decode, in_place), functools.partial(decode, joined), CACHE


@pair("the cache updated by a mask over all of it", carry=True, donate=((0,), (0,)))
def cache_masked():
    def masked(cache, row, at):
        return jnp.where((jnp.arange(cache.shape[0]) == at)[:, None, None], row[None], cache)
    return functools.partial(decode, in_place), functools.partial(decode, masked), CACHE


@pair("the donation of the cache lost", carry=True, donate=((0,), ()))
def cache_donation_lost():
    return functools.partial(decode, in_place), functools.partial(decode, in_place), CACHE


@pair("32 tokens decoded in a loop of the program, not in the host's loop of one")
def decode_in_loop():
    def all_tokens(cache, x, at):
        def one(i, state):
            cache, total = state
            cache, out = decode(in_place, cache, x, at + i)
            return cache, total + out
        return lax.fori_loop(0, 32, one, (cache, jnp.zeros((4, 64))))
    def unrolled(cache, x, at):
        total = jnp.zeros((4, 64))
        for i in range(32):
            cache, out = decode(in_place, cache, x, at + i)
            total += out
        return cache, total
    return unrolled, all_tokens, CACHE


@pair("rows of the embedding chosen by a one-hot product")
def embedding_one_hot():
    args = (weight(512, 64), below(512, 8, 64))
    return lambda table, ids: table[ids] * 2, lambda table, ids: jax.nn.one_hot(ids, 512) @ table * 2, args


@pair("the gradient of the embedding by a one-hot product")
def embedding_gradient_one_hot():
    args = (weight(1000, 64), below(1000, 8, 64))
    def gathered(table, ids):
        return jax.grad(lambda t: (t[ids] ** 2).sum())(table)
    def product(table, ids):
        return jax.grad(lambda t: ((jax.nn.one_hot(ids, 1000) @ t) ** 2).sum())(table)
    return gathered, product, args


LOGITS = (f32(512, 2000), below(2000, 512))


@pair("cross entropy by softmax and one-hot, not by logsumexp and a gather")
def cross_entropy_one_hot():
    def lean(logits, labels):
        return (jax.nn.logsumexp(logits, 1) - jnp.take_along_axis(logits, labels[:, None], 1)[:, 0]).mean()
    def wide(logits, labels):
        return -(jnp.log(jax.nn.softmax(logits) + 1e-9) * jax.nn.one_hot(labels, logits.shape[1])).sum(1).mean()
    return lean, wide, LOGITS


@pair("the gradient of cross entropy: log_softmax and one-hot")
def cross_entropy_gradient():
    def lean(logits, labels):
        return (jax.nn.logsumexp(logits, 1) - jnp.take_along_axis(logits, labels[:, None], 1)[:, 0]).mean()
    def wide(logits, labels):
        return -(jax.nn.log_softmax(logits) * jax.nn.one_hot(labels, logits.shape[1])).sum(1).mean()
    return jax.grad(lean), jax.grad(wide), LOGITS


@pair("focal loss through logsumexp over all classes")
def focal_by_logsumexp():
    def by_sigmoid(logits, labels):
        p = jax.nn.sigmoid(logits)
        return ((1 - p) ** 2 * jnp.maximum(logits, 0) + jnp.log1p(jnp.exp(-jnp.abs(logits)))).mean()
    def by_logsumexp(logits, labels):
        log_p = logits - jax.nn.logsumexp(logits, 1, keepdims=True)
        return -((1 - jnp.exp(log_p)) ** 2 * log_p).mean()
    return by_sigmoid, by_logsumexp, LOGITS


@pair("nucleus sampling from the 50 largest, not from all sorted")
def sampling_top_k():
    def sort(logits):
        ordered = jnp.sort(jax.nn.softmax(logits), 1)[:, ::-1]
        return jnp.where(jnp.cumsum(ordered, 1) < 0.9, ordered, 0)
    def top(logits):
        ordered = lax.top_k(jax.nn.softmax(logits), 50)[0]
        return jnp.where(jnp.cumsum(ordered, 1) < 0.9, ordered, 0)
    return sort, top, (f32(8, 2048),)


@pair("sines and cosines of the rotary embedding computed in each of six layers")
def rotary_in_every_layer():
    x, tables = f32(4, 128, 64), (f32(128, 32), f32(128, 32))
    def turn(x, cos, sin):
        a, b = jnp.split(x, 2, -1)
        return jnp.concatenate([a * cos - b * sin, a * sin + b * cos], -1)
    def given(x, position, cos, sin):
        for _ in range(6):
            x = lax.optimization_barrier(turn(x, cos, sin))
        return x
    def computed(x, position, cos, sin):
        for i in range(6):
            angle = position[:, None] * (10000.0 + i) ** (-jnp.arange(32) / 32)
            x = lax.optimization_barrier(turn(x, jnp.cos(angle), jnp.sin(angle)))
        return x
    return given, computed, (x, np.arange(128, dtype=np.float32), *tables)


@pair("a vision transformer's patches by reshape and product, not by convolution")
def vit_patches():
    def convolution(w, x):
        return lax.conv_general_dilated(x, w.reshape(8, 8, 3, 128), (8, 8), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC")).reshape(8, 64, 128)
    def product(w, x):
        return x.reshape(8, 8, 8, 8, 8, 3).transpose(0, 1, 3, 2, 4, 5).reshape(8, 64, 192) @ w
    return convolution, product, (weight(192, 128), f32(8, 64, 64, 3))


def normed_in_one_pass(x):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt((x * x).mean(-1, keepdims=True) - mean**2 + 1e-6)


def normed_in_two(x):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(((x - mean) ** 2).mean(-1, keepdims=True) + 1e-6)


@pair("layer norm with the variance from a second pass")
def layer_norm_two_passes():
    return normed_in_one_pass, normed_in_two, (f32(512, 512),)


@pair("einsum spelled as matmul")
def gpt_einsum_spelled():
    args = (f32(8, 64, 64), weight(64, 256))
    return lambda x, w: jnp.tanh(jnp.einsum("bld,df->blf", x, w)), lambda x, w: jnp.tanh(x @ w), args
