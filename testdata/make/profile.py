"""A training step with a loop, dumped and profiled: python profile.py DIR (JAX 0.10.2 on CPU)."""
import os
import sys

out = sys.argv[1]
os.environ["XLA_FLAGS"] = f"--xla_dump_to={out}/xla --xla_dump_hlo_as_text"
os.environ["JAX_PLATFORMS"] = "cpu"
import jax
import jax.numpy as jnp


def layer(p, x):
    return jax.nn.gelu(x @ p["w"] + p["b"])


def loss(p, x):
    def body(h, _):
        return layer(p, h), None

    h, _ = jax.lax.scan(body, x, None, length=4)
    return (jax.nn.log_softmax(h) ** 2).sum()


@jax.jit
def train_step(p, x):
    g = jax.grad(loss)(p, x)
    return jax.tree.map(lambda a, b: a - 0.1 * b, p, g)


p = {"w": jnp.ones((128, 128)) * 0.01, "b": jnp.zeros(128)}
x = jnp.ones((64, 128))
p = jax.block_until_ready(train_step(p, x))
with jax.profiler.trace(out + "/profile"):
    for _ in range(5):
        p = train_step(p, x)
    jax.block_until_ready(p)
