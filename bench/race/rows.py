"""Rows of measured operations, and the values that they are called with."""
import jax.numpy as jnp
import numpy as np
from jax import lax

ROWS = {}


def row(group):
    """Registers a function that yields rows: (label, unit, how many units, function, arguments)."""
    def register(make):
        ROWS[group] = make
        return make
    return register


def array(*shape, dtype=jnp.float32, seed=0):
    """Random numbers; those beyond the first million repeat."""
    n = int(np.prod(shape))
    values = np.resize(np.random.default_rng(seed).uniform(0.5, 1.5, min(n, 1 << 20)), n).reshape(shape)
    return (values * (10 if jnp.issubdtype(dtype, jnp.integer) else 1)).astype(dtype)


def indices(n, limit, seed=1):
    return np.random.default_rng(seed).integers(0, limit, n).astype(np.int32)


def short(dtype):
    return jnp.dtype(dtype).name


def conv(layout, kernel_layout, x, w, stride=1, groups=1):
    dims = lax.conv_dimension_numbers(x.shape, w.shape, (layout, kernel_layout, layout))
    return lax.conv_general_dilated(x, w, (stride,) * (x.ndim - 2), "SAME", dimension_numbers=dims, feature_group_count=groups)
