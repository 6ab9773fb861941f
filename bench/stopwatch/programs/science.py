"""Physics, transforms, random numbers."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from .pair import below, f32, f64, pair


def neighbours(u):
    return sum(jnp.roll(u, s, a) for s in (1, -1) for a in (0, 1))


def heat(laplacian, u):
    return lax.fori_loop(0, 20, lambda i, u: u + 0.1 * laplacian(u), u)


GRID = (f32(128, 128),)


@pair("the stencil by a convolution, not by shifted copies")
def heat_by_convolution():
    stencil = np.array([[0, 1, 0], [1, -4, 1], [0, 1, 0]], np.float32)[None, None]
    def convolution(u):
        return lax.conv_general_dilated(jnp.pad(u, 1, mode="wrap")[None, None], stencil, (1, 1), "VALID")[0, 0]
    return functools.partial(heat, lambda u: neighbours(u) - 4 * u), functools.partial(heat, convolution), GRID


@pair("the stencil by slices of the padded grid")
def heat_by_slices():
    def slices(u):
        p = jnp.pad(u, 1, mode="wrap")
        return p[2:, 1:-1] + p[:-2, 1:-1] + p[1:-1, 2:] + p[1:-1, :-2] - 4 * u
    return functools.partial(heat, lambda u: neighbours(u) - 4 * u), functools.partial(heat, slices), GRID


@pair("the grid in float64", x64=True)
def heat_float64():
    run = functools.partial(heat, lambda u: neighbours(u) - 4 * u)
    return run, run, GRID, (f64(128, 128),)


BODIES = (f32(512, 3), np.abs(f32(512)))


def pull(x, others, mass):
    d = others - x
    return (d * (mass / ((d * d).sum(1) + 1e-2) ** 1.5)[:, None]).sum(0)


@pair("forces of each body in a loop, not all pairs at once")
def bodies_in_loop():
    return lambda x, m: jax.vmap(lambda a: pull(a, x, m))(x), lambda x, m: lax.map(lambda a: pull(a, x, m), x), BODIES


@pair("forces through rsqrt, not a power of 1.5")
def bodies_rsqrt():
    def fast(x, m):
        d = x[None] - x[:, None]
        r = lax.rsqrt((d * d).sum(-1) + 1e-2)
        return (d * (m * r * r * r)[..., None]).sum(1)
    return lambda x, m: jax.vmap(lambda a: pull(a, x, m))(x), fast, BODIES


@pair("Runge and Kutta's four stages for Euler's one")
def ode_runge_kutta():
    def field(w, x):
        return jnp.tanh(x @ w)
    def euler(w, x):
        return lax.fori_loop(0, 50, lambda i, x: x + 0.01 * field(w, x), x)
    def stages(w, x):
        def step(i, x):
            a = field(w, x)
            b = field(w, x + 0.005 * a)
            c = field(w, x + 0.005 * b)
            d = field(w, x + 0.01 * c)
            return x + 0.01 / 6 * (a + 2 * b + 2 * c + d)
        return lax.fori_loop(0, 50, step, x)
    return euler, stages, (f32(64, 64, scale=0.1), f32(32, 64))


def spd(n):
    a = f32(n, n)
    return a @ a.T / n + 2 * np.eye(n, dtype=np.float32)


@pair("conjugate gradients for a fixed count of 60 steps, of 20 before")
def gradients_more_steps():
    def solve(count, a, b):
        def step(i, state):
            x, r, p, rr = state
            ap = a @ p
            alpha = rr / (p @ ap)
            x, r = x + alpha * p, r - alpha * ap
            new = r @ r
            return x, r, r + new / rr * p, new
        return lax.fori_loop(0, count, step, (jnp.zeros_like(b), b, b, b @ b))[0]
    return functools.partial(solve, 20), functools.partial(solve, 60), (spd(256), f32(256))


@pair("a linear system by its inverse, not by Cholesky")
def solve_by_inverse():
    def cholesky(a, b):
        return jax.scipy.linalg.cho_solve(jax.scipy.linalg.cho_factor(a), b)
    return cholesky, lambda a, b: jnp.linalg.inv(a) @ b, (spd(128), f32(128, 4))


@pair("Poisson's equation by 200 sweeps, not by FFT")
def poisson_by_sweeps():
    def spectral(f):
        k = 2 * jnp.cos(2 * jnp.pi * jnp.arange(128) / 128)
        scale = k[:, None] + k[None] - 4
        return jnp.fft.ifft2(jnp.fft.fft2(f) / jnp.where(scale == 0, 1, scale)).real
    def sweeps(f):
        return lax.fori_loop(0, 200, lambda i, u: (neighbours(u) - f) / 4, jnp.zeros_like(f))
    return spectral, sweeps, GRID


@pair("FFT of complex numbers where rfft would do")
def fft_complex():
    args = (f32(64, 4096),)
    return lambda x: jnp.abs(jnp.fft.rfft(x)), lambda x: jnp.abs(jnp.fft.fft(x)), args


@pair("a long convolution by FFT, not directly")
def convolution_by_fft():
    def direct(x, w):
        return lax.conv_general_dilated(x[None, None], w[None, None], (1,), "SAME")[0, 0]
    def transform(x, w):
        return jnp.fft.irfft(jnp.fft.rfft(x, 8192) * jnp.fft.rfft(w, 8192))[: x.size]
    return direct, transform, (f32(4096), f32(1024))


@pair("a length that FFT has no factors for")
def fft_prime():
    return jnp.fft.fft, jnp.fft.fft, (f32(32, 4096).astype(np.complex64),), (f32(32, 4099).astype(np.complex64),)


KEY = np.array([1, 2], np.uint32)
KEY4 = np.array([1, 2, 3, 4], np.uint32)


def dropout(kind, key, x):
    return jnp.where(jax.random.bernoulli(jax.random.wrap_key_data(key, impl=kind), 0.9, x.shape), x / 0.9, 0)


@pair("dropout's keys by rbg, not threefry")
def dropout_rbg():
    return functools.partial(dropout, "threefry2x32"), functools.partial(dropout, "rbg"), (KEY, f32(512, 512)), (KEY4, f32(512, 512))


@pair("dropout by eight random bits, not by a float")
def dropout_bytes():
    def bits(key, x):
        keep = jax.random.bits(jax.random.wrap_key_data(key), x.shape, jnp.uint8) < 230
        return jnp.where(keep, x / 0.9, 0)
    return functools.partial(dropout, "threefry2x32"), bits, (KEY, f32(512, 512))


@pair("the mask of dropout drawn again for the gradient")
def dropout_drawn_twice():
    def once(key, x):
        return jax.grad(lambda x: (dropout("threefry2x32", key, x) ** 2).sum())(x)
    def twice(key, x):
        return dropout("threefry2x32", key + jnp.uint32(1), once(key, x))
    return once, twice, (KEY, f32(256, 512))


@pair("normal numbers by sine and cosine, not by the inverse of erf")
def normal_box_muller():
    def inverse(key):
        return jax.random.normal(jax.random.wrap_key_data(key), (1 << 16,))
    def box_muller(key):
        u, v = jax.random.uniform(jax.random.wrap_key_data(key), (2, 1 << 15), minval=1e-6)
        r = jnp.sqrt(-2 * jnp.log(u))
        return jnp.concatenate([r * jnp.cos(2 * jnp.pi * v), r * jnp.sin(2 * jnp.pi * v)])
    return inverse, box_muller, (KEY,)


@pair("a shuffle of all rows, not a turn by a random amount")
def shuffle():
    def turned(key, x):
        return jnp.roll(x, jax.random.randint(jax.random.wrap_key_data(key), (), 0, 1024), 0)
    def shuffled(key, x):
        return jax.random.permutation(jax.random.wrap_key_data(key), x)
    return turned, shuffled, (KEY, f32(1024, 32))


@pair("categories drawn by Gumbel noise, not by a cumulative sum")
def categories_by_gumbel():
    def cumulative(key, logits):
        u = jax.random.uniform(jax.random.wrap_key_data(key), (256, 1))
        return (jnp.cumsum(jax.nn.softmax(logits), 1) < u).sum(1)
    def gumbel(key, logits):
        return jax.random.categorical(jax.random.wrap_key_data(key), logits)
    return cumulative, gumbel, (KEY, f32(256, 512))


@pair("distances of all pairs by differences, not by a product")
def distances_by_differences():
    def product(x, y):
        return (x * x).sum(1)[:, None] + (y * y).sum(1)[None] - 2 * x @ y.T
    def differences(x, y):
        return ((x[:, None] - y[None]) ** 2).sum(-1)
    return product, differences, (f32(256, 64), f32(256, 64))


@pair("1,024 columns that a mask turns into rows, not 1,000")
def masked_columns():
    def masked(x, mask):
        return jnp.where(mask > 0, x, 0).T
    return masked, masked, (f32(1000, 1000), f32(1000, 1000, scale=2)), (f32(1024, 1024), f32(1024, 1024, scale=2))


@pair("the nearest of 32 centers, not of 16")
def nearest_of_more():
    def nearest(distances):
        return distances.argmin(1)
    return nearest, nearest, (f32(4000, 16),), (f32(4000, 32),)


@pair("a remainder by floor, not by the operation")
def remainder_by_floor():
    return lambda x: jnp.sin(x % 0.7), lambda x: jnp.sin(x - 0.7 * jnp.floor(x / 0.7)), (f32(1 << 15),)


@pair("a table of sines looked up, not computed")
def sine_looked_up():
    table = jnp.asarray(np.sin(np.linspace(0, 2 * np.pi, 1024)), jnp.float32)
    return jnp.sin, lambda x: table[(jnp.abs(x) * 100).astype(jnp.int32) % 1024], (f32(1 << 16),)


@pair("a quantized product in int8")
def quantized_product():
    def wide(x, w):
        return x @ w
    def narrow(x, w):
        scale = jnp.abs(x).max() / 127
        y = lax.dot((x / scale).astype(jnp.int8), w, preferred_element_type=jnp.int32)
        return y.astype(jnp.float32) * scale
    w = f32(256, 256)
    return wide, narrow, (f32(128, 256), w), (f32(128, 256), (w * 30).astype(np.int8))


@pair("a singular value decomposition for an eigendecomposition")
def svd_for_eigh():
    return jnp.linalg.eigvalsh, lambda a: jnp.linalg.svd(a, compute_uv=False), (spd(64),)


@pair("integers divided by a constant, not by an argument")
def division_by_constant():
    return lambda x, d: (x // d) * 3 + x % d, lambda x, d: (x // 7) * 3 + x % 7, (below(1 << 20, 1 << 16), np.int32(7))
