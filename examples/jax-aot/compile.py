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
import xlagate.devices
from jax.sharding import Mesh, NamedSharding, PartitionSpec

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "jax"))
import train

CHIPS = {"tpu-v5e": "tpu-v5e", "gpu-h100": "h100-sxm"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("chip", choices=CHIPS)
    devices = xlagate.devices.devices(CHIPS[parser.parse_args().chip])

    mesh = Mesh(np.array(devices), ("data",))
    everywhere, split = (NamedSharding(mesh, PartitionSpec(*axes)) for axes in ([], ["data"]))
    params = jax.eval_shape(lambda: train.initial_params(np.random.default_rng(0)))
    tokens = jax.ShapeDtypeStruct((train.BATCH, train.LENGTH), np.int32)
    step = jax.jit(train.train_step, donate_argnums=(0, 1), in_shardings=(everywhere, everywhere, split), out_shardings=everywhere)
    xlagate.compile(step.lower(params, params, tokens))  # under --cache, only if it was not compiled before
    print(f"compiled for {len(devices)} x {devices[0].device_kind}")


if __name__ == "__main__":
    main()
