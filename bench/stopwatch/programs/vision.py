"""Convolutional networks and diffusion."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from .pair import f32, pair


def conv(x, w, layout="NHWC", stride=1, groups=1):
    kernel = {"NHWC": "HWIO", "NCHW": "OIHW"}[layout]
    return lax.conv_general_dilated(x, w, (stride, stride), "SAME", dimension_numbers=(layout, kernel, layout), feature_group_count=groups)


def kernel(a, b, size=3):
    return f32(size, size, a, b, scale=(size * size * a) ** -0.5)


def conv_of(w, x):
    return conv(x, w)


IMAGES, KERNELS = f32(4, 32, 32, 3), [kernel(3, 16), kernel(16, 32), kernel(32, 32)]


def network(ws, x):
    for w in ws:
        x = jax.nn.relu(conv(x, w))
    return x.mean((1, 2))


@pair("channels before height and width")
def cnn_channels_first():
    def first(ws, x):
        for w in ws:
            x = jax.nn.relu(conv(x, w, "NCHW"))
        return x.mean((2, 3))
    return network, first, (KERNELS, IMAGES), ([w.transpose(3, 2, 0, 1) for w in KERNELS], IMAGES.transpose(0, 3, 1, 2))


@pair("a full convolution became a depthwise one and a pointwise one")
def cnn_separable():
    def separable(w, x):
        depth, point = w
        return conv(conv(x, depth, groups=32), point)
    return conv_of, separable, (kernel(32, 32), f32(2, 32, 32, 32)), ((f32(3, 3, 1, 32), kernel(32, 32, 1)), f32(2, 32, 32, 32))


@pair("batch norm at inference folded into the kernels")
def cnn_norm_folded():
    def norm(ws, scales, x):
        for w, (mean, var, gain, bias) in zip(ws, scales):
            x = jax.nn.relu((conv(x, w) - mean) * lax.rsqrt(var + 1e-5) * gain + bias)
        return x
    def folded(ws, scales, x):
        for w, (mean, var, gain, bias) in zip(ws, scales):
            scale = lax.rsqrt(var + 1e-5) * gain
            x = jax.nn.relu(conv(x, w * scale) + (bias - mean * scale))
        return x
    scales = [tuple(np.abs(f32(w.shape[-1])) for _ in range(4)) for w in KERNELS]
    return norm, folded, (KERNELS, scales, IMAGES)


@pair("batch norm by the batch's own statistics")
def cnn_norm_of_batch():
    def norm(ws, x):
        for w in ws:
            x = conv(x, w)
            x = jax.nn.relu((x - x.mean((0, 1, 2))) * lax.rsqrt(x.var((0, 1, 2)) + 1e-5))
        return x.mean((1, 2))
    return network, norm, (KERNELS, IMAGES)


@pair("gradients as well")
def cnn_gradients():
    return network, jax.grad(lambda ws, x: (network(ws, x) ** 2).sum()), (KERNELS, IMAGES)


@pair("the gradients of a convolutional net gathered in a loop over microbatches, not at once")
def cnn_microbatches():
    def loss(ws, x):
        return (network(ws, x) ** 2).sum()
    def gathered(ws, x):
        def add(total, part):
            return jax.tree.map(jnp.add, total, jax.grad(loss)(ws, part)), None
        return lax.scan(add, jax.tree.map(jnp.zeros_like, ws), x.reshape(4, 1, 32, 32, 3))[0]
    return jax.grad(loss), gathered, (KERNELS, IMAGES)


@pair("channels before height and width in a loop of convolutions")
def cnn_channels_first_in_loop():
    def last(w, x):
        return lax.fori_loop(0, 8, lambda i, x: jnp.tanh(conv(x, w)), x)
    def first(w, x):
        return lax.fori_loop(0, 8, lambda i, x: jnp.tanh(conv(x, w, "NCHW")), x)
    return last, first, (kernel(16, 16), f32(2, 24, 24, 16)), (kernel(16, 16).transpose(3, 2, 0, 1), f32(2, 16, 24, 24))


@pair("nine channels of a volume, not eight")
def volume_channels():
    def over(w, x):
        return lax.conv_general_dilated(x, w, (1, 1, 1), "SAME", dimension_numbers=("NDHWC", "DHWIO", "NDHWC"))
    return over, over, (f32(3, 3, 3, 8, 8), f32(1, 16, 16, 16, 8)), (f32(3, 3, 3, 9, 8), f32(1, 16, 16, 16, 9))


@pair("convolutions in bfloat16")
def cnn_bfloat16():
    def narrow(ws, x):
        return network([w.astype(jnp.bfloat16) for w in ws], x.astype(jnp.bfloat16))
    return network, narrow, (KERNELS, IMAGES)


@pair("max pooling and a convolution for a convolution with stride 2")
def cnn_pool_for_stride():
    args = (kernel(32, 64), f32(4, 32, 32, 32))
    def pooled(w, x):
        return lax.reduce_window(conv(x, w), -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return lambda w, x: conv(x, w, stride=2), pooled, args


@pair("a 5x5 kernel became two of 3x3")
def cnn_two_small_kernels():
    def two(ws, x):
        return conv(conv(x, ws[0]), ws[1])
    return lambda ws, x: conv(x, ws[0]), two, ((kernel(32, 32, 5),), f32(2, 32, 32, 32)), ((kernel(32, 32), kernel(32, 32)), f32(2, 32, 32, 32))


@pair("upsampling by a transposed convolution, not by repetition and a convolution")
def unet_transposed():
    args = (kernel(32, 32), f32(2, 16, 16, 32))
    def repeated(w, x):
        return conv(x.repeat(2, 1).repeat(2, 2), w)
    def transposed(w, x):
        return lax.conv_transpose(x, w, (2, 2), "SAME")
    return repeated, transposed, args


def denoise(w, x):
    return x - 0.1 * conv(jax.nn.relu(conv(x, w[0])), w[1])


DENOISER = ((kernel(3, 16), kernel(16, 3)), f32(2, 16, 16, 3), jax.random.key_data(jax.random.key(0)))


@pair("the noise of all steps of the diffusion made before the loop")
def diffusion_noise_before():
    def inside(w, x, key):
        keys = jax.random.split(jax.random.wrap_key_data(key), 32)
        return lax.fori_loop(0, 32, lambda i, x: denoise(w, x) + 0.1 * jax.random.normal(keys[i], x.shape), x)
    def before(w, x, key):
        noise = jax.random.normal(jax.random.wrap_key_data(key), (32, *x.shape))
        return lax.fori_loop(0, 32, lambda i, x: denoise(w, x) + 0.1 * noise[i], x)
    return inside, before, DENOISER


@pair("every step of the diffusion kept")
def diffusion_trajectory():
    def last(w, x, key):
        return lax.fori_loop(0, 32, lambda i, x: denoise(w, x), x)
    def kept(w, x, key):
        return lax.scan(lambda x, _: (denoise(w, x),) * 2, x, None, length=32)
    return last, kept, DENOISER


@pair("twice the steps of the diffusion")
def diffusion_twice():
    def steps(n, w, x, key):
        return lax.fori_loop(0, n, lambda i, x: denoise(w, x), x)
    return functools.partial(steps, 16), functools.partial(steps, 32), DENOISER


@pair("bilinear resizing for the nearest pixel")
def resize_bilinear():
    def resized(method, x):
        return jax.image.resize(x, (4, 64, 64, 16), method)
    return functools.partial(resized, "nearest"), functools.partial(resized, "linear"), (f32(4, 32, 32, 16),)


@pair("augmentation by a gather of pixels for flips")
def augment_gather():
    def flip(x, at):
        return jnp.where((at % 2 == 0)[:, None, None, None], x[:, :, ::-1], x)
    def gather(x, at):
        rows = (jnp.arange(32)[None] + at[:, None]) % 32
        return jax.vmap(lambda image, r: image[r][:, r])(x, rows)
    return flip, gather, (f32(32, 32, 32, 3), np.arange(32, dtype=np.int32))
