"""A step whose key in JAX's cache is another one in every process (keys.py unstable), and one whose key stays (keys.py stable): both compute the same."""

import sys

import jax
import jax.numpy as jnp

unstable = sys.argv[1] == "unstable"


class Head:
    pass


@jax.jit
def step(x):
    head = Head()

    def project(y):
        return jnp.tanh(y) @ y

    if unstable:
        project.__name__ = f"project_{id(head):x}"
    with jax.named_scope(repr(head)):  # where an operation comes from is not in the key
        y = jax.jit(project)(x)
    return {repr(head) if unstable else "head": y}


step(jnp.ones((8, 8)))
