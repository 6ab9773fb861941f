"""Every test runs pytest on a project of its own, in this process: JAX is imported once."""

import flax.linen
import jax
import jax.numpy
import pytest

pytest_plugins = ["pytester"]

MODEL = '''
import flax.linen as nn
import jax
import jax.numpy as jnp


class MLP(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(8)(nn.gelu(nn.Dense(64)(x)))


model = MLP()
batch = jax.ShapeDtypeStruct((16, 32), "float32")
params = jax.eval_shape(model.init, jax.random.key(0), batch)


def loss(params, x):
    return jnp.square(model.apply(params, x)).mean()


def train_step(params, x):
    grads = jax.grad(loss)(params, x)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)


step = jax.jit(train_step, donate_argnums=0)
'''

TEST = '''
import pytest
from model import batch, params, step


@pytest.mark.xlagate(MARKER)
def test_step(xlagate):
    xlagate.check(step, params, batch)
'''


class Project:
    """A model with a test of it, whose baseline was accepted."""

    def __init__(self, pytester, marker=""):
        self.pytester = pytester
        pytester.makepyfile(model=MODEL, test_model=TEST.replace("MARKER", marker))
        self.run("--xlagate-accept").assert_outcomes(passed=1)

    def run(self, *args):
        return self.pytester.runpytest_inprocess("-p", "no:cacheprovider", *args)

    def edit(self, old, new, file="model.py"):
        path = self.pytester.path / file
        text = path.read_text()
        assert text.count(old) == 1
        path.write_text(text.replace(old, new))


@pytest.fixture(autouse=True)
def kept(monkeypatch, tmp_path_factory):
    """The folder of the dumps that this test keeps."""
    folder = tmp_path_factory.mktemp("kept")
    monkeypatch.setenv("XLAGATE_CACHE", str(folder))
    return folder


@pytest.fixture
def project(pytester):
    return lambda marker="": Project(pytester, marker)
