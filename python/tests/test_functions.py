"""facts, scaling and no_recompilation, by themselves."""

import importlib.util
import pathlib

import jax
import jax.numpy as jnp
import pytest

import xlagate
from xlagate import devices


def product(a, b):
    return a @ b


def square(size):
    return jax.ShapeDtypeStruct((size, size), "float32")


def deep(depth):
    def f(x):
        for _ in range(depth):
            x = jnp.sort(jnp.sin(x) @ x)
        return x

    return f, square(16)


def test_facts():
    small, large = (xlagate.facts(product, square(n), square(n)) for n in (32, 64))
    assert small.program == "product" and small.flops == 2 * 32**3
    assert large.flops == 8 * small.flops
    assert small.peak < 0.5 * large.peak
    assert small.kernels == small["kernels.weighted"] == 1
    assert small.collectives == 0 and small.step > 0


def test_scaling_within_bounds():
    found = xlagate.scaling(lambda n: (product, square(n), square(n)), [64, 128], kernels="constant", peak="quadratic")
    assert sorted(found) == [64, 128]


def test_kernels_that_grow_with_depth():
    with pytest.raises(AssertionError, match=r"kernels: .* at 4, .* at 8; grows as size\^1.0, at most constant growth is allowed"):
        xlagate.scaling(deep, [4, 8], kernels="constant")


def test_step_that_grows_with_the_size():
    with pytest.raises(AssertionError, match=r"step: .* at 512, .* at 1024; grows as size\^[23]\.\d, at most linear growth is allowed"):
        xlagate.scaling(lambda n: (product, square(n), square(n)), [512, 1024], step="linear")


def test_unknown_bound():
    with pytest.raises(ValueError, match="not kernel='constant'"):
        xlagate.scaling(deep, [1, 2], kernel="constant")


def test_first_compilations():
    f = jax.jit(lambda x: x + 1)
    with xlagate.no_recompilation():
        for start in jnp.zeros(8), jnp.ones(8), jax.random.normal(jax.random.key(0), (8,)):
            f(start)


def test_functions_of_one_name():
    class Scale:
        def __init__(self, by):
            self.by = by

        def call(self, x):
            return x * self.by

    with xlagate.no_recompilation():
        jax.jit(Scale(2).call)(jnp.ones(3))
        jax.jit(Scale(3).call)(jnp.ones(3))


def test_function_that_is_defined_again():
    with pytest.raises(xlagate.Recompiled, match=r"(?s)compiled again inside no_recompilation\(\): <lambda>\n.*re-defined repeatedly"):
        with xlagate.no_recompilation():
            for _ in range(2):
                jax.jit(lambda x: x + 2)(jnp.ones(3))


def test_function_that_jax_explains_nothing_of():
    class Step:
        def __call__(self, x):
            return x + 3

    f, first, second = jax.jit(Step()), jnp.ones(3), jnp.ones(4)
    with pytest.raises(xlagate.Recompiled, match="compiled before in here"):
        with xlagate.no_recompilation():
            f(first), f(second)


def test_recompilation_names_the_argument():
    def step(x):
        return x + 1

    f, last, other = jax.jit(step), jnp.ones(3), jnp.ones(5)
    f(jnp.ones(8))
    with pytest.raises(xlagate.Recompiled, match=r"(?s)compiled again inside no_recompilation\(\): step\n.*at x, now f32\[3\] and before f32\[8\]"):
        with xlagate.no_recompilation():
            f(last)
    with xlagate.no_recompilation(allow=["st*"]):
        f(other)


def test_nothing_but_an_error_passes_through():
    with pytest.raises(KeyError):
        with xlagate.no_recompilation():
            raise KeyError


@pytest.mark.skipif(importlib.util.find_spec("libtpu") is None, reason="libtpu, the TPU's compiler, is not installed")
def test_device_that_is_not_here():
    f = xlagate.facts(product, square(256), jnp.ones((256, 256)), device="tpu-v5e")
    assert f.flops == 2 * 256**3


@pytest.mark.skipif(importlib.util.find_spec("jax_cuda12_plugin") is None, reason="JAX's CUDA plugin, with the GPU's compiler, is not installed")
@pytest.mark.parametrize("device", ["a100-sxm", "b200-sxm", "h100-sxm", "h200-sxm", str(pathlib.Path(devices.__file__).with_name("h100-sxm.txtpb"))])
def test_gpu_that_is_not_here(device):
    f = xlagate.facts(product, square(256), jnp.ones((256, 256)), device=device)
    assert f.flops >= 2 * 256**3 and f.step > 0


def test_cpu_by_its_name():
    assert xlagate.facts(product, square(8), square(8), device="cpu").flops == 2 * 8**3


def test_unknown_device():
    with pytest.raises(ValueError, match="cannot compile for a device called 'tpu-v9': there are cpu, tpu-v2, .*, h100-sxm"):
        xlagate.facts(product, square(8), square(8), device="tpu-v9")
