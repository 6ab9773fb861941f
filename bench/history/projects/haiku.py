"""Programs over haiku's modules: forward, and gradient with respect to the parameters and the input."""
import collections
import collections.abc
import sys
import types

import jax
import jax.ad_checkpoint
import jax.core
import jax.experimental
import jax.extend.linear_util
import jax.interpreters.xla
import jax.lib
import jax.numpy as jnp
import numpy as np

# What older releases ask of JAX and of Python.
collections.Mapping, collections.Sequence = collections.abc.Mapping, collections.abc.Sequence
jax.api, sys.modules["jax.api"] = jax, jax
jax.linear_util = sys.modules["jax.linear_util"] = jax.extend.linear_util
jax.tree_flatten, jax.tree_unflatten = jax.tree.flatten, jax.tree.unflatten
jax.core.Primitive, jax.treedef_is_leaf, jax.xla = jax.extend.core.Primitive, jax.tree_util.treedef_is_leaf, jax.interpreters.xla
jax.interpreters.xla.xe = types.SimpleNamespace(PjitFunction=type(jax.jit(abs)), PmapFunction=type(jax.jit(abs)), CompiledFunction=type(jax.jit(abs)))
jax.lib.xla_client = types.SimpleNamespace(_xla=jax.interpreters.xla.xe)
jax.experimental.maps = types.SimpleNamespace(thread_resources=types.SimpleNamespace(env=types.SimpleNamespace(physical_mesh=types.SimpleNamespace(empty=True))))
jax.core.Jaxpr, jax.core.Literal, jax.core.Var = jax.extend.core.Jaxpr, jax.extend.core.Literal, jax.extend.core.Var
jax.core.ClosedJaxpr, jax.core.JaxprEqn, jax.core.call_impl = jax.extend.core.ClosedJaxpr, jax.extend.core.JaxprEqn, getattr(jax.extend.core, "call_impl", None)


def f32(*shape, scale=1.0):
    return (np.random.default_rng(sum(shape)).standard_normal(shape) * scale).astype(np.float32)


KEY = np.array([0, 1], np.uint32)
ROWS, TOKENS, IMAGE, SIGNAL, STEPS = f32(128, 256), f32(8, 64, 128), f32(8, 32, 32, 16), f32(8, 256, 32), f32(48, 16, 32)
IDS = np.random.default_rng(0).integers(0, 1000, (8, 64)).astype(np.int32)


def filled(shapes):
    """Parameters or state, without running what makes them."""
    return jax.tree.map(lambda s: (np.abs(f32(*s.shape, scale=0.1)) if jnp.issubdtype(s.dtype, jnp.floating) else np.zeros(s.shape)).astype(s.dtype), shapes)


def applied(hk, call, *inputs):
    """Output and changed state of a call that makes its modules."""
    function = hk.transform_with_state(call)
    params, state = filled(jax.eval_shape(lambda *x: function.init(KEY, *x), *inputs))
    return lambda p, s, *x: function.apply(p, s, KEY, *x), (dict(params), dict(state), *inputs)


def gradient(hk, call, *inputs):
    """The gradient of what a training step would sum."""
    function, args = applied(hk, call, *inputs)

    def loss(p, x, s):
        out, changed = function(p, s, *x)
        return sum(jnp.sum(leaf.astype(jnp.float32) ** 2) for leaf in jax.tree.leaves(out)), changed
    integers = not jnp.issubdtype(inputs[0].dtype, jnp.floating)
    return lambda p, s, *x: jax.grad(loss, 0 if integers else (0, 1), has_aux=True)(p, x, s), args


