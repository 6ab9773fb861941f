"""A small transformer language model, trained on counting: plain JAX, SGD with momentum."""

import argparse

import jax
import jax.numpy as jnp
import numpy as np

BATCH, LENGTH, VOCABULARY = 8, 32, 64
LAYERS, WIDTH, HEADS = 2, 64, 4
LEARNING_RATE, MOMENTUM = 0.05, 0.9


def initial_params(rng):
    def normal(*shape):
        return (rng.standard_normal(shape) / np.sqrt(shape[-2])).astype(np.float32)

    layers = {
        "qkv": normal(LAYERS, WIDTH, 3 * WIDTH),
        "out": normal(LAYERS, WIDTH, WIDTH),
        "up": normal(LAYERS, WIDTH, 4 * WIDTH),
        "down": normal(LAYERS, 4 * WIDTH, WIDTH),
    }
    return {"embed": normal(VOCABULARY, WIDTH), "position": 0.1 * normal(LENGTH, WIDTH), "layers": layers}


def normalize(x):
    centered = x - x.mean(-1, keepdims=True)
    return centered * jax.lax.rsqrt((centered**2).mean(-1, keepdims=True) + 1e-5)


def attention(layer, x):
    q, k, v = (t.reshape(*t.shape[:2], HEADS, -1) for t in jnp.split(x @ layer["qkv"], 3, axis=-1))
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(WIDTH // HEADS).astype(np.float32)
    causal = jnp.tril(jnp.ones(scores.shape[-2:], bool))
    weights = jax.nn.softmax(jnp.where(causal, scores, -1e9))
    return jnp.einsum("bhqk,bkhd->bqhd", weights, v).reshape(x.shape) @ layer["out"]


def mlp(layer, x):
    return jax.nn.gelu(x @ layer["up"]) @ layer["down"]


def block(x, layer):
    with jax.named_scope("attention"):
        x = x + attention(layer, normalize(x))
    with jax.named_scope("mlp"):
        x = x + mlp(layer, normalize(x))
    return x, None


def loss_fn(params, tokens):
    x = params["embed"][tokens] + params["position"]
    x, _ = jax.lax.scan(block, x, params["layers"])
    logits = normalize(x) @ params["embed"].T
    likelihood = jax.nn.log_softmax(logits[:, :-1])
    return -jnp.take_along_axis(likelihood, tokens[:, 1:, None], axis=-1).mean()


def train_step(params, velocity, tokens):
    loss, grads = jax.value_and_grad(loss_fn)(params, tokens)
    velocity = jax.tree.map(lambda v, g: MOMENTUM * v - LEARNING_RATE * g, velocity, grads)
    return jax.tree.map(jnp.add, params, velocity), velocity, loss


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=2)
    steps = parser.parse_args().steps

    rng = np.random.default_rng(0)
    params = jax.device_put(initial_params(rng))
    velocity = jax.device_put(jax.tree.map(np.zeros_like, params))
    step = jax.jit(train_step, donate_argnums=(0, 1))
    for i in range(steps):
        start = rng.integers(VOCABULARY, size=(BATCH, 1))
        tokens = ((start + np.arange(LENGTH)) % VOCABULARY).astype(np.int32)
        params, velocity, loss = step(params, velocity, tokens)
        print(f"step {i}: loss {loss:.4f}")


if __name__ == "__main__":
    main()
