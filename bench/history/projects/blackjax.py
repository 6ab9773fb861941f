"""Programs over blackjax's samplers, particles, approximations, adaptations and diagnostics: a logistic regression on 256 rows."""
import functools
import importlib.abc
import importlib.machinery
import inspect
import sys
import types

import jax
import jax.experimental
import jax.numpy as jnp
import numpy as np
import optax


class Version(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """The file that only the build of a release writes."""

    def find_spec(self, name, path, target=None):
        return importlib.machinery.ModuleSpec(name, self) if name == "blackjax._version" else None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        module.__version__ = "0"


sys.meta_path.append(Version())


def clip(x, *bounds, a_min=None, a_max=None, now=jnp.clip, **named):
    """As it was called before its bounds were renamed."""
    return now(x, *bounds, **named, **{name: bound for name, bound in (("min", a_min), ("max", a_max)) if bound is not None})


# What older releases ask of JAX.
jnp.clip, jax.random.PRNGKeyArray = clip, jax.Array
sys.modules["jax.experimental.host_callback"] = jax.experimental.host_callback = types.SimpleNamespace()


def f32(*shape, scale=1.0):
    return (np.random.default_rng(sum(shape)).standard_normal(shape) * scale).astype(np.float32)


KEY, X, FEATURES = np.array([0, 1], np.uint32), f32(32, scale=0.1), f32(256, 32)
LABELS = (FEATURES @ f32(32) > 0).astype(np.float32)
ONES, PARTICLES, WEIGHTS = np.ones(32, np.float32), f32(64, 32), np.full(512, 1 / 512, np.float32)
DENSE = np.asarray(np.eye(32) + 0.1 * FEATURES.T @ FEATURES / 256, np.float32)


def prior(x):
    return -0.5 * jnp.sum(x ** 2)


def likelihood(features, labels):
    return lambda x: jnp.sum(labels * jax.nn.log_sigmoid(features @ x) + (1 - labels) * jax.nn.log_sigmoid(-features @ x))


def density(features, labels):
    return lambda x: prior(x) + likelihood(features, labels)(x)


def of_tree(features, labels):
    return lambda x: density(features, labels)(x["w"]) - 0.5 * x["b"] ** 2


def keyed(function):
    """A program whose first argument is a key."""
    return lambda key, *args: jax.tree.leaves(function(jax.random.wrap_key_data(key), *args))


def chain(algorithm, key, x, *args, steps=10):
    """A few steps, as a loop over keys."""
    start = algorithm.init(x, *[key][:len(inspect.signature(algorithm.init).parameters) - 1])

    def step(state, key):
        state = algorithm.step(key, state, *args)
        state = state if hasattr(state, "_fields") or not isinstance(state, tuple) else state[0]
        return state, jax.tree.leaves(state)[0]
    return jax.lax.scan(step, start, jax.random.split(key, steps))


def sampled(make, start=X, of=density):
    """Steps of a sampler from a start."""
    return keyed(lambda key, x, *data: chain(make(of(*data)), key, x)), (KEY, start, FEATURES, LABELS)


def particles(make, *args):
    """Steps of sequential Monte Carlo with Hamiltonian moves."""
    return keyed(lambda key, x, *data: chain(make(prior, likelihood(*data)), key, x, *args, steps=3)), (KEY, PARTICLES, FEATURES, LABELS)


def named(blackjax):
    def part(name):
        return importlib.import_module("blackjax." + name)
    integrators, gradients = part("mcmc.integrators"), part("sgmcmc.gradients")
    yield "hmc", lambda: sampled(lambda f: blackjax.hmc(f, 0.02, ONES, 10))
    yield "hmc_dense", lambda: sampled(lambda f: blackjax.hmc(f, 0.02, DENSE, 10))
    yield "hmc_tree", lambda: sampled(lambda f: blackjax.hmc(f, 0.02, np.ones(33, np.float32), 10), {"w": X, "b": np.float32(0)}, of_tree)
    for name in ("mclachlan", "yoshida"):
        yield "hmc_" + name, lambda name=name: sampled(lambda f: blackjax.hmc(f, 0.02, ONES, 10, integrator=getattr(integrators, name)))
    for name, make in {
        "hmc": lambda f: blackjax.hmc(f, 0.02, ONES, 10), "mclmc": lambda f: blackjax.mclmc(f, 1.0, 0.1),
    }.items():
        yield name + "_chains", lambda make=make: (lambda keys, x, *data: jax.vmap(keyed(lambda key, x: chain(make(density(*data)), key, x)))(keys, x), (np.stack([KEY] * 8), f32(8, 32), FEATURES, LABELS))
    for name, make in {
        "nuts": lambda f: blackjax.nuts(f, 0.05, ONES, max_num_doublings=5), "dynamic_hmc": lambda f: blackjax.dynamic_hmc(f, 0.02, ONES),
        "mala": lambda f: blackjax.mala(f, 0.01), "barker": lambda f: blackjax.barker_proposal(f, 0.01), "ghmc": lambda f: blackjax.ghmc(f, 0.02, ONES, 0.5, 0.1),
        "mclmc": lambda f: blackjax.mclmc(f, 1.0, 0.1), "adjusted_mclmc": lambda f: blackjax.adjusted_mclmc(f, 0.1, num_integration_steps=10), "adjusted_mclmc_dynamic": lambda f: blackjax.adjusted_mclmc_dynamic(f, 0.1),
        "orbital_hmc": lambda f: blackjax.orbital_hmc(f, 0.02, ONES, 10), "rmhmc": lambda f: blackjax.rmhmc(f, 0.02, lambda x: jnp.diag(1 + x ** 2), 3),
        "random_walk": lambda f: blackjax.additive_step_random_walk(f, lambda key, x: 0.1 * jax.random.normal(key, x.shape)), "normal_random_walk": lambda f: blackjax.additive_step_random_walk.normal_random_walk(f, 0.1 * ONES),
        "rmh": lambda f: blackjax.rmh(f, lambda key, x: x + 0.1 * jax.random.normal(key, x.shape)), "irmh": lambda f: blackjax.irmh(f, lambda key: jax.random.normal(key, (32,))),
    }.items():
        yield name, lambda make=make: sampled(make)
    yield "elliptical_slice", lambda: sampled(lambda f: blackjax.elliptical_slice(f, mean=0 * ONES, cov=DENSE), of=likelihood)
    yield "mgrad_gaussian", lambda: sampled(lambda f: blackjax.mgrad_gaussian(f, DENSE, mean=0 * ONES, step_size=0.1), of=likelihood)

    def row(x, row):
        return likelihood(*row)(x)

    def stochastic(make, *sizes):
        return keyed(lambda key, x, *batch: chain(make(gradients.grad_estimator(prior, row, 2048)), key, x, batch, *sizes)), (KEY, X, FEATURES, LABELS)
    for name in ("sgld", "sghmc", "sgnht"):
        yield name, lambda name=name: stochastic(getattr(blackjax, name), 1e-3)
    yield "csgld", lambda: stochastic(lambda gradient: blackjax.csgld(gradients.logdensity_estimator(prior, row, 2048), gradient), 1e-3, 1e-2)
    yield "control_variates", lambda: (lambda x, center, *batch: gradients.control_variates(gradients.grad_estimator(prior, row, 2048), center, batch)(x, batch), (X, f32(32), FEATURES, LABELS))

    def moves():
        """What a step of particles takes: the kernel, its start and its parameters, and how to draw anew."""
        parameters = {"step_size": np.float32(0.02), "inverse_mass_matrix": ONES, "num_integration_steps": np.int32(5)}
        if hasattr(part("smc"), "extend_params"):
            parameters = {name: np.stack([value] * 64) for name, value in parameters.items()}
        return blackjax.hmc.build_kernel(), blackjax.hmc.init, parameters, part("smc.resampling").systematic
    yield "tempered_smc", lambda: particles(lambda p, l, moves=moves(): blackjax.tempered_smc(p, l, *moves, num_mcmc_steps=2), 0.1)
    yield "adaptive_tempered_smc", lambda: particles(lambda p, l, moves=moves(): blackjax.adaptive_tempered_smc(p, l, *moves, target_ess=0.5, num_mcmc_steps=2))
    for name in ("systematic", "stratified", "multinomial", "residual"):
        yield name, lambda name=name: (keyed(lambda key, w, draw=getattr(part("smc.resampling"), name): draw(key, w, 512)), (KEY, WEIGHTS))
    yield "ess_of_weights", lambda: (part("smc.ess").ess, (f32(4096),))
    yield "dichotomy", lambda: (lambda a, solve=part("smc.solver").dichotomy: solve(lambda x: 1.5 - jnp.mean(jnp.exp(x * a)), 0.0, 2.0), (np.abs(f32(4096)),))

    def variational(key, x, *data):
        algorithm = blackjax.meanfield_vi(density(*data), optax.adam(1e-2), 32)
        return jax.lax.scan(lambda state, key: (algorithm.step(key, state)[0], None), algorithm.init(x), jax.random.split(key, 10))[0]
    yield "meanfield_vi", lambda: (keyed(variational), (KEY, X, FEATURES, LABELS))
    yield "pathfinder", lambda: (keyed(lambda key, x, *data: blackjax.vi.pathfinder.approximate(key, density(*data), x, 64, maxiter=10, maxls=20)), (KEY, X, FEATURES, LABELS))
    yield "schrodinger_follmer", lambda: (keyed(lambda key, x, *data: blackjax.schrodinger_follmer.sample(key, blackjax.schrodinger_follmer.init(x), density(*data), 10, 8, 4)), (KEY, X, FEATURES, LABELS))

    def stein(x, *data):
        algorithm = blackjax.svgd(jax.grad(density(*data)), optax.adam(1e-2))
        return jax.lax.fori_loop(0, 5, lambda _, state: algorithm.step(state), algorithm.init(x, {"length_scale": jnp.float32(1.0)})).particles
    yield "svgd", lambda: (stein, (PARTICLES, FEATURES, LABELS))
    for name in ("hmc", "nuts"):
        yield "window_adaptation_" + name, lambda name=name: (keyed(lambda key, x, *data: blackjax.window_adaptation(getattr(blackjax, name), density(*data), **{"hmc": {"num_integration_steps": 5}, "nuts": {"max_num_doublings": 3}}[name]).run(key, x, 50)), (KEY, X, FEATURES, LABELS))
    yield "meads_adaptation", lambda: (keyed(lambda key, x, *data: blackjax.meads_adaptation(density(*data), 64).run(key, x, 10)), (KEY, PARTICLES, FEATURES, LABELS))
    yield "chees_adaptation", lambda: (keyed(lambda key, x, *data: blackjax.chees_adaptation(density(*data), 16).run(key, x, 0.02, optax.adam(0.01), 10)[0][0]), (KEY, f32(16, 32), FEATURES, LABELS))

    def tuned(mclmc, key, x, *data):
        return blackjax.mclmc_find_L_and_step_size(lambda m: mclmc.build_kernel(density(*data), m, integrators.isokinetic_mclachlan), 100, mclmc.init(x, density(*data), key), key)
    yield "mclmc_tuning", lambda: (keyed(functools.partial(tuned, part("mcmc.mclmc"))), (KEY, X, FEATURES, LABELS))
    for name in ("effective_sample_size", "potential_scale_reduction"):
        yield name, lambda name=name: (lambda x: getattr(blackjax.diagnostics, name)(x), (f32(4, 500, 8),))
    yield "lbfgs", lambda: (lambda x, *data, lbfgs=part("optimizers.lbfgs"): jax.tree.leaves(lbfgs.minimize_lbfgs(lambda x: -density(*data)(x), x, maxiter=10, maxls=20)), (X, FEATURES, LABELS))
    yield "gaussian_noise", lambda: (keyed(lambda key, x: blackjax.util.generate_gaussian_noise(key, x, sigma=DENSE)), (KEY, X))
