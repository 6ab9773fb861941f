"""Programs over numpyro's distributions, transforms, samplers and inference."""
import jax
import jax.numpy as jnp
import numpy as np


def f32(*shape, scale=1.0):
    return (np.random.default_rng(sum(shape)).standard_normal(shape) * scale).astype(np.float32)


def counts(*shape, most=10):
    return np.random.default_rng(sum(shape)).integers(0, most, shape).astype(np.int32)


A, UNIT = f32(64, 128), (1 / (1 + np.exp(-f32(64, 128)))).astype(np.float32)
B, N, LOGITS, X = np.abs(A) + 0.5, counts(64, 128), f32(256, 20), f32(200, 5)
TRIL = (np.tril(f32(8, 8)) * 0.1 + np.eye(8)).astype(np.float32)
KEY = np.array([0, 1], np.uint32)

# The parameters of a distribution, and a value of it.
DISTRIBUTIONS = {
    "Normal": (A, B, A), "LogNormal": (A, B, B), "Cauchy": (A, B, A), "Laplace": (A, B, A), "Logistic": (A, B, A), "Gumbel": (A, B, A), "StudentT": (B, A, B, A), "Gamma": (B, B, B), "InverseGamma": (B, B, B), "Beta": (B, B, UNIT),
    "BetaProportion": (UNIT, B, UNIT), "Kumaraswamy": (B, B, UNIT), "Weibull": (B, B, B), "Pareto": (B, B, B + 3), "Exponential": (B, B), "HalfNormal": (B, B), "HalfCauchy": (B, B), "Chi2": (B, B), "VonMises": (A, B, A), "SoftLaplace": (A, B, A),
    "AsymmetricLaplace": (A, B, B, A), "AsymmetricLaplaceQuantile": (A, B, UNIT, A), "Uniform": (A, A + B, A + B / 2), "Levy": (A, B, A + B), "Gompertz": (B, B, B), "BernoulliLogits": (A, (A > 0).astype(np.int32)), "BernoulliProbs": (UNIT, (A > 0).astype(np.int32)),
    "BinomialLogits": (A, N + 5, N), "BinomialProbs": (UNIT, N + 5, N), "Poisson": (B, N), "GeometricLogits": (A, N), "GeometricProbs": (UNIT, N), "NegativeBinomial2": (B, B, N), "NegativeBinomialLogits": (B, A, N), "GammaPoisson": (B, B, N), "BetaBinomial": (B, B, N + 5, N),
    "ZeroInflatedPoisson": (UNIT, B, N), "DiscreteUniform": (N * 0, N + 5, N), "CategoricalLogits": (LOGITS, counts(256, most=20)), "CategoricalProbs": (np.exp(LOGITS) / np.exp(LOGITS).sum(1, keepdims=True), counts(256, most=20)),
    "Dirichlet": (np.abs(LOGITS) + 0.5, np.exp(LOGITS) / np.exp(LOGITS).sum(1, keepdims=True)), "OrderedLogistic": (f32(256), np.sort(f32(256, 6), axis=1), counts(256, most=6)), "TruncatedNormal": (A, B, A), "TruncatedCauchy": (A, B, A),
    "ProjectedNormal": (f32(128, 3), f32(128, 3) / np.linalg.norm(f32(128, 3), axis=1, keepdims=True)), "MultinomialLogits": (LOGITS, counts(256, 20)), "DirichletMultinomial": (np.abs(LOGITS) + 0.5, counts(256, 20)), "RelaxedBernoulliLogits": (B, A, UNIT),
}


def imported(name):
    return __import__("numpyro." + name, fromlist=["x"])


def log_prob(make, params, value):
    real = [isinstance(p, np.ndarray) and p.dtype == np.float32 for p in params]
    def run(value, *params):
        def loss(chosen):
            chosen = iter(chosen)
            return jnp.mean(make(*[next(chosen) if r else p for r, p in zip(real, params)]).log_prob(value))
        return jax.value_and_grad(loss)([p for r, p in zip(real, params) if r])
    return run, (value, *params)


def sampled(make, params):
    return (lambda key, *p: make(*p).sample(jax.random.wrap_key_data(key), (2,))), (KEY, *params)


