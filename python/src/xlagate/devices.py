"""Chips that JAX compiles for without having them. The TPU compiler comes with the libtpu package."""

from __future__ import annotations

import functools
import os
from typing import Any

# What libtpu calls the topology, and what a TPU machine would learn from its metadata server.
TPUS = {
    "tpu-v4": ("v4:2x2x1", "v4-8"),
    "tpu-v5e": ("v5e:2x2", "v5litepod-4"),
    "tpu-v5p": ("v5p:2x2x1", "v5p-8"),
    "tpu-v6e": ("v6e:2x2", "v6e-4"),
}


class UnknownDevice(ValueError):
    """No device has this name, or its compiler is not installed."""


@functools.cache
def devices(name: str) -> tuple[Any, ...]:
    """Return the devices of a chip by its name in TPUS, for a mesh of shardings."""
    if name not in TPUS:
        raise UnknownDevice(f"no device is called {name}: there are {', '.join(TPUS)}")
    from jax.experimental import topologies

    topology, accelerator = TPUS[name]
    os.environ.update(TPU_SKIP_MDS_QUERY="1", TPU_ACCELERATOR_TYPE=accelerator, TPU_WORKER_ID="0", TPU_WORKER_HOSTNAMES="localhost")
    os.environ["ALLOW_MULTIPLE_LIBTPU_LOAD"] = "1"  # no chip is taken: others may compile at the same time
    try:
        return tuple(topologies.get_topology_desc(platform="tpu", topology_name=topology).devices)
    except RuntimeError as wrong:
        raise UnknownDevice(f"cannot compile for {name}, whose compiler comes with libtpu (pip install libtpu): {wrong}") from wrong


def place(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the arguments as shapes on the first device of a chip. A ShapeDtypeStruct with a sharding of its own stays as it is."""
    import jax

    alone = jax.sharding.SingleDeviceSharding(devices(name)[0])

    def on_device(leaf: Any) -> Any:
        if isinstance(leaf, jax.ShapeDtypeStruct) and leaf.sharding is not None:
            return leaf
        shape = jax.eval_shape(lambda: leaf) if not isinstance(leaf, jax.ShapeDtypeStruct) else leaf
        return jax.ShapeDtypeStruct(shape.shape, shape.dtype, sharding=alone, weak_type=shape.weak_type)

    placed: tuple[tuple[Any, ...], dict[str, Any]] = jax.tree.map(on_device, (args, kwargs))
    return placed
