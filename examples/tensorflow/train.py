"""A small convolutional classifier. The whole train step is one XLA program: tf.function(jit_compile=True)."""

import argparse

import numpy as np
import tensorflow as tf

BATCH, SIDE, CLASSES = 16, 16, 10
LEARNING_RATE = 0.05


class Model(tf.Module):
    def __init__(self, rng):
        def variable(*shape):
            return tf.Variable((rng.standard_normal(shape) / np.sqrt(np.prod(shape[:-1]))).astype(np.float32))

        self.conv1, self.conv2 = variable(3, 3, 3, 16), variable(3, 3, 16, 32)
        self.dense, self.bias = variable(32, CLASSES), tf.Variable(tf.zeros(CLASSES))

    def __call__(self, image):
        with tf.name_scope("conv1"):
            x = tf.nn.gelu(tf.nn.conv2d(image, self.conv1, strides=2, padding="SAME"), approximate=True)
        with tf.name_scope("conv2"):
            x = tf.nn.gelu(tf.nn.conv2d(x, self.conv2, strides=2, padding="SAME"), approximate=True)
        with tf.name_scope("classifier"):
            return tf.reduce_mean(x, axis=[1, 2]) @ self.dense + self.bias


def make_train_step(model):
    @tf.function(jit_compile=True)
    def train_step(image, label):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(label, model(image)))
        for variable, gradient in zip(model.trainable_variables, tape.gradient(loss, model.trainable_variables)):
            variable.assign_sub(LEARNING_RATE * gradient)
        return loss

    return train_step


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=3)
    rng = np.random.default_rng(0)
    step = make_train_step(Model(rng))
    for i in range(parser.parse_args().steps):
        image = tf.constant(rng.standard_normal((BATCH, SIDE, SIDE, 3)).astype(np.float32))
        label = tf.constant(rng.integers(CLASSES, size=BATCH))
        print(f"step {i}: loss {step(image, label):.4f}")


if __name__ == "__main__":
    main()
