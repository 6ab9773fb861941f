"""What `xlagate inspect --advise` finds, and with the argument "taken" the same after its advice was taken."""
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

taken = "taken" in sys.argv
mesh = Mesh(np.array(jax.devices()), ("d",))


def narrowed(x, w, v):
    y = jnp.dot(x, w, preferred_element_type=jnp.bfloat16 if taken else jnp.float32)
    y = jax.lax.optimization_barrier(y)
    return jnp.dot(y.astype(jnp.bfloat16), v)


def spread(p, x):
    return jnp.tanh(x @ p["w"]) @ p["o"]


def gathered(p, x):
    return jnp.tanh(x @ p["w"]) @ p["o"]


ones = lambda *shape: jnp.ones(shape, jnp.bfloat16)
jax.jit(narrowed)(ones(512, 256), ones(256, 2048), ones(2048, 64))
p = {"w": jnp.ones((512, 2048)), "o": jnp.ones((2048, 8))}
p = jax.device_put(p, {"w": NamedSharding(mesh, P(None, "d" if taken else None)), "o": NamedSharding(mesh, P("d" if taken else None))})
jax.jit(spread)(p, jax.device_put(jnp.ones((64, 512)), NamedSharding(mesh, P(None if taken else "d"))))
p = jax.device_put({"w": jnp.ones((32, 128)), "o": jnp.ones((128, 32))}, NamedSharding(mesh, P(None if taken else "d")))
jax.jit(gathered)(p, jax.device_put(jnp.ones((16, 32)), NamedSharding(mesh, P("d"))))
