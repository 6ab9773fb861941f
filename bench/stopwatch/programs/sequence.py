"""Recurrent networks, state spaces, and filters."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from .pair import f32, pair, weight

HIDDEN, STEPS, BATCH = 64, 64, 16
CELL = ({"x": weight(HIDDEN, 4 * HIDDEN), "h": weight(HIDDEN, 4 * HIDDEN)}, f32(STEPS, BATCH, HIDDEN))


def gates(c, z):
    i, f, g, o = jnp.split(z, 4, -1)
    c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
    return c, jax.nn.sigmoid(o) * jnp.tanh(c)


def lstm_step(p, state, x):
    c, h = gates(state[0], x @ p["x"] + state[1] @ p["h"])
    return (c, h), h


def lstm(p, xs, **options):
    zero = jnp.zeros((BATCH, HIDDEN))
    return lax.scan(functools.partial(lstm_step, p), (zero, zero), xs, **options)[1]


@pair("the projection of the inputs taken out of the loop")
def lstm_inputs_before():
    def before(p, xs):
        def step(state, z):
            c, h = gates(state[0], z + state[1] @ p["h"])
            return (c, h), h
        zero = jnp.zeros((BATCH, HIDDEN))
        return lax.scan(step, (zero, zero), xs @ p["x"])[1]
    return lstm, before, CELL


@pair("one product for four gates cut into four")
def lstm_four_products():
    def four(p, xs):
        def step(state, x):
            parts = [x @ a + state[1] @ b for a, b in zip(jnp.split(p["x"], 4, 1), jnp.split(p["h"], 4, 1))]
            c, h = gates(state[0], jnp.concatenate(parts, -1))
            return (c, h), h
        zero = jnp.zeros((BATCH, HIDDEN))
        return lax.scan(step, (zero, zero), xs)[1]
    return lstm, four, CELL


@pair("the loop over time unrolled")
def lstm_unrolled():
    return lstm, functools.partial(lstm, unroll=True), CELL


@pair("eight steps of time in one trip")
def lstm_unroll_eight():
    return lstm, functools.partial(lstm, unroll=8), CELL


@pair("gradients through time with jax.checkpoint at each step")
def lstm_remat():
    def kept(p, xs):
        return jax.grad(lambda p: (lstm(p, xs) ** 2).sum())(p)
    def again(p, xs):
        step = jax.checkpoint(functools.partial(lstm_step))
        zero = jnp.zeros((BATCH, HIDDEN))
        return jax.grad(lambda p: (lax.scan(lambda s, x: step(p, s, x), (zero, zero), xs)[1] ** 2).sum())(p)
    return kept, again, CELL


@pair("four times the hidden width")
def rnn_wider():
    def rnn(w, xs):
        return lax.scan(lambda h, x: (jnp.tanh(x + h @ w),) * 2, jnp.zeros_like(xs[0]), xs)[1]
    return rnn, rnn, (weight(64, 64), f32(64, 8, 64)), (weight(256, 256), f32(64, 8, 256))


SCAN = (np.abs(f32(256, 1024, scale=0.1)), f32(256, 1024))


def recurrence(decay, x):
    return lax.scan(lambda h, dx: (dx[0] * h + dx[1],) * 2, jnp.zeros_like(x[0]), (decay, x))[1]


@pair("a linear recurrence by an associative scan, not step by step")
def recurrence_associative():
    def associative(decay, x):
        return lax.associative_scan(lambda a, b: (a[0] * b[0], b[0] * a[1] + b[1]), (decay, x))[1]
    return recurrence, associative, SCAN


MAMBA = (f32(16, 256), -np.abs(f32(256, 8)), np.abs(f32(64, 16, 256, scale=0.1)), f32(64, 16, 256), f32(64, 16, 8), f32(64, 16, 8))


@pair("the states of a selective scan made for all times before the loop")
def mamba_states_before():
    def inside(h, a, dt, x, b, c):
        def step(h, at):
            dt, x, b, c = at
            h = jnp.exp(dt[..., None] * a) * h + (dt * x)[..., None] * b[:, None]
            return h, jnp.einsum("bdn,bn->bd", h, c)
        return lax.scan(step, jnp.zeros((16, 256, 8)), (dt, x, b, c))[1]
    def before(h, a, dt, x, b, c):
        decay = jnp.exp(dt[..., None] * a)
        inputs = (dt * x)[..., None] * b[:, :, None]
        states = recurrence(decay, inputs)
        return jnp.einsum("tbdn,tbn->tbd", states, c)
    return inside, before, MAMBA


@pair("the decay of a state space computed before the loop")
def ssm_decay_hoisted():
    def inside(a, x):
        return lax.scan(lambda h, x: (jnp.exp(lax.optimization_barrier(a)) * h + x,) * 2, jnp.zeros_like(x[0]), x)[1]
    def before(a, x):
        decay = jnp.exp(a)
        return lax.scan(lambda h, x: (decay * h + x,) * 2, jnp.zeros_like(x[0]), x)[1]
    return inside, before, (f32(4096), f32(128, 4096))


@pair("a cumulative sum by a scan over rows")
def cumsum_by_scan():
    return lambda x: jnp.cumsum(x, 0), lambda x: lax.scan(lambda c, r: (c + r,) * 2, jnp.zeros_like(x[0]), x)[1], (f32(256, 512),)


@pair("a cumulative sum by a product with a triangle")
def cumsum_by_product():
    return lambda x: jnp.cumsum(x, 0), lambda x: jnp.tril(jnp.ones((256, 256))) @ x, (f32(256, 512),)


def spd(n):
    a = f32(n, n)
    return a @ a.T / n + np.eye(n, dtype=np.float32)


@pair("a Kalman filter's gain by an inverse, not by a solution")
def kalman_inverse():
    def filter(gain, f, q, zs):
        def step(state, z):
            x, p = state
            x, p = f @ x, f @ p @ f.T + q
            k = gain(p)
            return (x + k @ (z - x), p - k @ p), x
        return lax.scan(step, (jnp.zeros(16), jnp.eye(16)), zs)[1]
    def solved(p):
        return jax.scipy.linalg.cho_solve(jax.scipy.linalg.cho_factor(p + jnp.eye(16)), p).T
    def inverse(p):
        return p @ jnp.linalg.inv(p + jnp.eye(16))
    return functools.partial(filter, solved), functools.partial(filter, inverse), (np.eye(16, dtype=np.float32) * 0.9, spd(16), f32(50, 16))


@pair("a whole batch of sequences by vmap of the scan", )
def rnn_vmapped():
    def one(w, xs):
        return lax.scan(lambda h, x: (jnp.tanh(w @ h + x),) * 2, jnp.zeros(64), xs)[1]
    def batched(w, xs):
        return lax.scan(lambda h, x: (jnp.tanh(h @ w.T + x),) * 2, jnp.zeros((16, 64)), xs.transpose(1, 0, 2))[1].transpose(1, 0, 2)
    return jax.vmap(one, (None, 0)), batched, (weight(64, 64), f32(16, 64, 64))


@pair("the sequences of a batch one after the other")
def rnn_mapped():
    def one(w, xs):
        return lax.scan(lambda h, x: (jnp.tanh(w @ h + x),) * 2, jnp.zeros(64), xs)[1]
    return jax.vmap(one, (None, 0)), lambda w, xs: lax.map(functools.partial(one, w), xs), (weight(64, 64), f32(16, 64, 64))
