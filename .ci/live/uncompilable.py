"""An operation that XLA has no kernel for, under jit_compile=True."""

import tensorflow as tf


@tf.function(jit_compile=True)
def load(x):
    return x * 2.0, tf.io.read_file("weights.bin")


load(tf.ones([4]))
