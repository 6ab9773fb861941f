"""One function, compiled again and again for one reason each, and its cured twin: recompile.py CASE."""

import sys

import jax
import jax.numpy as jnp
import numpy as np

params = {"w": np.ones((128, 64), np.float32), "b": np.ones(64, np.float32)}


def predict(params, x):
    return jnp.tanh(x @ params["w"] + params["b"])


def batch(rows):
    return np.ones((rows, 128), np.float32)


def shapes():
    f = jax.jit(predict)
    for rows in (8, 16, 32, 8, 16):
        f(params, batch(rows))


def shapes_fixed():
    f = jax.jit(predict)
    for rows in (8, 16, 32, 8, 16):
        f(params, np.pad(batch(rows), ((0, 32 - rows), (0, 0))))


def eager_helpers():
    """Three operations outside the jitted function: each is a program of its own."""
    x = jnp.sin(jnp.zeros((8, 128)) + 1)
    jax.jit(predict)(params, x)


def score(params, x):
    return jax.nn.softmax(predict(params, x), -1).max(-1)


def scored():
    jax.jit(predict)(params, batch(8))
    jax.jit(score)(params, batch(8))


def scored_eagerly():
    """A function is no longer jitted: its operations are programs of their own."""
    jax.jit(predict)(params, batch(8))
    score(params, batch(8))


def eager_ufuncs():
    """Functions of jax.numpy, jax.random and jax.scipy outside of any jit that JAX 0.12 compiles under names of its own."""
    x = jnp.linspace(0.1, 0.9, 8)
    jax.scipy.special.erfcinv(x)
    jax.random.ball(jax.random.key(0), 3)
    jnp.add.accumulate(x)
    jnp.add.reduceat(x, jnp.array([0, 3]))
    jnp.add.at(x, jnp.array([0]), 1.0, inplace=False)
    jax.jit(predict)(params, batch(8))


def closure_scalar():
    for rate in (0.1, 0.01, 0.001):

        def step(x):
            return x - rate * x

        jax.jit(step)(batch(8))


def closure_scalar_fixed():
    @jax.jit
    def step(x, rate):
        return x - rate * x

    for rate in (0.1, 0.01, 0.001):
        step(batch(8), rate)


def power(x, n):
    return x**n


def static_args():
    f = jax.jit(power, static_argnums=1)
    for n in (2, 3, 4, 5):
        f(batch(8), n)


def static_args_fixed():
    f = jax.jit(power)
    for n in (2, 3, 4, 5):
        f(batch(8), np.int32(n))


def jit_in_loop():
    for _ in range(4):
        jax.jit(lambda params, x: predict(params, x))(params, batch(8))


def jit_in_loop_fixed():
    f = jax.jit(lambda params, x: predict(params, x))
    for _ in range(4):
        f(params, batch(8))


def dtypes():
    f = jax.jit(predict)
    for dtype in (np.float32, np.float16):
        f(params, batch(8).astype(dtype))


globals()[sys.argv[1]]()
