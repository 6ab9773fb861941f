"""TensorFlow functions, compiled or clustered by XLA: functions.py CASE."""

import sys

import tensorflow as tf

SQUARE = tf.ones([10, 10])


def axis_python():
    """A Python number is part of the trace: a new one, a new program."""

    @tf.function(jit_compile=True)
    def largest(a, axis):
        return tf.math.argmax(a, axis=axis)

    for axis in (0, 0, 1):
        largest(SQUARE, axis)


def axis_tensor():
    """One trace; but XLA needs the axis as a constant, so every value is a program."""

    @tf.function(jit_compile=True)
    def largest(a, axis):
        return tf.math.argmax(a, axis=axis)

    for axis in (0, 0, 1):
        largest(SQUARE, tf.constant(axis))


def axis_fixed():
    """One axis, one program; the data is transposed outside."""

    @tf.function(jit_compile=True)
    def largest(a):
        return tf.math.argmax(a, axis=0)

    for axis in (0, 0, 1):
        largest(tf.transpose(SQUARE) if axis else SQUARE)


def tail():
    """The last batch is shorter than the others."""

    @tf.function(jit_compile=True)
    def train_step(x):
        return tf.reduce_sum(tf.nn.softmax(x @ tf.ones([6, 6])))

    for x in tf.data.Dataset.from_tensor_slices(tf.ones([22, 6])).batch(8):
        train_step(x)


def print_between(printing=True):
    """A print in the middle parts what would be one cluster: it goes, and two become one."""
    w1, w2 = tf.Variable(tf.ones([256, 128])), tf.Variable(tf.ones([128, 256]))

    @tf.function
    def step(x):
        h = tf.nn.softmax(tf.tanh(x @ w1) * 2.0 + 1.0)
        if printing:
            tf.print("mean", tf.reduce_mean(h))
        y = tf.nn.relu(h @ w2 + 1.0)
        return tf.tanh(y / tf.reduce_sum(y, -1, keepdims=True))

    step(tf.ones([64, 256]))


def print_gone():
    print_between(printing=False)


def norm_printed(printing=True):
    """The same with a printed value that is computed in the first cluster: without it that one takes over all, for the same arguments."""
    w = tf.Variable(tf.ones([16, 32]))

    @tf.function
    def forward(x):
        h = tf.nn.relu(x @ w + 1.0)
        if printing:
            tf.print("norm", tf.norm(h))
        y = tf.tanh(h) * 2.0 - tf.exp(-h)
        return tf.sigmoid(y / tf.reduce_sum(y, -1, keepdims=True))

    forward(tf.ones([8, 16]))


def norm_gone():
    norm_printed(printing=False)


def gelu_printed(printing=True):
    """A printed norm keeps what gelu and its gradient share: without it one cluster computes that again instead of keeping it."""
    w1, w2 = tf.Variable(tf.ones([32, 64])), tf.Variable(tf.ones([64, 8]))

    @tf.function
    def step(x, target):
        with tf.GradientTape() as tape:
            h = tf.nn.gelu(x @ w1)
            if printing:
                tf.print("norm", tf.norm(h))
            loss = tf.reduce_mean(tf.square(tf.nn.softmax(h @ w2) - target))
        for w, g in zip((w1, w2), tape.gradient(loss, (w1, w2))):
            w.assign_sub(0.1 * g)
        return loss

    step(tf.ones([16, 32]), tf.ones([16, 8]))


def gelu_gone():
    gelu_printed(printing=False)


def condition_between(condition=True):
    """A condition is no part of a cluster: what comes before it and its branches are clusters of their own."""
    w1, w2 = tf.Variable(tf.ones([16, 32])), tf.Variable(tf.ones([32, 8]))

    @tf.function
    def forward(x):
        h = tf.nn.relu(x @ w1 + 1.0)
        norm = tf.sqrt(tf.reduce_sum(h * h))
        if condition:
            h = tf.cond(norm > 1.0, lambda: tf.tanh(h / norm), lambda: tf.tanh(h * norm))
        else:
            h = tf.where(norm > 1.0, tf.tanh(h / norm), tf.tanh(h * norm))
        return tf.nn.softmax(tf.tanh(h @ w2) + 1.0)

    forward(tf.ones([8, 16]))


def condition_gone():
    condition_between(condition=False)


def traced_again(rows=(8, 9)):
    """A function without a signature is traced for every shape, and its clusters are numbered on."""
    w = tf.Variable(tf.ones([16, 32]))

    @tf.function
    def forward(x):
        h = tf.nn.relu(x @ w + 1.0)
        return tf.tanh(h / tf.reduce_sum(h, -1, keepdims=True))

    for n in rows:
        forward(tf.ones([n, 16]))


def traced_once():
    traced_again(rows=(8, 8))


def clean():
    """Everything that does work ends in one cluster."""
    w = tf.Variable(tf.ones([16, 32]))

    @tf.function
    def forward(x):
        h = tf.nn.relu(x @ w + 1.0)
        h = h / tf.reduce_sum(h, -1, keepdims=True)
        return tf.tanh(h) * tf.exp(-h)

    forward(tf.ones([8, 16]))


def unclusterable():
    """Operations without an XLA kernel, between such as have one."""
    keys = tf.lookup.KeyValueTensorInitializer(["a", "b"], [1.0, 2.0])
    table = tf.lookup.StaticHashTable(keys, 0.0)

    @tf.function
    def messy(x, names):
        h = tf.nn.softmax(tf.tanh(x) * 2.0 + tf.exp(-x))
        h = tf.ensure_shape(tf.py_function(lambda v: v + 1, [h], tf.float32), [8, 16])
        h = tf.sigmoid(h) * 3.0 - tf.square(h)
        tf.print("sum", tf.reduce_sum(h))
        h = h * tf.reduce_max(table.lookup(tf.strings.lower(names))) + tf.sqrt(tf.abs(h)) - 1.0
        unique, _ = tf.unique(tf.cast(tf.boolean_mask(h, h > 0.1) * 4.0, tf.int32))
        return h, tf.strings.length(tf.strings.as_string(tf.reduce_sum(unique)))

    messy(tf.ones([8, 16]), tf.constant(["A", "c"]))


def train():
    """A train step that fetches its own data: IteratorGetNext is never clustered, and need not be."""
    w, seen = tf.Variable(tf.zeros([4, 1])), tf.Variable(0, dtype=tf.int64)
    x = tf.reshape(tf.range(64.0), [16, 4]) / 64.0
    data = tf.data.Dataset.from_tensor_slices((x, tf.reduce_sum(x, 1, keepdims=True))).batch(4)

    @tf.function
    def step(iterator):
        x, y = next(iterator)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(x @ w - y))
        w.assign_sub(0.1 * tape.gradient(loss, w))
        seen.assign_add(4)
        return loss

    iterator = iter(data)
    for _ in range(3):
        step(iterator)


def keras_fit(validated=False):
    """Keras compiles the steps of fit and of its validation under one name."""
    x, y = tf.ones([16, 8]), tf.zeros([16], tf.int32)
    model = tf.keras.Sequential([tf.keras.layers.Dense(16, activation="relu"), tf.keras.layers.Dense(4)])
    model.compile("sgd", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), jit_compile=True)
    model.fit(x, y, batch_size=8, verbose=0, validation_data=(x, y) if validated else None)


def keras_validated():
    keras_fit(True)


globals()[sys.argv[1]]()
