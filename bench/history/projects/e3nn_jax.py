"""Programs over e3nn_jax's spherical harmonics, products and representations, most with gradients."""
import jax
import jax.numpy as jnp
import numpy as np


def f32(*shape, scale=1.0):
    return (np.random.default_rng(sum(shape)).standard_normal(shape) * scale).astype(np.float32)


VECTORS, SCALARS = f32(256, 3), f32(256, 8)
FEATURES, OTHERS = f32(128, 8 + 8 * 3 + 4 * 5), f32(128, 1 + 3 + 5)
IRREPS, SMALL = "8x0e + 8x1o + 4x2e", "0e + 1o + 2e"


def gradient(f):
    return jax.value_and_grad(lambda *args: jnp.sum(jnp.asarray(f(*args)) ** 2))


def named(e3nn):
    def features(x, irreps=IRREPS):
        return e3nn.IrrepsArray(irreps, x)
    for degree in (1, 3, 6):
        yield f"spherical_harmonics_{degree}", lambda degree=degree: (lambda v: e3nn.spherical_harmonics(list(range(degree + 1)), features(v, "1o"), True).array, (VECTORS,))
    yield "spherical_harmonics_gradient", lambda: (gradient(lambda v: e3nn.spherical_harmonics([0, 1, 2, 3], features(v, "1o"), True).array), (VECTORS,))
    yield "tensor_product", lambda: (lambda x, y: e3nn.tensor_product(features(x), features(y, SMALL)).array, (FEATURES, OTHERS))
    yield "tensor_product_gradient", lambda: (gradient(lambda x, y: e3nn.tensor_product(features(x), features(y, SMALL), filter_ir_out="0e + 1o").array), (FEATURES, OTHERS))
    yield "elementwise_product", lambda: (lambda x, y: e3nn.elementwise_tensor_product(features(x), features(y)).array, (FEATURES, FEATURES[::-1].copy()))
    yield "tensor_square", lambda: (gradient(lambda x: e3nn.tensor_square(features(x, SMALL)).array), (OTHERS,))
    yield "gate", lambda: (gradient(lambda x: e3nn.gate(features(x, "8x0e + 12x0e + 8x1o + 4x2e")).array), (f32(128, 20 + 24 + 20),))
    yield "norm", lambda: (gradient(lambda x: e3nn.norm(features(x)).array), (FEATURES,))
    yield "norm_activation", lambda: (gradient(lambda x: e3nn.norm_activation(features(x), [jax.nn.gelu, jax.nn.gelu, None]).array), (FEATURES,))
    yield "scalar_activation", lambda: (gradient(lambda x: e3nn.scalar_activation(features(x, "44x0e + 8x0o"), [jax.nn.gelu, jnp.tanh]).array), (FEATURES,))
    yield "linear", lambda: (gradient(lambda x, *w: linear(e3nn, features(x), w)), (FEATURES, f32(8, 16), f32(8, 16), f32(4, 8)))
    for name in ("bessel", "sus", "soft_envelope", "poly_envelope"):
        yield name, lambda name=name: (lambda x: {"bessel": lambda: e3nn.bessel(x, 8), "sus": lambda: e3nn.sus(x), "soft_envelope": lambda: e3nn.soft_envelope(x), "poly_envelope": lambda: e3nn.poly_envelope(5, 2)(x)}[name](), (np.abs(f32(4096)) + 0.01,))
    yield "soft_one_hot", lambda: (lambda x: e3nn.soft_one_hot_linspace(x, start=0.0, end=2.0, number=10, basis="gaussian", cutoff=True), (np.abs(f32(4096)),))
    yield "scatter_sum", lambda: (lambda x, i: e3nn.scatter_sum(features(x), dst=i, output_size=32).array, (FEATURES, np.random.default_rng(0).integers(0, 32, 128).astype(np.int32)))
    yield "to_s2grid", lambda: (lambda x: e3nn.to_s2grid(features(x, SMALL), 10, 9, quadrature="gausslegendre").grid_values, (OTHERS,))
    yield "s2grid_and_back", lambda: (lambda x: e3nn.from_s2grid(e3nn.to_s2grid(features(x, SMALL), 20, 19, quadrature="gausslegendre"), SMALL).array, (OTHERS,))
    yield "to_s2point", lambda: (lambda x, p: jax.vmap(lambda a, q: e3nn.to_s2point(features(a, SMALL), features(q, "1o")).array)(x, p), (OTHERS, f32(128, 3)))
    yield "s2_dirac", lambda: (lambda v: jax.vmap(lambda u: e3nn.s2_dirac(features(u, "1o"), 4, p_val=1, p_arg=-1).array)(v), (VECTORS,))
    yield "angles", lambda: (lambda v: e3nn.xyz_to_angles(v), (VECTORS,))
    yield "quaternions", lambda: (lambda q: e3nn.quaternion_to_matrix(q), (f32(256, 4),))
    yield "axis_angle", lambda: (lambda v: e3nn.axis_angle_to_matrix(v, jnp.linalg.norm(v, axis=-1)), (VECTORS,))
    yield "transform_by_angles", lambda: (lambda x, a: features(x).transform_by_angles(a, a, a).array, (FEATURES, np.float32(0.3)))
    yield "transform_by_matrix", lambda: (lambda x, q: features(x).transform_by_matrix(e3nn.quaternion_to_matrix(q)).array, (FEATURES, f32(4)))
    yield "so3_generators_D", lambda: (lambda a: e3nn.Irrep("2e").D_from_angles(a, a, a), (f32(64),))
    yield "radius_graph", lambda: (lambda p: e3nn.radius_graph(p, 1.0, size=512), (f32(64, 3),))
    yield "regroup", lambda: (lambda x: features(x, "4x0e + 4x1o + 4x0e + 4x1o + 4x2e").regroup().array, (f32(128, 52),))
    yield "batch_concatenate", lambda: (lambda x, y: e3nn.concatenate([features(x), features(y, SMALL)]).array, (FEATURES, OTHERS))
    yield "dot", lambda: (gradient(lambda x, y: e3nn.dot(features(x), features(y)).array), (FEATURES, FEATURES[::-1].copy()))
    yield "cross", lambda: (lambda x, y: e3nn.cross(features(x, "8x1o"), features(y, "8x1o")).array, (f32(128, 24), f32(128, 24)[::-1].copy()))
    yield "mean_and_sum", lambda: (lambda x: (e3nn.mean(features(x), axis=0).array, e3nn.sum(features(x)).array), (FEATURES,))


def linear(e3nn, x, weights):
    layer = e3nn.FunctionalLinear(x.irreps, "16x0e + 16x1o + 8x2e") if hasattr(e3nn, "FunctionalLinear") else e3nn.legacy.FunctionalLinear(x.irreps, "16x0e + 16x1o + 8x2e")
    return jax.vmap(lambda row: layer(list(weights), row).array)(x)
