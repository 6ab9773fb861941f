"""A compiled stack of layers: layers.py COUNT."""
import sys

import tensorflow as tf


class Layer(tf.Module):
    def __init__(self):
        super().__init__()
        self.up = tf.Variable(tf.ones([8, 16]))
        self.down = tf.Variable(tf.ones([16, 8]))

    def __call__(self, x):
        return x + tf.tanh(x @ self.up) @ self.down


layers = [Layer() for _ in range(int(sys.argv[1]))]
head = tf.Variable(tf.ones([8, 3]))


@tf.function(jit_compile=True)
def train(x):
    with tf.GradientTape() as tape:
        h = x
        for layer in layers:
            h = layer(h)
        loss = tf.reduce_mean(tf.square(h @ head))
    variables = [head] + [v for layer in layers for v in layer.trainable_variables]
    for v, g in zip(variables, tape.gradient(loss, variables)):
        v.assign_sub(0.1 * g)
    return loss


train(tf.ones([4, 8]))
