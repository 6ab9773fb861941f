"""How a pair is made, and the values that programs are called with."""
import numpy as np
from sides import Pair

PAIRS = {}


def pair(what, **options):
    """Registers the pair that a function makes: before, after, the arguments, and those of after where they are others."""
    def register(make):
        before, after, args, *other = make()
        PAIRS[make.__name__] = Pair(make.__name__, what, before, after, args, other[0] if other else args, **options)
        return make
    return register


def f32(*shape, scale=1.0):
    seed = sum(n * (i + 3) for i, n in enumerate(shape))
    return (np.random.default_rng(seed).standard_normal(shape) * scale).astype(np.float32)


def f64(*shape, scale=1.0):
    return f32(*shape, scale=scale).astype(np.float64)


def weight(*shape):
    """A matrix that keeps the scale of what it is multiplied with."""
    return f32(*shape, scale=shape[-2] ** -0.5)


def below(limit, *shape):
    return np.random.default_rng(limit).integers(0, limit, shape).astype(np.int32)
