"""A function that counts its calls: autoclustering leaves that outside, and need not cluster it."""

import tensorflow as tf

calls = tf.Variable(0)


@tf.function
def count():
    calls.assign_add(1)


count()
