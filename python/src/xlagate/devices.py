"""Chips that JAX compiles for without having them: the names are those of xlagate's device table. The TPU compiler comes with the libtpu package, the
NVIDIA one with JAX's CUDA plugin."""

from __future__ import annotations

import functools
import os
import pathlib
import re
from importlib import metadata
from typing import Any

# What libtpu calls the topology, and what a TPU machine would learn from its metadata server.
TPUS = {
    "tpu-v2": ("v2:2x2", "v2-8"),
    "tpu-v3": ("v3:2x2", "v3-8"),
    "tpu-v4": ("v4:2x2x1", "v4-8"),
    "tpu-v5e": ("v5e:2x2", "v5litepod-4"),
    "tpu-v5p": ("v5p:2x2x1", "v5p-8"),
    "tpu-v6e": ("v6e:2x2", "v6e-4"),
    "tpu7x": ("tpu7x:2x2x1", "tpu7x-8"),
}

# The GPU that this package has a description of, as the driver gives it, and what differs from that.
GPUS: dict[str, tuple[str, dict[str, Any]]] = {
    "a100-sxm": ("a100-sxm", {}),
    "b200-sxm": ("b200-sxm", {}),
    "h100-sxm": ("h100-sxm", {}),
    "h200-sxm": ("h100-sxm", {"memory_bandwidth": 4_800_000_000_000, "device_memory_size": 151_397_597_184, "device_description_str": '"NVIDIA H200"'}),
}


class UnknownDevice(ValueError):
    """No device has this name, or its compiler is not installed."""


@functools.cache
def devices(name: str) -> tuple[Any, ...]:
    """Return the four devices of a machine with a chip, for a mesh of shardings; the first alone for a program on one chip. The name is cpu, a name in TPUS or GPUS, or the path of a GPU's *.gpu_target_config.pbtxt."""
    import jax

    if name == "cpu":
        return tuple(jax.devices("cpu"))
    try:
        if name in TPUS:
            return _tpu(*TPUS[name])
        if name in GPUS:
            return _gpu(_described(*GPUS[name]))
        if os.path.isfile(str(name)):
            return _gpu(pathlib.Path(name).read_text())
    except (RuntimeError, LookupError) as wrong:
        package = "libtpu (pip install libtpu)" if name in TPUS else "JAX's CUDA plugin (pip install jax-cuda12-plugin jax-cuda12-pjrt nvidia-cuda-nvcc-cu12)"
        raise UnknownDevice(f"cannot compile for {name}, whose compiler comes with {package}: {wrong}") from wrong
    raise UnknownDevice(f"cannot compile for a device called {name!r}: there are cpu, {', '.join([*TPUS, *GPUS])}, and any GPU by the *.gpu_target_config.pbtxt that XLA dumps on it")


def _tpu(topology: str, accelerator: str) -> tuple[Any, ...]:
    from jax.experimental import topologies

    os.environ.update(TPU_SKIP_MDS_QUERY="1", TPU_ACCELERATOR_TYPE=accelerator, TPU_WORKER_ID="0", TPU_WORKER_HOSTNAMES="localhost")
    os.environ["ALLOW_MULTIPLE_LIBTPU_LOAD"] = "1"  # no chip is taken: others may compile at the same time
    return tuple(topologies.get_topology_desc(platform="tpu", topology_name=topology).devices)


def _gpu(target: str) -> tuple[Any, ...]:
    from jax.experimental import topologies

    kind = {"platform": "cuda", "topology_name": "gpu", "target_config": target, "topology": "1x1x4"}  # slices x hosts x devices
    try:
        return tuple(topologies.get_topology_desc(**kind).devices)
    except NotImplementedError:  # the plugin found no driver, which it needs only to run something
        os.environ["JAX_SKIP_CUDA_CONSTRAINTS_CHECK"] = "1"
        plugins = [p for p in metadata.entry_points(group="jax_plugins") if "cuda" in p.name]
        if not plugins:
            raise LookupError("it is not installed") from None
        plugins[0].load().initialize()
        return tuple(topologies.get_topology_desc(**kind).devices)


def _described(like: str, differs: dict[str, Any]) -> str:
    text = pathlib.Path(__file__).with_name(f"{like}.txtpb").read_text()
    for field, value in differs.items():
        text = re.sub(rf"\b{field}: .*", f"{field}: {value}", text)
    return text


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
