"""Programs over flowjax: densities, samples and training gradients of its flows and bijections."""
import importlib

import jax
import jax.numpy as jnp
import numpy as np

KEY, DIM = jax.random.key(0), 6
X = np.random.default_rng(0).standard_normal((64, DIM)).astype(np.float32)
CONDITION = np.random.default_rng(1).standard_normal((64, 3)).astype(np.float32)


def named(flowjax):
    import equinox as eqx

    part = lambda name: importlib.import_module("flowjax." + name)
    flows, bijections, distributions = part("flows"), part("bijections"), part("distributions")

    def split(make):
        """A model as arrays and a function of them."""
        arrays, static = eqx.partition(make(), eqx.is_inexact_array)
        return arrays, lambda a: eqx.combine(a, static)

    base = lambda: distributions.Normal(jnp.zeros(DIM))
    spline = lambda: bijections.RationalQuadraticSpline(knots=8, interval=4)
    made = {
        "coupling": lambda **o: flows.coupling_flow(KEY, base_dist=base(), flow_layers=4, **o), "coupling_spline": lambda **o: flows.coupling_flow(KEY, base_dist=base(), transformer=spline(), flow_layers=3, **o),
        "autoregressive": lambda **o: flows.masked_autoregressive_flow(KEY, base_dist=base(), flow_layers=4, **o), "autoregressive_spline": lambda **o: flows.masked_autoregressive_flow(KEY, base_dist=base(), transformer=spline(), flow_layers=3, **o),
        "block": lambda **o: flows.block_neural_autoregressive_flow(KEY, base_dist=base(), nn_block_dim=4, **o), "planar": lambda **o: flows.planar_flow(KEY, base_dist=base(), flow_layers=4, width_size=20, depth=1, **o),
        "triangular": lambda **o: flows.triangular_spline_flow(KEY, base_dist=base(), flow_layers=3, **o),
    }
    for name, make in made.items():
        for given, condition in (("", None), ("_given", CONDITION)):
            options = {} if condition is None else {"cond_dim": 3}
            def density(make=make, options=options, condition=condition):
                arrays, whole = split(lambda: make(**options))
                return (lambda a, x: whole(a).log_prob(x, condition)), (arrays, X)
            def gradient(make=make, options=options, condition=condition):
                arrays, whole = split(lambda: make(**options))
                return jax.value_and_grad(lambda a, x: -whole(a).log_prob(x, condition).mean()), (arrays, X)
            yield f"{name}{given}_density", density
            yield f"{name}{given}_gradient", gradient
        def sample(make=make):
            arrays, whole = split(lambda: make(invert=False))
            return (lambda a: whole(a).sample(KEY, (64,))), (arrays,)
        yield f"{name}_sample", sample
    one = {
        "spline": spline, "triangular_affine": lambda: bijections.TriangularAffine(jnp.zeros(DIM), jnp.eye(DIM) + 0.1), "permute": lambda: bijections.Permute(jnp.arange(DIM)[::-1]), "softplus": lambda: bijections.SoftPlus((DIM,)),
        "leaky_tanh": lambda: bijections.LeakyTanh(3, (DIM,)), "cosine": lambda: bijections.DiscreteCosine((DIM,)), "householder": lambda: bijections.Householder(jnp.ones(DIM)), "sigmoid": lambda: bijections.Sigmoid((DIM,)),
    }
    for name, make in one.items():
        def both(make=make, scalar=name == "spline"):
            arrays, whole = split(make)
            def f(a, x):
                transform = whole(a).transform_and_log_det
                return jax.vmap(jax.vmap(transform) if scalar else transform)(x)
            return f, (arrays, X)
        yield f"bijection_{name}", both
    law = {
        "normal": lambda: distributions.Normal(jnp.zeros(DIM), 2.0), "multivariate": lambda: distributions.MultivariateNormal(jnp.zeros(DIM), jnp.eye(DIM) + 0.1), "student": lambda: distributions.StudentT(3.0 * jnp.ones(DIM)),
        "gamma": lambda: distributions.Gamma(2 * jnp.ones(DIM), 1.0), "beta": lambda: distributions.Beta(2 * jnp.ones(DIM), 3.0), "laplace": lambda: distributions.Laplace(jnp.zeros(DIM)), "gumbel": lambda: distributions.Gumbel(jnp.zeros(DIM)),
    }
    for name, make in law.items():
        def density(make=make):
            arrays, whole = split(make)
            return (lambda a, x: whole(a).log_prob(jax.nn.sigmoid(x))), (arrays, X)
        def sample(make=make):
            arrays, whole = split(make)
            return (lambda a: whole(a).sample_and_log_prob(KEY, (64,))), (arrays,)
        yield f"law_{name}_density", density
        yield f"law_{name}_sample", sample
