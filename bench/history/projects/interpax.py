"""Programs over interpax: interpolation in one, two and three dimensions by every method, splines, Fourier interpolation, derivatives."""
import jax
import jax.numpy as jnp
import numpy as np


def f32(*shape):
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


X, Q = np.linspace(0, 1, 64, dtype=np.float32), np.random.default_rng(1).uniform(0, 1, 1000).astype(np.float32)
Y, Y2, Y3 = f32(64), f32(64, 64), f32(16, 16, 16)
X3, MANY = np.linspace(0, 1, 16, dtype=np.float32), f32(64, 8)
METHODS = ("nearest", "linear", "cubic", "cubic2", "cardinal", "catmull-rom", "monotonic", "monotonic-0", "akima")


def named(interpax):
    for m in METHODS:
        yield f"one_{m}", lambda m=m: ((lambda q, x, y: interpax.interp1d(q, x, y, method=m)), (Q, X, Y))
        yield f"one_many_{m}", lambda m=m: ((lambda q, x, y: interpax.interp1d(q, x, y, method=m)), (Q, X, MANY))
        yield f"one_slope_{m}", lambda m=m: ((lambda q, x, y: interpax.interp1d(q, x, y, method=m, derivative=1)), (Q, X, Y))
        yield f"one_periodic_{m}", lambda m=m: ((lambda q, x, y: interpax.interp1d(q, x, y, method=m, period=1.0)), (Q, X, Y))
        yield f"one_extrapolated_{m}", lambda m=m: ((lambda q, x, y: interpax.interp1d(q, x, y, method=m, extrap=True)), (Q * 1.2, X, Y))
        yield f"one_gradient_{m}", lambda m=m: (jax.grad(lambda q, x, y: jnp.sum(interpax.interp1d(q, x, y, method=m)), argnums=(0, 2)), (Q, X, Y))
        yield f"two_{m}", lambda m=m: ((lambda p, q, x, y, f: interpax.interp2d(p, q, x, y, f, method=m)), (Q, Q[::-1].copy(), X, X, Y2))
        yield f"two_gradient_{m}", lambda m=m: (jax.grad(lambda p, q, x, y, f: jnp.sum(interpax.interp2d(p, q, x, y, f, method=m)), argnums=(0, 1)), (Q, Q[::-1].copy(), X, X, Y2))
        yield f"three_{m}", lambda m=m: ((lambda p, q, r, x, f: interpax.interp3d(p, q, r, x, x, x, f, method=m)), (Q, Q[::-1].copy(), Q, X3, Y3))
        yield f"object_{m}", lambda m=m: ((lambda q, x, y: interpax.Interpolator1D(x, y, method=m)(q)), (Q, X, Y))
        yield f"object_two_{m}", lambda m=m: ((lambda p, q, x, f: interpax.Interpolator2D(x, x, f, method=m)(p, q)), (Q, Q[::-1].copy(), X, Y2))
        yield f"derivative_{m}", lambda m=m: ((lambda x, y: interpax.approx_df(x, y, method=m)), (X, Y))
        yield f"derivative_many_{m}", lambda m=m: ((lambda x, y: interpax.approx_df(x, y, method=m, axis=0)), (X, MANY))
    for spline in ("Akima1DInterpolator", "CubicSpline", "PchipInterpolator"):
        yield f"{spline}_value", lambda s=spline: ((lambda x, y, q: getattr(interpax, s)(x, y, check=False)(q)), (X, Y, Q))
        yield f"{spline}_slope", lambda s=spline: ((lambda x, y, q: getattr(interpax, s)(x, y, check=False).derivative()(q)), (X, Y, Q))
        yield f"{spline}_integral", lambda s=spline: ((lambda x, y: getattr(interpax, s)(x, y, check=False).integrate(0.1, 0.9)), (X, Y))
        yield f"{spline}_gradient", lambda s=spline: (jax.grad(lambda x, y, q: jnp.sum(getattr(interpax, s)(x, y, check=False)(q)), argnums=1), (X, Y, Q))
    yield "hermite", lambda: ((lambda x, y, d, q: interpax.CubicHermiteSpline(x, y, d, check=False)(q)), (X, Y, f32(64), Q))
    yield "fourier", lambda: ((lambda y: interpax.fft_interp1d(y, 200)), (MANY,))
    yield "fourier_shifted", lambda: ((lambda y: interpax.fft_interp1d(y, 200, sx=jnp.array([0.0, 0.1]), dx=0.1)), (MANY,))
    yield "fourier_two", lambda: ((lambda y: interpax.fft_interp2d(y, 100, 100)), (Y2,))
    yield "fourier_less", lambda: ((lambda y: interpax.fft_interp1d(y, 30)), (MANY,))
