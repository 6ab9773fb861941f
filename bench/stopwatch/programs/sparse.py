"""Graphs, experts, sorting, and everything else that goes by indices."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from .pair import below, f32, pair, weight

NODES, EDGES, WIDTH = 256, 2048, 64
GRAPH = (weight(WIDTH, WIDTH), f32(NODES, WIDTH), below(NODES, EDGES), np.sort(below(NODES, EDGES)))


def messages(w, x, src, dst, **options):
    return jax.nn.relu(jax.ops.segment_sum((x @ w)[src], dst, NODES, **options))


@pair("edges multiplied by the weights, not nodes")
def gnn_edges_multiplied():
    return messages, lambda w, x, src, dst: jax.nn.relu(jax.ops.segment_sum(x[src] @ w, dst, NODES)), GRAPH


@pair("messages by a dense adjacency matrix")
def gnn_dense():
    def dense(w, x, src, dst):
        return jax.nn.relu(jnp.zeros((NODES, NODES)).at[dst, src].add(1) @ (x @ w))
    return messages, dense, GRAPH


@pair("indices_are_sorted promised, of which a CPU makes nothing")
def gnn_sorted():
    return messages, functools.partial(messages, indices_are_sorted=True), GRAPH


@pair("attention over the edges: softmax in segments")
def gnn_attention():
    def attention(w, x, src, dst):
        h = x @ w
        score = (h[src] * h[dst]).sum(1)
        score = jnp.exp(score - jax.ops.segment_max(score, dst, NODES)[dst])
        return jax.nn.relu(jax.ops.segment_sum(h[src] * score[:, None], dst, NODES) / (jax.ops.segment_sum(score, dst, NODES)[:, None] + 1))
    return messages, attention, GRAPH


@pair("four rounds of messages")
def gnn_four_rounds():
    def four(w, x, src, dst):
        for _ in range(4):
            x = messages(w, x, src, dst)
        return x
    return messages, four, GRAPH


TOKENS, EXPERTS, HIDDEN, CAPACITY = 256, 8, 128, 48
MOE = ({"router": weight(WIDTH, EXPERTS), "up": f32(EXPERTS, WIDTH, HIDDEN, scale=0.1), "down": f32(EXPERTS, HIDDEN, WIDTH, scale=0.1)}, f32(TOKENS, WIDTH))


def route(p, x):
    weights = jax.nn.softmax(x @ p["router"])
    return weights.max(1), weights.argmax(1)


def dense_experts(p, x):
    gate, chosen = route(p, x)
    y = jnp.einsum("enf,efd->end", jax.nn.relu(jnp.einsum("nd,edf->enf", x, p["up"])), p["down"])
    return jnp.take_along_axis(y, chosen[None, :, None], 0)[0] * gate[:, None]


def places(chosen):
    one_hot = jax.nn.one_hot(chosen, EXPERTS, dtype=jnp.int32)
    return (jnp.cumsum(one_hot, 0) * one_hot).max(1) - 1


def capacity_experts(p, x):
    gate, chosen = route(p, x)
    at = places(chosen)
    slots = jnp.zeros((EXPERTS, CAPACITY, WIDTH)).at[chosen, at].set(x, mode="drop")
    y = jnp.einsum("ecf,efd->ecd", jax.nn.relu(jnp.einsum("ecd,edf->ecf", slots, p["up"])), p["down"])
    return y.at[chosen, at].get(mode="fill", fill_value=0) * gate[:, None]


@pair("every expert computes every token")
def moe_dense():
    return capacity_experts, dense_experts, MOE


@pair("tokens dispatched to experts by a one-hot product")
def moe_one_hot_dispatch():
    def one_hot(p, x):
        gate, chosen = route(p, x)
        send = jax.nn.one_hot(chosen, EXPERTS)[:, :, None] * jax.nn.one_hot(places(chosen), CAPACITY)[:, None]
        slots = jnp.einsum("nec,nd->ecd", send, x)
        y = jnp.einsum("ecf,efd->ecd", jax.nn.relu(jnp.einsum("ecd,edf->ecf", slots, p["up"])), p["down"])
        return jnp.einsum("nec,ecd->nd", send, y) * gate[:, None]
    return capacity_experts, one_hot, MOE


@pair("a loop of Python over the experts")
def moe_loop():
    def loop(p, x):
        gate, chosen = route(p, x)
        out = jnp.zeros_like(x)
        for e in range(EXPERTS):
            out += jnp.where((chosen == e)[:, None], jax.nn.relu(x @ p["up"][e]) @ p["down"][e], 0)
        return out * gate[:, None]
    return dense_experts, loop, MOE


@pair("the largest by a whole sort")
def top_by_sort():
    return lambda x: lax.top_k(x, 8)[0], lambda x: jnp.sort(x, 1)[:, ::-1][:, :8], (f32(64, 512),)


@pair("order by argsort and a gather, not by sorting both")
def sort_and_gather():
    def together(keys, values):
        return lax.sort((keys, values), num_keys=1)
    def gathered(keys, values):
        order = jnp.argsort(keys)
        return keys[order], values[order]
    return together, gathered, (f32(4096), f32(4096))


@pair("a median by a sort, not by bisection")
def median_by_sort():
    def bisection(x):
        def narrow(_, bounds):
            low, high = bounds
            middle = (low + high) / 2
            fewer = (x < middle).sum() < x.size // 2
            return jnp.where(fewer, middle, low), jnp.where(fewer, high, middle)
        return lax.fori_loop(0, 24, narrow, (x.min(), x.max()))[0]
    return bisection, lambda x: jnp.sort(x)[x.size // 2], (f32(8192),)


@pair("integers sorted, not floats")
def sort_integers():
    return jnp.sort, jnp.sort, (f32(16384),), (below(1 << 30, 16384),)


@pair("a histogram by comparison with every bin, not by a scatter")
def histogram_dense():
    return lambda x: jnp.bincount(x, length=256), lambda x: (x[:, None] == jnp.arange(256)).sum(0), (below(256, 8192),)


@pair("rows added in a loop, not by one scatter")
def scatter_in_loop():
    args = (f32(512, 32), below(512, 1024), f32(1024, 32))
    def loop(table, at, rows):
        return lax.fori_loop(0, 1024, lambda i, t: t.at[at[i]].add(rows[i]), table)
    return lambda table, at, rows: table.at[at].add(rows), loop, args


@pair("a choice along an axis by a one-hot sum")
def choice_one_hot():
    args = (f32(2048, 128), below(128, 2048))
    return lambda x, i: jnp.take_along_axis(x, i[:, None], 1)[:, 0], lambda x, i: (x * jax.nn.one_hot(i, 128)).sum(1), args


@pair("one branch of four became all four, by vmap")
def switch_vmapped():
    branches = [jnp.sin, jnp.cos, jnp.tanh, jnp.exp]
    def one(i, x):
        return lax.switch(i[0], branches, x)
    def each(i, x):
        return jax.vmap(lambda i, x: lax.switch(i, branches, x))(i, x)
    return one, each, (np.zeros(16, np.int32), f32(16, 1024))


@pair("a branch became a choice between both results")
def cond_to_where():
    def cond(flag, w, x):
        return lax.cond(flag, lambda x: jnp.tanh(x @ w) @ w, lambda x: x, x)
    def where(flag, w, x):
        return jnp.where(flag, jnp.tanh(x @ w) @ w, x)
    return cond, where, (np.bool_(True), weight(128, 128), f32(64, 128))


@pair("a join of many pieces, not a reshape of one")
def concatenate_many():
    def pieces(x):
        return jnp.concatenate([x[i] * (1 + i) for i in range(32)], 0)
    return lambda x: (x * (1 + jnp.arange(32.0))[:, None, None]).reshape(-1, 64), pieces, (f32(32, 64, 64),)


@pair("an update of slices in a loop, not one join")
def update_slices():
    def updates(xs):
        out = jnp.zeros((64 * 64, 32))
        return lax.fori_loop(0, 64, lambda i, out: lax.dynamic_update_slice(out, xs[i] * 2, (i * 64, 0)), out)
    return lambda xs: (xs * 2).reshape(64 * 64, 32), updates, (f32(64, 64, 32),)


@pair("a transpose kept before a product of every layer")
def transposed_again():
    args = (f32(256, 256), weight(256, 256))
    def straight(x, w):
        for _ in range(4):
            x = jnp.tanh(x @ w)
        return x
    def turned(x, w):
        for _ in range(4):
            x = lax.optimization_barrier(jnp.tanh(x @ w).T)
        return x
    return straight, turned, args