def named(hk):
    norm = {"create_scale": True, "create_offset": True}
    layers = {
        "linear": (lambda x: hk.Linear(256)(x), ROWS), "linear_no_bias": (lambda x: hk.Linear(256, with_bias=False)(x), TOKENS), "bias": (lambda x: hk.Bias()(x), IMAGE), "embed": (lambda x: hk.Embed(1000, 128)(x), IDS), "embed_one_hot": (lambda x: hk.Embed(1000, 128, lookup_style="ONE_HOT")(x), IDS),
        "multi_linear": (lambda x: hk.nets.MLP([256, 256, 64], activation=jax.nn.gelu)(x), ROWS), "mlp_dropout": (lambda x: hk.nets.MLP([256, 64])(x, dropout_rate=0.1, rng=hk.next_rng_key()), ROWS), "flatten": (lambda x: hk.Linear(10)(hk.Flatten()(x)), IMAGE),
        "conv": (lambda x: hk.Conv2D(32, 3)(x), IMAGE), "conv_strided": (lambda x: hk.Conv2D(32, 3, stride=2, padding="VALID")(x), IMAGE), "conv_dilated": (lambda x: hk.Conv1D(32, 3, rate=4)(x), SIGNAL), "conv_causal": (lambda x: hk.Conv1D(32, 4, padding=hk.pad.causal)(x), SIGNAL),
        "conv_masked": (lambda x: hk.Conv2D(16, 3, mask=np.ones((3, 3, 16, 16), np.float32))(x), IMAGE), "conv_transpose": (lambda x: hk.Conv2DTranspose(16, 3, stride=2)(x), IMAGE), "conv_depthwise": (lambda x: hk.DepthwiseConv2D(1, 3)(x), IMAGE), "conv_separable": (lambda x: hk.SeparableDepthwiseConv2D(1, 3)(x), IMAGE),
        "batch_norm": (lambda x: hk.BatchNorm(decay_rate=0.9, **norm)(x, is_training=True), IMAGE), "batch_norm_running": (lambda x: hk.BatchNorm(decay_rate=0.9, **norm)(x, is_training=hk.running_init()), IMAGE), "group_norm": (lambda x: hk.GroupNorm(4)(x), IMAGE), "instance_norm": (lambda x: hk.InstanceNorm(**norm)(x), IMAGE),
        "layer_norm": (lambda x: hk.LayerNorm(axis=-1, **norm)(x), TOKENS), "layer_norm_fast": (lambda x: hk.LayerNorm(axis=-1, use_fast_variance=True, **norm)(x), TOKENS), "layer_norm_bfloat16": (lambda x: hk.LayerNorm(axis=-1, **norm)(x.astype(jnp.bfloat16)), TOKENS), "rms_norm": (lambda x: hk.RMSNorm(axis=-1)(x), TOKENS),
        "dropout": (lambda x: hk.dropout(hk.next_rng_key(), 0.5, x), TOKENS), "dropout_broadcast": (lambda x: hk.dropout(hk.next_rng_key(), 0.5, x, broadcast_dims=(1,)), TOKENS), "moving_average": (lambda x: hk.ExponentialMovingAverage(0.9)(x), ROWS),
        "attention": (lambda x: hk.MultiHeadAttention(8, 16, w_init=hk.initializers.VarianceScaling())(x, x, x), TOKENS), "attention_masked": (lambda x: hk.MultiHeadAttention(8, 16, w_init=hk.initializers.VarianceScaling())(x, x, x, mask=jnp.tril(jnp.ones((1, 1, 64, 64)))), TOKENS),
        "vector_quantizer": (lambda x: hk.nets.VectorQuantizer(32, 256, 0.25)(x, True)["quantize"], SIGNAL), "vector_quantizer_average": (lambda x: hk.nets.VectorQuantizerEMA(32, 256, 0.25, 0.99)(x, True)["quantize"], SIGNAL),
        "spectral_norm": (lambda x: x @ hk.SpectralNorm()(hk.get_parameter("w", (256, 256), init=jnp.zeros)), ROWS), "resize": (lambda x: hk.Conv2D(8, 3)(hk.avg_pool(x, 2, 2, "SAME")), IMAGE), "max_pool": (lambda x: hk.max_pool(x, 3, 2, "SAME"), IMAGE), "avg_pool": (lambda x: hk.avg_pool(x, 3, 2, "SAME"), IMAGE),
        "resnet_block": (lambda x: hk.nets.ResNet.BlockGroup(channels=32, num_blocks=1, stride=2, bn_config={"decay_rate": 0.9, **norm}, resnet_v2=False, bottleneck=True, use_projection=True)(x, True, False), IMAGE), "resnet": (lambda x: hk.nets.ResNet18(10)(x, True), f32(2, 32, 32, 3)), "mobilenet": (lambda x: hk.nets.MobileNetV1((1, 2), (16, 32), num_classes=10)(x, True), f32(2, 32, 32, 3)),
        "remat": (lambda x: hk.remat(hk.nets.MLP([256, 256]))(x), ROWS), "vmap": (lambda x: hk.vmap(hk.Linear(32), split_rng=False)(x), TOKENS),
    }
    for cell, make in {"lstm": lambda: hk.LSTM(64), "gru": lambda: hk.GRU(64), "vanilla": lambda: hk.VanillaRNN(64), "deep": lambda: hk.DeepRNN([hk.LSTM(32), jax.nn.relu, hk.GRU(32)]), "reset": lambda: hk.ResetCore(hk.LSTM(32))}.items():
        def unrolled(x, make=make, cell=cell):
            core = make()
            return hk.dynamic_unroll(core, (x, jnp.zeros(x.shape[:2], bool)) if cell == "reset" else x, core.initial_state(x.shape[1]))[0]
        layers[cell] = unrolled, STEPS
    layers["conv_lstm"] = lambda x: (lambda core: hk.dynamic_unroll(core, x, core.initial_state(2))[0])(hk.Conv2DLSTM((16, 16), 8, 3)), f32(6, 2, 16, 16, 4)
    layers["static_unroll"] = lambda x: (lambda core: hk.static_unroll(core, x, core.initial_state(16))[0])(hk.GRU(32)), STEPS[:4]
    layers["scan"] = lambda x: (lambda linear: hk.scan(lambda c, row: (jnp.tanh(linear(c + row)), row), linear(x[0]), x)[0])(hk.Linear(32)), STEPS
    layers["layer_stack"] = lambda x: hk.experimental.layer_stack(4)(lambda h: h + hk.nets.MLP([256, 128])(hk.LayerNorm(-1, True, True)(h)))(x), TOKENS
    for name, (call, *inputs) in layers.items():
        yield name, lambda call=call, inputs=inputs: gradient(hk, call, *inputs)
    for name in ("linear", "batch_norm_running", "layer_norm", "attention", "lstm"):
        call, *inputs = layers[name]
        yield name + "_forward", lambda call=call, inputs=inputs: applied(hk, call, *inputs)
