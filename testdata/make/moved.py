"""Two layers under autoclustering on two logical devices: moved.py CPU:0|CPU:1, where the second runs."""
import sys

import numpy as np
import tensorflow as tf

cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
rng = np.random.default_rng(0)
w1, w2 = (tf.Variable(rng.normal(size=s).astype("f")) for s in [(16, 32), (32, 8)])


def predict(x):
    h = tf.nn.relu(x @ w1)
    with tf.device(sys.argv[1]):
        z = tf.tanh(h @ w2)
    return z / (1e-6 + tf.norm(z, axis=-1, keepdims=True))


@tf.function
def train(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(predict(x) - y))
    for v, g in zip([w1, w2], tape.gradient(loss, [w1, w2])):
        v.assign_sub(0.1 * g)
    return loss


for _ in range(2):
    train(tf.ones([4, 16]), tf.ones([4, 8]))
