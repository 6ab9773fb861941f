"""A linear regression in which XLA finds by itself what it can compile: TensorFlow's autoclustering."""

import os

# On a CPU autoclustering does nothing unless it is allowed to; append, so that the flags of whoever calls this stay.
os.environ["TF_XLA_FLAGS"] = os.environ.get("TF_XLA_FLAGS", "") + " --tf_xla_auto_jit=2 --tf_xla_cpu_global_jit"

import numpy as np
import tensorflow as tf

# Grappler would make MatMul and the addition one _FusedMatMul, for which XLA has no kernel: it would stay outside the cluster.
tf.config.optimizer.set_experimental_options({"remapping": False})

EXAMPLES, FEATURES, BATCH = 64, 8, 16
LEARNING_RATE = 0.1


def dataset():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((EXAMPLES, FEATURES)).astype(np.float32)
    y = x @ np.arange(FEATURES, dtype=np.float32)[:, None]
    return tf.data.Dataset.from_tensor_slices((x, y)).batch(BATCH, drop_remainder=True)


def make_train_step(weight, bias):
    @tf.function
    def train_step(iterator):
        x, y = next(iterator)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(x @ weight + bias - y))
        gradients = tape.gradient(loss, [weight, bias])
        weight.assign_sub(LEARNING_RATE * gradients[0])
        bias.assign_sub(LEARNING_RATE * gradients[1])
        return loss

    return train_step


def main():
    step = make_train_step(tf.Variable(tf.zeros([FEATURES, 1])), tf.Variable(tf.zeros([1])))
    iterator = iter(dataset())
    for i in range(EXAMPLES // BATCH):
        print(f"step {i}: loss {step(iterator):.4f}")


if __name__ == "__main__":
    main()
