"""Stores every stage of one function's compiler IR: compiler_ir.py DIR."""

import pathlib
import sys

import tensorflow as tf

STAGES = ("hlo", "hlo_no_metadata", "hlo_serialized", "optimized_hlo", "optimized_hlo_serialized", "optimized_hlo_proto_serialized", "optimized_hlo_dot")


@tf.function(jit_compile=True)
def score(x, w):
    return tf.nn.softmax(x @ w) * 2.0


to = pathlib.Path(sys.argv[1])
to.mkdir()
ir = score.experimental_get_compiler_ir(tf.ones([4, 8]), tf.ones([8, 16]))
for stage in STAGES:
    text = ir(stage=stage)
    (to / stage).write_bytes(text if isinstance(text, bytes) else text.encode())
