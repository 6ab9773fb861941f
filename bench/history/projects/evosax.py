"""Programs over evosax's strategies: one generation, asked for, evaluated and told."""
import functools

import jax
import jax.numpy as jnp
import numpy as np

KEY = np.array([0, 1], np.uint32)
PLACES = {"distribution_based": (
    "ARS", "ASEBO", "CMA_ES", "CR_FM_NES", "DiscoveredES", "ESMC", "GradientlessDescent", "GuidedES", "HillClimbing", "iAMaLGaM_Full", "iAMaLGaM_Univariate", "LearnedES", "LM_MA_ES", "MA_ES", "NoiseReuseES",
    "Open_ES", "PersistentES", "PGPE", "Rm_ES", "Sep_CMA_ES", "SimpleES", "SimulatedAnnealing", "SNES", "xNES", "SV_CMA_ES", "SV_Open_ES"),
    "population_based": ("DifferentialEvolution", "DiffusionEvolution", "GESMR_GA", "LearnedGA", "MR15_GA", "PSO", "SAMR_GA", "SimpleGA")}


def sphere(x):
    return jnp.sum(x ** 2 * (1 + 0.1 * x), axis=-1)


def generation(algorithm, params, state, key):
    ask, tell = jax.random.split(jax.random.wrap_key_data(key))
    population, state = algorithm.ask(ask, state, params)
    return algorithm.tell(tell, population, sphere(population), state, params)


def made(evosax, name, **options):
    """A strategy of the present form (a population and a solution), or of the earlier one (counts)."""
    key = jax.random.key(0)
    algorithms = __import__("evosax.algorithms", fromlist=["x"])
    cls = getattr(algorithms, name)
    if name in PLACES["population_based"]:
        algorithm = cls(population_size=64, solution=jnp.zeros(32), **options)
        params = algorithm.default_params
        population = jax.random.normal(key, (64, 32))
        state = algorithm.init(key, population, sphere(population), params)
    else:
        algorithm = cls(population_size=64, solution=jnp.zeros(32), **options)
        params = algorithm.default_params
        state = algorithm.init(key, *((jax.random.normal(key, (options["num_populations"], 32)),) if options else (jnp.zeros(32),)), params)
    return functools.partial(generation, algorithm), (params, state, KEY)


def named(evosax):
    for names in PLACES.values():
        for name in names:
            yield name, lambda name=name: made(evosax, name, **({"num_populations": 2} if name.startswith("SV_") else {}))
    fitness = np.random.default_rng(0).standard_normal(512).astype(np.float32)
    for name in ("centered_rank", "standardize", "normalize"):
        def shaped(name=name):
            shape = getattr(__import__("evosax.core.fitness_shaping", fromlist=["x"]), name + "_fitness_shaping_fn")
            return lambda f: shape(jnp.zeros((512, 4)), f, None, None), (fitness,)
        yield "shaping_" + name, shaped
