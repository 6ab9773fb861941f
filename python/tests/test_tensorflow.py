"""A tf.function is checked as a JAX function is, in a process of its own: TensorFlow and JAX do not share one gladly."""

import pytest

pytest.importorskip("tensorflow")

MODEL = '''
import tensorflow as tf

weights = tf.Variable(tf.ones((32, 8)))


@tf.function(jit_compile=True)
def step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(tf.nn.gelu(x @ weights)))
    weights.assign_sub(0.1 * tape.gradient(loss, weights))
    return loss
'''

TEST = '''
import pytest
import tensorflow as tf
from model import step


@pytest.mark.xlagate(max_kernels=40)
def test_step(xlagate):
    xlagate.check(step, tf.ones((16, 32)))
'''


def test_tensorflow(pytester):
    pytester.makepyfile(model=MODEL, test_model=TEST)

    def run(*args):
        return pytester.runpytest_subprocess("-p", "no:cacheprovider", *args)

    run("--xlagate-accept").assert_outcomes(passed=1)
    run().assert_outcomes(passed=1)
    path = pytester.path / "model.py"
    path.write_text(path.read_text().replace("tf.nn.gelu(x @ weights)", "tf.cumsum(tf.nn.gelu(x @ weights))"))
    result = run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*breaks max-step-time: *"])


def test_without_jit_compile(pytester):
    pytester.makepyfile(model=MODEL.replace("(jit_compile=True)", ""), test_model=TEST)
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "--xlagate-accept")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*jit_compile=True*"])
