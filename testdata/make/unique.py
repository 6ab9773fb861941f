"""Two layers under autoclustering, with tf.unique between them or without: unique.py with|without."""
import os
import sys

os.environ.setdefault("TF_XLA_FLAGS", "")
os.environ["TF_XLA_FLAGS"] += " --tf_xla_auto_jit=2 --tf_xla_cpu_global_jit --tf_xla_min_cluster_size=2"
import numpy as np
import tensorflow as tf


class Toy(tf.Module):
    def __init__(self):
        rng = np.random.default_rng(0)
        self.w1 = tf.Variable(rng.standard_normal((32, 64)).astype("f") * 0.1, name="w1")
        self.w2 = tf.Variable(rng.standard_normal((64, 8)).astype("f") * 0.1, name="w2")
        self.step = tf.Variable(0, dtype=tf.int64, name="step")

    def __call__(self, x):
        h = tf.nn.relu(x @ self.w1)
        if sys.argv[1] == "with":
            scale = tf.cast(tf.size(tf.unique(tf.reshape(h, [-1])).y), tf.float32)
            h = h / scale
        h = tf.tanh(h) * tf.sigmoid(h)
        return tf.nn.softmax(h @ self.w2)


toy = Toy()


@tf.function
def train(x, y):
    with tf.GradientTape() as tape:
        p = toy(x)
        loss = tf.reduce_mean(tf.square(p - y))
    vs = [toy.w1, toy.w2]
    for v, g in zip(vs, tape.gradient(loss, vs)):
        v.assign_sub(0.1 * g)
    toy.step.assign_add(1)
    return loss


@tf.function
def epoch(it):
    loss = 0.0
    for _ in range(2):
        x, y = next(it)
        loss += train(x, y)
    return loss


def main():
    rng = np.random.default_rng(1)
    ds = tf.data.Dataset.from_tensor_slices((rng.standard_normal((64, 32)).astype("f"), rng.standard_normal((64, 8)).astype("f"))).batch(16, drop_remainder=True).repeat()
    it = iter(ds)
    for i in range(2):
        print(i, float(epoch(it)))


main()
