"""Functions whose arguments have names, and one that cannot be traced."""

import traceback

import tensorflow as tf

kernel = tf.Variable(tf.ones([8, 16]), name="dense/kernel")
scale = tf.constant([1.0, 2.0])


@tf.function(jit_compile=True)
def pick(images, axis, labels):
    return tf.argmax(images @ kernel, axis=axis), labels * scale


@tf.function(jit_compile=True)
def broken(x):
    return x @ tf.ones([3, 3])


@tf.function
def step(images):
    return tf.nn.softmax(tf.nn.relu(images @ kernel) * 2.0) + 1.0


pick(tf.ones([4, 8]), tf.constant(1), tf.ones([4, 2]))
step(tf.ones([4, 8]))
try:
    broken(tf.ones([4, 8]))
except ValueError:
    traceback.print_exc()
