"""Programs over distrax's distributions and bijectors: densities, their gradients, draws, entropies and transforms."""
import jax
import jax.numpy as jnp
import numpy as np


def f32(*shape, scale=1.0):
    return (np.random.default_rng(sum(shape)).standard_normal(shape) * scale).astype(np.float32)


KEY = np.array([0, 1], np.uint32)
MEAN, SCALE, LOGITS = f32(256), np.abs(f32(256)) + 0.5, f32(128, 10)
UNIT, PLACE = np.clip(np.abs(np.tanh(f32(256))), 0.05, 0.95), np.random.default_rng(0).integers(0, 10, 128).astype(np.int32)
MATRIX = (np.eye(8) + 0.1 * np.tril(np.random.default_rng(2).standard_normal((8, 8)))).astype(np.float32)


def named(distrax):
    d = distrax
    families = {
        "normal": (lambda m, s: d.Normal(m, s), (MEAN, SCALE), MEAN), "laplace": (lambda m, s: d.Laplace(m, s), (MEAN, SCALE), MEAN), "logistic": (lambda m, s: d.Logistic(m, s), (MEAN, SCALE), MEAN),
        "gumbel": (lambda m, s: d.Gumbel(m, s), (MEAN, SCALE), MEAN), "uniform": (lambda m, s: d.Uniform(m, m + s), (MEAN, SCALE), MEAN + 0.3), "log_stddev": (lambda m, s: d.LogStddevNormal(m, s), (MEAN, SCALE), MEAN),
        "beta": (lambda a, b: d.Beta(a, b), (SCALE, SCALE + 1), UNIT), "gamma": (lambda a, b: d.Gamma(a, b), (SCALE, SCALE), SCALE), "dirichlet": (lambda a: d.Dirichlet(a), (np.abs(f32(64, 8)) + 0.5,), np.full((64, 8), 0.125, np.float32)),
        "bernoulli": (lambda l: d.Bernoulli(logits=l), (MEAN,), (MEAN > 0).astype(np.int32)), "categorical": (lambda l: d.Categorical(logits=l), (LOGITS,), PLACE), "one_hot": (lambda l: d.OneHotCategorical(logits=l), (LOGITS,), np.eye(10, dtype=np.int32)[PLACE]),
        "softmax": (lambda l: d.Softmax(l, 0.7), (LOGITS,), PLACE), "greedy": (lambda l: d.Greedy(l), (LOGITS,), PLACE), "epsilon_greedy": (lambda l: d.EpsilonGreedy(l, 0.1), (LOGITS,), PLACE),
        "categorical_uniform": (lambda l: d.CategoricalUniform(low=jnp.float32(-1), high=jnp.float32(1), logits=l), (LOGITS,), np.tanh(f32(128))),
        "multinomial": (lambda l: d.Multinomial(total_count=5, logits=l), (LOGITS,), np.eye(10, dtype=np.float32)[PLACE] * 5), "von_mises": (lambda m, s: d.VonMises(m, s), (np.tanh(MEAN), SCALE), np.tanh(MEAN)),
        "diagonal": (lambda m, s: d.MultivariateNormalDiag(m, s), (f32(64, 8), np.abs(f32(64, 8)) + 0.5), f32(64, 8)), "triangular": (lambda m, s: d.MultivariateNormalTri(m, s), (f32(64, 8), MATRIX), f32(64, 8)),
        "full": (lambda m, s: d.MultivariateNormalFullCovariance(m, s @ s.T), (f32(64, 8), MATRIX), f32(64, 8)), "plus_low_rank": (lambda m, s, u: d.MultivariateNormalDiagPlusLowRank(m, s, u), (f32(64, 8), np.abs(f32(8)) + 0.5, f32(8, 2)), f32(64, 8)),
        "independent": (lambda m, s: d.Independent(d.Normal(m, s), 1), (f32(64, 8), np.abs(f32(64, 8)) + 0.5), f32(64, 8)), "tanh_normal": (lambda m, s: d.Transformed(d.Normal(m, s), d.Tanh()), (MEAN, SCALE), np.tanh(MEAN) * 0.9),
        "mixture": (lambda l, m, s: d.MixtureSameFamily(d.Categorical(logits=l), d.Normal(m, s)), (LOGITS, f32(128, 10), np.abs(f32(128, 10)) + 0.5), f32(128)),
        "mixture_of_two": (lambda p, m, s: d.MixtureOfTwo(p, d.Normal(m, s), d.Laplace(m, s)), (np.float32(0.3), MEAN, SCALE), MEAN), "quantized": (lambda m, s: d.Quantized(d.Normal(m, s)), (MEAN, SCALE), np.round(MEAN)),
        "joint": (lambda m, s: d.Joint([d.Normal(m, s), d.Laplace(m, s)]), (MEAN, SCALE), [MEAN, MEAN]), "clipped": (lambda m, s: d.ClippedNormal(m, s, -1.0, 1.0), (MEAN, SCALE), np.clip(MEAN, -1, 1)),
    }
    for name, (make, args, value) in families.items():
        def density(make=make, args=args, value=value):
            return (lambda args, value: make(*args).log_prob(value)), (args, value)
        def gradient(density=density):
            f, args = density()
            return jax.value_and_grad(lambda args, value: jnp.sum(f(args, value))), args
        def draw(make=make, args=args):
            return (lambda args, key: make(*args).sample(seed=jax.random.wrap_key_data(key))), (args, KEY)
        def both(make=make, args=args):
            return (lambda args, key: make(*args).sample_and_log_prob(seed=jax.random.wrap_key_data(key))), (args, KEY)
        def entropy(make=make, args=args):
            return (lambda args: make(*args).entropy()), (args,)
        def divergence(make=make, args=args):
            return (lambda p, q: make(*p).kl_divergence(make(*q))), (args, tuple(a * np.float32(1.1) for a in args))
        def moments(make=make, args=args):
            return (lambda args: (make(*args).mean(), make(*args).variance())), (args,)
        for kind, program in {"density": density, "gradient": gradient, "draw": draw, "both": both, "entropy": entropy, "divergence": divergence, "moments": moments}.items():
            yield f"{name}_{kind}", program
    bijectors = {
        "tanh": (lambda: d.Tanh(), UNIT), "sigmoid": (lambda: d.Sigmoid(), UNIT), "affine": (lambda: d.ScalarAffine(0.3, 1.7), UNIT), "gumbel_cdf": (lambda: d.GumbelCDF(), UNIT),"exp": (lambda: d.Lambda(jnp.exp), UNIT),
        "chain": (lambda: d.Chain([d.Tanh(), d.ScalarAffine(0.3, 1.7)]), UNIT), "inverse": (lambda: d.Inverse(d.Sigmoid()), UNIT), "block": (lambda: d.Block(d.Tanh(), 1), UNIT.reshape(32, 8)),
        "triangular": (lambda: d.TriangularLinear(MATRIX), f32(64, 8)), "lower_upper": (lambda: d.LowerUpperTriangularAffine(MATRIX, f32(8)), f32(64, 8)), "unconstrained": (lambda: d.UnconstrainedAffine(MATRIX, f32(8)), f32(64, 8)),
        "diagonal": (lambda: d.DiagLinear(np.abs(f32(8)) + 0.5), f32(64, 8)), "low_rank": (lambda: d.DiagPlusLowRankLinear(np.abs(f32(8)) + 0.5, f32(8, 2), f32(8, 2)), f32(64, 8)),
        "spline": (lambda: d.RationalQuadraticSpline(f32(256, 3 * 8 + 1), 0.0, 1.0), UNIT), "coupling": (lambda: d.MaskedCoupling(np.arange(8) % 2 == 0, lambda x: jnp.tanh(x), lambda p: d.ScalarAffine(p, jnp.exp(p))), f32(64, 8)),
    }
    for name, (make, value) in bijectors.items():
        def forward(make=make, value=value):
            return (lambda x: make().forward_and_log_det(x)), (value,)
        def inverse(make=make, value=value):
            return (lambda x: make().inverse_and_log_det(x)), (value,)
        yield f"{name}_forward", forward
        yield f"{name}_inverse", inverse
    def chain():
        hmm = d.HMM(d.Categorical(logits=f32(5)), d.Categorical(logits=f32(5, 5)), d.Normal(f32(5), np.ones(5, np.float32)))
        return (lambda o: hmm.forward_backward(o)), (f32(32),)
    yield "hidden_markov", chain
