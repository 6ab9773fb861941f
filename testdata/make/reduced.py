"""Collectives of TensorFlow's own between functions that XLA compiles: reduced.py CASE."""

import sys

import tensorflow as tf


def together(apart=False):
    """Two compiled functions, with TensorFlow's own collectives between them, as Horovod has it: one for both gradients."""
    tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2)
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    with strategy.scope():
        weights, bias = tf.Variable(tf.ones([16, 16])), tf.Variable(tf.ones([16]))

    @tf.function(jit_compile=True)
    def gradients(x, w, b):
        with tf.GradientTape() as tape:
            tape.watch([w, b])
            loss = tf.reduce_sum(tf.tanh(x @ w + b))
        return tape.gradient(loss, [w, b])

    @tf.function(jit_compile=True)
    def update(w, b, dw, db):
        return w - 0.1 * dw, b - 0.1 * db

    def replica_step(x):
        average, replica = tf.distribute.ReduceOp.MEAN, tf.distribute.get_replica_context()
        w, b = weights.read_value(), bias.read_value()
        dw, db = gradients(x, w, b)
        if apart:
            dw, db = replica.all_reduce(average, dw), replica.all_reduce(average, db)
        else:
            both = replica.all_reduce(average, tf.concat([tf.reshape(dw, [256]), db], 0))
            dw, db = tf.reshape(both[:256], [16, 16]), both[256:]
        return tf.reduce_sum(update(w, b, dw, db)[0])

    @tf.function
    def train_step(x):
        return strategy.run(replica_step, args=(x,))

    for _ in range(2):
        train_step(tf.ones([8, 16]))


def apart():
    """The same with a collective for each gradient."""
    together(True)


globals()[sys.argv[1]]()
