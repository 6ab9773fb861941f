"""real.py DIR: compiles three training steps whose parts do not repeat, and leaves XLA's dump of each in a folder of DIR."""
import os
import pathlib
import subprocess
import sys

import jax
import jax.numpy as jnp


def unrolled_simulation():
    """60 steps of a recurrent controller that steers bodies under gravity, written out one after the other."""

    def step(params, state):
        position, velocity, hidden = state
        away = position[:, None] - position[None]
        distance = jnp.sqrt((away**2).sum(-1) + 0.1)
        gravity = -(away / distance[..., None] ** 3).sum(1)
        hidden = jnp.tanh(jnp.concatenate([position, velocity], -1) @ params["see"] + hidden @ params["keep"])
        velocity = velocity * 0.99 + 0.01 * (gravity + jnp.sin(hidden @ params["steer"]))
        return position + 0.01 * velocity, velocity, hidden

    def loss(params, state):
        total = 0.0
        for _ in range(60):
            state = step(params, state)
            total = total + jnp.linalg.norm(state[0])
        return total

    params = {"see": jnp.ones((6, 32)), "keep": jnp.ones((32, 32)), "steer": jnp.ones((32, 3))}
    return loss, (params, (jnp.ones((16, 3)), jnp.ones((16, 3)), jnp.zeros((16, 32))))


def distinct_widths():
    """A transformer of 24 layers, each with a width of its own in its perceptron."""

    def norm(x, scale):
        return scale * (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-5)

    def attend(x, p):
        q, k, v = jnp.split(norm(x, p["scale"]) @ p["qkv"], 3, -1)
        split = lambda a: a.reshape(*a.shape[:2], 4, -1)
        weight = jax.nn.softmax(jnp.einsum("bqhd,bkhd->bhqk", split(q), split(k)) / 4)
        return x + jnp.einsum("bhqk,bkhd->bqhd", weight, split(v)).reshape(x.shape) @ p["out"]

    def loss(params, x):
        for p in params:
            x = attend(x, p)
            x = x + jax.nn.gelu(norm(x, p["scale"]) @ p["up"]) @ p["down"]
        return (x**2).mean()

    layer = lambda n: {"scale": jnp.ones(64), "qkv": jnp.ones((64, 192)), "out": jnp.ones((64, 64)), "up": jnp.ones((64, n)), "down": jnp.ones((n, 64))}
    return loss, ([layer(128 + 8 * i) for i in range(24)], jnp.ones((4, 32, 64)))


def convolutions():
    """A network of 60 convolutions with residual connections, whose channels grow by two at each."""

    def loss(params, x):
        for i, (kernel, scale, skip) in enumerate(params):
            y = jax.lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
            y = jax.nn.relu(scale * (y - y.mean((0, 1, 2))) * jax.lax.rsqrt(y.var((0, 1, 2)) + 1e-5))
            x = y + x @ skip
            if i % 20 == 19:
                x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        return (x.mean((1, 2)) ** 2).sum()

    layer = lambda n: (jnp.ones((3, 3, n, n + 2)), jnp.ones(n + 2), jnp.ones((n, n + 2)))
    return loss, ([layer(8 + 2 * i) for i in range(60)], jnp.ones((2, 32, 32, 8)))


def adam_step(loss):
    """A training step with Adam, as models write it by hand."""

    def step(params, first, second, data):
        value, grads = jax.value_and_grad(loss)(params, data)
        first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, grads)
        second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g**2, second, grads)
        return jax.tree.map(lambda p, m, v: p - 1e-3 * m / (jnp.sqrt(v) + 1e-8), params, first, second), first, second, value

    return jax.jit(step, donate_argnums=(0, 1, 2))


MODELS = {f.__name__: f for f in (unrolled_simulation, distinct_widths, convolutions)}


def main():
    if len(sys.argv) == 3:
        loss, (params, data) = MODELS[sys.argv[2]]()
        zeros = jax.tree.map(jnp.zeros_like, params)
        adam_step(loss).lower(params, zeros, zeros, data).compile()
        return
    for name in MODELS:
        to = pathlib.Path(sys.argv[1]) / name
        flags = f"--xla_dump_to={to} --xla_dump_hlo_as_text --xla_dump_hlo_as_proto --xla_dump_hlo_module_re=jit_step"
        subprocess.run([sys.executable, __file__, sys.argv[1], name], check=True, env=os.environ | {"XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu"})


main()
