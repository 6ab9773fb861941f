"""Optimizers, and what surrounds a step: callbacks, dispatches, clipping."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from .pair import f32, pair, weight

LEAVES = [f32(64, 64) for _ in range(12)] + [f32(64) for _ in range(12)]


def adam(p, m, v, g):
    m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
    return p - 1e-3 * m / (jnp.sqrt(v) + 1e-8), m, v


def adam_leaves(ps, ms, vs, gs):
    out = [adam(*leaf) for leaf in zip(ps, ms, vs, gs)]
    return tuple([leaf[i] for leaf in out] for i in range(3))


STATE = (LEAVES, LEAVES, [np.abs(x) for x in LEAVES], LEAVES)


@pair("the leaves joined into one array for the optimizer")
def adam_joined():
    def joined(ps, ms, vs, gs):
        flat = [jnp.concatenate([x.ravel() for x in xs]) for xs in (ps, ms, vs, gs)]
        cuts = np.cumsum([x.size for x in ps])[:-1]
        return tuple([x.reshape(p.shape) for x, p in zip(jnp.split(whole, cuts), ps)] for whole in adam(*flat))
    return adam_leaves, joined, STATE


ONE = tuple(np.abs(f32(512, 512)) for _ in range(4))


@pair("Adam for plain descent")
def adam_for_descent():
    return lambda p, m, v, g: p - 1e-3 * g, adam, ONE


@pair("Adam's moments in bfloat16")
def adam_moments_bfloat16():
    def narrow(p, m, v, g):
        p, m, v = adam(p, m.astype(jnp.float32), v.astype(jnp.float32), g)
        return p, m.astype(jnp.bfloat16), v.astype(jnp.bfloat16)
    return adam, narrow, ONE, (ONE[0], ONE[1].astype(jnp.bfloat16), ONE[2].astype(jnp.bfloat16), ONE[3])


@pair("the moments corrected by powers of the step")
def adam_corrected():
    def corrected(p, m, v, g):
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        return p - 1e-3 * (m / 0.1) / (jnp.sqrt(v / 0.001) + 1e-8), m, v
    return adam, corrected, ONE


@pair("gradients clipped by their norm over all leaves")
def clip_by_global_norm():
    def clipped(ps, ms, vs, gs):
        norm = jnp.sqrt(sum((g * g).sum() for g in gs))
        return adam_leaves(ps, ms, vs, [g * jnp.minimum(1, 1 / norm) for g in gs])
    return adam_leaves, clipped, STATE


@pair("a root of the preconditioner by Newton's steps, not by eigh")
def shampoo_newton():
    def by_eigh(g):
        values, vectors = jnp.linalg.eigh(g @ g.T + jnp.eye(64))
        return (vectors * values ** -0.25) @ vectors.T @ g
    def by_newton(g):
        x = g / jnp.linalg.norm(g)
        for _ in range(5):
            a = x @ x.T
            x = 3.4445 * x + (-4.7750 * a + 2.0315 * a @ a) @ x
        return x
    return by_eigh, by_newton, (f32(64, 256),)


@pair("a moving average of the weights kept")
def average_of_weights():
    def averaged(ps, ms, vs, gs):
        out = adam_leaves(ps, ms, vs, gs)
        return *out, [0.99 * a + 0.01 * b for a, b in zip(ps, out[0])]
    return adam_leaves, averaged, STATE


def one_leaf(i, *state):
    return adam(*(leaves[i] for leaves in state))


@pair("the update of each leaf compiled by itself: 24 dispatches for one")
def adam_each_leaf():
    return (adam_leaves,), tuple(functools.partial(one_leaf, i) for i in range(24)), STATE


NET = (weight(256, 256), f32(64, 256))


def net(w, x):
    return jnp.tanh(jnp.tanh(x @ w) @ w)


@pair("the preparation of the input left outside of the program")
def preparation_outside():
    mean, std = f32(256), np.abs(f32(256)) + 1
    def whole(w, x):
        return net(w, (x - mean) / std)
    return (whole,), (lambda w, x: x - mean, lambda w, x: x / std, net), NET


@pair("a step cut into four programs")
def step_in_four():
    return (net,), (lambda w, x: x @ w, lambda w, x: jnp.tanh(x), lambda w, x: x @ w, lambda w, x: jnp.tanh(x)), NET


@pair("a callback that reports the loss")
def callback_reports():
    def quiet(w, x):
        y = net(w, x)
        return y, (y * y).mean()
    def reporting(w, x):
        y, loss = quiet(w, x)
        jax.debug.callback(lambda loss: None, loss)
        return y, loss
    return quiet, reporting, NET


@pair("a function of the host in the middle of the program")
def callback_on_host():
    def host(w, x):
        h = jax.pure_callback(np.tanh, jax.ShapeDtypeStruct((64, 256), jnp.float32), x @ w)
        return jnp.tanh(h @ w)
    return net, host, NET


@pair("a callback in each trip of a loop")
def callback_in_loop():
    def quiet(w, x):
        return lax.fori_loop(0, 8, lambda i, x: jnp.tanh(x @ w), x)
    def loud(w, x):
        def step(i, x):
            jax.debug.callback(lambda i: None, i)
            return jnp.tanh(x @ w)
        return lax.fori_loop(0, 8, step, x)
    return quiet, loud, NET


@pair("a check for NaN of every activation")
def nan_checked():
    def checked(w, x):
        h = jnp.tanh(x @ w)
        h = jnp.where(jnp.isnan(h).any(), 0.0, h)
        y = jnp.tanh(h @ w)
        return jnp.where(jnp.isnan(y).any(), 0.0, y)
    return net, checked, NET


@pair("a state of one array cut into 200")
def state_of_many_leaves():
    whole, parts = f32(200, 64), list(f32(200, 64))
    return lambda s: s * 0.99, lambda s: [x * 0.99 for x in s], (whole,), (parts,)


@pair("metrics computed in every step")
def metrics():
    def measured(w, x):
        y = net(w, x)
        return y, {"mean": y.mean(), "largest": jnp.abs(y).max(), "norm": jnp.sqrt((y * y).sum()), "share": (y > 0).mean()}
    return lambda w, x: (net(w, x), {}), measured, NET


@pair("a product computed twice behind a barrier")
def product_twice():
    def twice(w, x):
        a, b = lax.optimization_barrier((x, x))
        w1, w2 = lax.optimization_barrier((w, w))
        return jnp.tanh(jnp.tanh(a @ w1) @ w) + jnp.tanh(lax.optimization_barrier(b) @ w2)
    return net, twice, NET


@pair("low rank for a full product")
def low_rank():
    args = (weight(512, 512), f32(128, 512))
    return lambda w, x: x @ w, lambda w, x: (x @ w[0]) @ w[1], args, ((weight(512, 16), weight(16, 512)), f32(128, 512))
