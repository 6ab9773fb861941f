"""Compile the train step of ../jax for four chips that this machine does not have, and run nothing.

The TPU compiler comes with the libtpu package, the NVIDIA one with JAX's CUDA plugin; neither asks for a chip or a driver.
"""

import argparse
import os
import pathlib
import sys

os.environ["JAX_PLATFORMS"] = "cpu"  # the chips are compiled for, not opened
os.environ["JAX_SKIP_CUDA_CONSTRAINTS_CHECK"] = "1"  # there is no driver whose version could be checked

import jax
import numpy as np
from jax.experimental import topologies
from jax.sharding import Mesh, NamedSharding, PartitionSpec

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "jax"))
import train


def tpu_v5e():
    # What a TPU machine would learn from its metadata server.
    os.environ.update(TPU_SKIP_MDS_QUERY="1", TPU_ACCELERATOR_TYPE="v5litepod-4", TPU_WORKER_ID="0", TPU_WORKER_HOSTNAMES="localhost")
    os.environ["ALLOW_MULTIPLE_LIBTPU_LOAD"] = "1"  # no chip is taken: others may compile at the same time
    return topologies.get_topology_desc(platform="tpu", topology_name="v5e:2x2")


def gpu_h100():
    # What a driver would say of the GPU, as JAX's CUDA plugin reads it. Slices x hosts x devices: one machine with four of them.
    spec = (HERE / "h100.txtpb").read_text()
    return topologies.get_topology_desc(platform="cuda", topology_name="h100", target_config=spec, topology="1x1x4")


CHIPS = {"tpu-v5e": tpu_v5e, "gpu-h100": gpu_h100}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("chip", choices=CHIPS)
    devices = CHIPS[parser.parse_args().chip]().devices

    mesh = Mesh(np.array(devices), ("data",))
    everywhere, split = (NamedSharding(mesh, PartitionSpec(*axes)) for axes in ([], ["data"]))
    params = jax.eval_shape(lambda: train.initial_params(np.random.default_rng(0)))
    tokens = jax.ShapeDtypeStruct((train.BATCH, train.LENGTH), np.int32)
    step = jax.jit(train.train_step, donate_argnums=(0, 1), in_shardings=(everywhere, everywhere, split), out_shardings=everywhere)
    step.lower(params, params, tokens).compile()
    print(f"compiled for {len(devices)} x {devices[0].device_kind}")


if __name__ == "__main__":
    main()
