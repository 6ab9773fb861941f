"""Programs over quadax: adaptive, fixed and sampled quadrature, and gradients in the integrand's parameters."""
import jax
import jax.numpy as jnp
import numpy as np

X, Y = np.linspace(0, 1, 101, dtype=np.float32), np.random.default_rng(0).standard_normal((8, 101)).astype(np.float32)
T = np.float32(1.3)
INTEGRANDS = {
    "smooth": (lambda x, t: jnp.exp(-t * x) * jnp.cos(3 * x), (0.0, 1.0)), "peak": (lambda x, t: 1 / (1e-2 + (x - 0.3) ** 2 * t), (0.0, 1.0)), "singular": (lambda x, t: jnp.log(x + 1e-7) * t, (0.0, 1.0)),
    "infinite": (lambda x, t: jnp.exp(-t * x**2), (0.0, jnp.inf)), "vector": (lambda x, t: jnp.sin(jnp.arange(1.0, 9.0) * x * t), (0.0, 1.0)),
}


def named(quadax):
    first = lambda r: r[0] if isinstance(r, tuple) else r
    for kind, (f, interval) in INTEGRANDS.items():
        methods = {
            "gk": lambda t, f=f, i=interval: first(quadax.quadgk(f, jnp.array(i), args=(t,), epsabs=1e-5, epsrel=1e-5)), "cc": lambda t, f=f, i=interval: first(quadax.quadcc(f, jnp.array(i), args=(t,), epsabs=1e-5, epsrel=1e-5)),
            "ts": lambda t, f=f, i=interval: first(quadax.quadts(f, jnp.array(i), args=(t,), epsabs=1e-5, epsrel=1e-5)), "romberg": lambda t, f=f, i=interval: first(quadax.romberg(f, jnp.array(i), args=(t,), epsabs=1e-5, epsrel=1e-5)),
            "rombergts": lambda t, f=f, i=interval: first(quadax.rombergts(f, jnp.array(i), args=(t,), epsabs=1e-5, epsrel=1e-5)), "gk_points": lambda t, f=f, i=interval: first(quadax.quadgk(f, jnp.array((i[0], 0.3, i[1])), args=(t,))),
            "gk_low": lambda t, f=f, i=interval: first(quadax.quadgk(f, jnp.array(i), args=(t,), order=15)), "fixed_gk": lambda t, f=f, i=interval: first(quadax.fixed_quadgk(f, *i, args=(t,))), "fixed_cc": lambda t, f=f, i=interval: first(quadax.fixed_quadcc(f, *i, args=(t,))),
            "fixed_ts": lambda t, f=f, i=interval: first(quadax.fixed_quadts(f, *i, args=(t,))), "rule_gk": lambda t, f=f, i=interval: first(quadax.GaussKronrodRule(21).integrate(f, *i, (t,))), "rule_cc": lambda t, f=f, i=interval: first(quadax.ClenshawCurtisRule(32).integrate(f, *i, (t,))),
            "rule_ts": lambda t, f=f, i=interval: first(quadax.TanhSinhRule(41).integrate(f, *i, (t,))),
        }
        for name, method in methods.items():
            yield f"{kind}_{name}", lambda m=method: (m, (T,))
            yield f"{kind}_{name}_forward", lambda m=method: (jax.jacfwd(m), (T,))
            yield f"{kind}_{name}_batch", lambda m=method: (jax.vmap(m), (np.linspace(0.5, 2, 8, dtype=np.float32),))
    for name in ("trapezoid", "cumulative_trapezoid", "simpson", "cumulative_simpson"):
        yield f"{name}_rows", lambda name=name: ((lambda y, x: getattr(quadax, name)(y, x=x, axis=-1)), (Y, X))
        yield f"{name}_columns", lambda name=name: ((lambda y, x: getattr(quadax, name)(y, x=x, axis=0)), (Y.T.copy(), X))
        yield f"{name}_even", lambda name=name: ((lambda y: getattr(quadax, name)(y, dx=0.01)), (Y,))
        yield f"{name}_gradient", lambda name=name: (jax.grad(lambda y, x: jnp.sum(getattr(quadax, name)(y, x=x))), (Y, X))
