"""Training steps of a multilayer perceptron."""
import jax
import jax.numpy as jnp
import numpy as np

from .pair import below, f32, pair, weight


def params(*sizes):
    return [{"w": weight(a, b), "b": np.zeros(b, np.float32)} for a, b in zip(sizes, sizes[1:])]


def forward(params, x, act=jax.nn.relu):
    for layer in params[:-1]:
        x = act(x @ layer["w"] + layer["b"])
    return x @ params[-1]["w"] + params[-1]["b"]


def loss(params, x, y):
    logits = forward(params, x)
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), y[:, None], 1))


def sgd(params, x, y):
    value, grads = jax.value_and_grad(loss)(params, x, y)
    return jax.tree.map(lambda p, g: p - 0.01 * g, params, grads), value


SMALL = (params(64, 128, 128, 10), f32(64, 64), below(10, 64))
LARGE = (params(256, 1024, 1024, 10), f32(32, 256), below(10, 32))


@pair("nothing but names", carry=True)
def mlp_renamed():
    def update(weights, images, labels):
        cost, slopes = jax.value_and_grad(loss)(weights, images, labels)
        return jax.tree.map(lambda w, slope: w - 0.01 * slope, weights, slopes), cost
    return sgd, update, SMALL


@pair("the donation of the parameters lost", carry=True, donate=((0,), ()))
def mlp_donation_lost():
    return sgd, sgd, LARGE


@pair("gradients taken for each example by vmap and averaged")
def mlp_gradient_per_example():
    def per_example(params, x, y):
        grads = jax.vmap(lambda x, y: jax.grad(loss)(params, x[None], y[None]))(x, y)
        return jax.tree.map(lambda p, g: p - 0.01 * g.mean(0), params, grads)
    return lambda *args: sgd(*args)[0], per_example, SMALL


@pair("products in bfloat16")
def mlp_bfloat16():
    def narrow(params, x):
        return forward(jax.tree.map(lambda p: p.astype(jnp.bfloat16), params), x.astype(jnp.bfloat16))
    return forward, narrow, LARGE[:2]


@pair("the parameters closed over: baked into the program")
def mlp_baked():
    weights = jax.tree.map(jnp.asarray, params(64, 256, 256, 10))
    return lambda p, x: forward(p, x), lambda p, x: forward(weights, x), (weights, f32(32, 64))


@pair("a product of three matrices taken from the other side")
def mlp_low_rank_first():
    args = (f32(256, 512), weight(512, 16), weight(16, 512))
    return lambda x, a, b: x @ (a @ b), lambda x, a, b: (x @ a) @ b, args


@pair("exact gelu for the approximation by tanh")
def mlp_gelu_exact():
    args = (params(64, 512, 512, 10), f32(64, 64))
    return lambda p, x: forward(p, x, jax.nn.gelu), lambda p, x: forward(p, x, lambda h: jax.nn.gelu(h, approximate=False)), args


@pair("matmul precision highest, which a CPU always has")
def mlp_precision_highest():
    def highest(params, x):
        with jax.default_matmul_precision("highest"):
            return forward(params, x)
    return forward, highest, LARGE[:2]


@pair("the batch cut into eight whose gradients are added up in a scan")
def mlp_accumulated():
    def accumulated(params, x, y):
        def one(total, batch):
            return jax.tree.map(jnp.add, total, jax.grad(loss)(params, *batch)), None
        zero = jax.tree.map(jnp.zeros_like, params)
        grads, _ = jax.lax.scan(one, zero, (x.reshape(8, 8, 64), y.reshape(8, 8)))
        return jax.tree.map(lambda p, g: p - 0.01 / 8 * g, params, grads)
    return lambda *args: sgd(*args)[0], accumulated, SMALL


@pair("eight times the batch")
def mlp_batch():
    return sgd, sgd, SMALL, (SMALL[0], f32(512, 64), below(10, 512))


@pair("two layers more")
def mlp_deeper():
    return sgd, sgd, SMALL, (params(64, 128, 128, 128, 128, 10), *SMALL[1:])


@pair("the activations asked for as results")
def mlp_activations_returned():
    def returned(params, x):
        kept = []
        for layer in params[:-1]:
            x = jax.nn.relu(x @ layer["w"] + layer["b"])
            kept.append(x)
        return x @ params[-1]["w"] + params[-1]["b"], kept
    args = (params(64, 256, 256, 256, 256, 10), f32(256, 64))
    return forward, returned, args


@pair("weights in int8 and widened at each use")
def mlp_weights_int8():
    weights = params(256, 1024, 1024, 10)
    narrow = [{"w": (layer["w"] * 127).astype(np.int8), "b": layer["b"]} for layer in weights]
    def widened(params, x):
        return forward([{"w": p["w"].astype(jnp.float32) / 127, "b": p["b"]} for p in params], x)
    return forward, widened, (weights, f32(8, 256)), (narrow, f32(8, 256))