def named(numpyro):
    dist = lambda: imported("distributions")
    for name, (*params, value) in DISTRIBUTIONS.items():
        def make(*p, name=name):
            if name.startswith("Multinomial"):
                return getattr(dist(), name)(*p, total_count=60)
            if name.startswith("DirichletMultinomial"):
                return dist().DirichletMultinomial(*p, total_count=60)
            if name.startswith("Truncated"):
                return getattr(dist(), name)(*p, low=-1.0) if "Normal" in name else getattr(dist(), name)(*p, low=-1.0)
            return getattr(dist(), name)(*p)
        yield name + "_log_prob", lambda make=make, params=params, value=value: log_prob(make, params, value)
        yield name + "_sample", lambda make=make, params=params: sampled(make, params)
    for name, make, params, value in (
        ("MultivariateNormal", lambda m, l: dist().MultivariateNormal(m, scale_tril=l), (f32(64, 8), TRIL), f32(64, 8)), ("MultivariateStudentT", lambda d, m, l: dist().MultivariateStudentT(d, m, l), (np.float32(4.0), f32(64, 8), TRIL), f32(64, 8)),
        ("LowRank", lambda m, f, d: dist().LowRankMultivariateNormal(m, f, d), (f32(64, 8), f32(8, 2), np.ones(8, np.float32)), f32(64, 8)), ("LKJCholesky", lambda c: dist().LKJCholesky(8, c), (np.float32(2.0),), TRIL / np.linalg.norm(TRIL, axis=1, keepdims=True)),
        ("GaussianRandomWalk", lambda s: dist().GaussianRandomWalk(s, 100), (np.float32(0.5),), f32(100)), ("Wishart", lambda c, s: dist().WishartCholesky(c, scale_tril=s), (np.float32(10.0), TRIL), TRIL),
        ("EulerMaruyama", lambda t: dist().EulerMaruyama(t, lambda x, t: (-x, 0.3), dist().Normal(0.0, 1.0)), (np.linspace(0, 1, 50, dtype=np.float32),), f32(50)), ("CAR", lambda m, c: dist().CAR(m, 0.5, c, np.eye(16, k=1) + np.eye(16, k=-1)), (f32(16), np.float32(1.0)), f32(16)),
        ("MixtureSameFamily", lambda l, m, s: dist().MixtureSameFamily(dist().Categorical(logits=l), dist().Normal(m, s)), (LOGITS, LOGITS, np.abs(LOGITS) + 0.5), f32(256)),
    ):
        yield name + "_log_prob", lambda make=make, params=params, value=value: log_prob(make, params, value)
        yield name + "_sample", lambda make=make, params=params: sampled(make, params)
    for name, make, x in (("CorrCholesky", lambda: dist().transforms.CorrCholeskyTransform(), f32(64, 28)), ("StickBreaking", lambda: dist().transforms.StickBreakingTransform(), f32(64, 15)), ("Ordered", lambda: dist().transforms.OrderedTransform(), f32(64, 16)),
                          ("LowerCholesky", lambda: dist().transforms.LowerCholeskyTransform(), f32(64, 36)), ("SoftplusLowerCholesky", lambda: dist().transforms.SoftplusLowerCholeskyTransform(), f32(64, 36)), ("ZeroSum", lambda: dist().transforms.ZeroSumTransform(1), f32(64, 16)),
                          ("RealFastFourier", lambda: dist().transforms.RealFastFourierTransform((64,)), f32(16, 64)), ("Recursive", lambda: dist().transforms.RecursiveLinearTransform(TRIL * 0.5), f32(50, 8)), ("ScaledUnitLowerCholesky", lambda: dist().transforms.ScaledUnitLowerCholeskyTransform(), f32(64, 36)),
                          ("L1Ball", lambda: dist().transforms.L1BallTransform(), f32(64, 16)), ("ComplexLog", lambda: dist().transforms.SigmoidTransform(), A), ("Softplus", lambda: dist().transforms.SoftplusTransform(), A)):
        yield "transform_" + name, lambda make=make, x=x: (lambda x: (make()(x), make().log_abs_det_jacobian(x, make()(x)), make()._inverse(make()(x))), (x,))
    for name, first, second in (("Normal", (A, B), (A + 1, B)), ("Gamma", (B, B), (B + 1, B)), ("Dirichlet", (np.abs(LOGITS) + 0.5,), (np.abs(LOGITS) + 1,)), ("Beta", (B, B), (B + 1, B))):
        yield f"kl_{name}", lambda name=name, first=first, second=second: (lambda p, q: dist().kl_divergence(getattr(dist(), name)(*p), getattr(dist(), name)(*q)), (first, second))

    def model(x, y):
        w = numpyro.sample("w", dist().Normal(0, 1).expand([5]).to_event(1))
        s = numpyro.sample("s", dist().HalfNormal(1.0))
        with numpyro.plate("n", 200):
            numpyro.sample("y", dist().Normal(x @ w, s), obs=y)

    def kernel(make):
        def program():
            k = make(imported("infer"))
            state = jax.eval_shape(lambda: k.init(jax.random.PRNGKey(0), 100, None, (X, X @ np.ones(5, np.float32)), {}))
            state = jax.tree.map(lambda s: np.full(s.shape, 0.1 if s.dtype == np.float32 else 1, s.dtype), state)
            return (lambda s, x, y: k.sample(s, (x, y), {})), (state, X, X @ np.ones(5, np.float32))
        return program
    for name, make in {"hmc": lambda i: i.HMC(model, num_steps=8), "nuts": lambda i: i.NUTS(model, max_tree_depth=5), "nuts_dense": lambda i: i.NUTS(model, dense_mass=True, max_tree_depth=5), "sa": lambda i: i.SA(model), "barker": lambda i: i.BarkerMH(model), "aies": lambda i: i.AIES(model), "ess": lambda i: i.ESS(model)}.items():
        yield "step_" + name, kernel(make)

    def svi(guide, loss):
        def program():
            i = imported("infer")
            s = i.SVI(model, getattr(imported("infer.autoguide"), guide)(model), numpyro.optim.Adam(1e-3), getattr(i, loss)())
            y = X @ np.ones(5, np.float32)
            state = jax.eval_shape(lambda: s.init(jax.random.PRNGKey(0), X, y))
            state = jax.tree.map(lambda v: np.full(v.shape, 0.1 if v.dtype == np.float32 else 1, v.dtype), state)
            return (lambda st, x, y: s.update(st, x, y)), (state, X, y)
        return program
    for guide, loss in (("AutoNormal", "Trace_ELBO"), ("AutoMultivariateNormal", "Trace_ELBO"), ("AutoLowRankMultivariateNormal", "Trace_ELBO"), ("AutoDiagonalNormal", "TraceMeanField_ELBO"), ("AutoNormal", "RenyiELBO"), ("AutoIAFNormal", "Trace_ELBO"), ("AutoNormal", "TraceGraph_ELBO")):
        yield f"svi_{guide}_{loss}", svi(guide, loss)
    for name, x in {"effective_sample_size": f32(4, 200, 3), "split_gelman_rubin": f32(4, 200, 3), "gelman_rubin": f32(4, 200, 3)}.items():
        yield name, lambda name=name, x=x: (getattr(imported("diagnostics"), name), (x,))
