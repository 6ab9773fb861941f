"""Programs over flax's layers of linen: forward, and gradient with respect to the parameters and the input."""
import sys
import types

import jax
import jax.core
import jax.experimental
import jax.extend
import jax.numpy as jnp
import numpy as np

# What releases before the end of 2024 ask of JAX. There is one level of tracing where nothing is run by hand.
jax.core.find_top_trace = lambda tracers: types.SimpleNamespace(level=0)
jax.config.define_bool_state = lambda name, default, help: setattr(type(jax.config), name, default)
jax.random.default_prng_impl = lambda: types.SimpleNamespace(key_shape=(2,))
jax.nn.normalize, jax.tree_util.register_keypaths = jax.nn.standardize, lambda *_: None
jax.linear_util = sys.modules["jax.linear_util"] = jax.extend.linear_util
jax.experimental.maps = sys.modules["jax.experimental.maps"] = types.SimpleNamespace(thread_resources=types.SimpleNamespace(env=types.SimpleNamespace(physical_mesh=types.SimpleNamespace(empty=True, devices=np.zeros(())))))


def f32(*shape, scale=1.0):
    return (np.random.default_rng(sum(shape)).standard_normal(shape) * scale).astype(np.float32)


KEY = np.array([0, 1], np.uint32)
ROWS, TOKENS, IMAGE, SIGNAL = f32(128, 256), f32(8, 64, 128), f32(8, 32, 32, 16), f32(8, 256, 32)
IDS = np.random.default_rng(0).integers(0, 1000, (8, 64)).astype(np.int32)


def variables(flax, module, *inputs, **options):
    """Variables of a module, filled without running it."""
    shapes = jax.eval_shape(lambda *x: module.init({"params": KEY, "dropout": KEY}, *x, **options), *inputs)
    return jax.tree.map(lambda s: (np.abs(f32(*s.shape, scale=0.1)) if jnp.issubdtype(s.dtype, jnp.floating) else np.zeros(s.shape)).astype(s.dtype), flax.core.unfreeze(shapes))


def applied(flax, module, *inputs, **options):
    """Output and changed variables."""
    return lambda v, *x: module.apply(v, *x, rngs={"dropout": KEY}, mutable=[name for name in v if name != "params"], **options), (variables(flax, module, *inputs, **options), *inputs)


def gradient(flax, module, *inputs, **options):
    """The gradient of what a training step would sum."""
    function, args = applied(flax, module, *inputs, **options)

    def loss(x, v):
        out, changed = function(v, *x)
        return sum(jnp.sum(leaf.astype(jnp.float32) ** 2) for leaf in jax.tree.leaves(out)), changed
    if not jnp.issubdtype(inputs[0].dtype, jnp.floating):
        return lambda v, *x: jax.grad(lambda p: loss(x, {**v, "params": p}), has_aux=True)(v["params"]), args
    return lambda v, *x: jax.grad(lambda x, p: loss(x, {**v, "params": p}), (0, 1), has_aux=True)(x, v.get("params", {})), args


def named(flax):
    nn = flax.linen
    layers = {
        "dense": (lambda: nn.Dense(256), ROWS), "dense_bfloat16": (lambda: nn.Dense(256, dtype=jnp.bfloat16), ROWS), "dense_general": (lambda: nn.DenseGeneral((8, 16), axis=(-2, -1)), f32(64, 8, 32)), 
        "einsum": (lambda: nn.Einsum((128, 8, 16), "abc,cde->abde"), TOKENS), "dense_fp8": (lambda: nn.Dense(64, dot_general_cls=nn.Fp8DotGeneralOp), f32(64, 64)), "embed": (lambda: nn.Embed(1000, 128), IDS),
        "conv": (lambda: nn.Conv(32, (3, 3)), IMAGE), "conv_strided": (lambda: nn.Conv(32, (3, 3), strides=2, padding="VALID"), IMAGE), "conv_depthwise": (lambda: nn.Conv(16, (3, 3), feature_group_count=16), IMAGE), "conv_circular": (lambda: nn.Conv(16, (3, 3), padding="CIRCULAR"), IMAGE),
        "conv_causal": (lambda: nn.Conv(32, (4,), padding="CAUSAL"), SIGNAL), "conv_dilated": (lambda: nn.Conv(32, (3,), kernel_dilation=4), SIGNAL), "conv_transpose": (lambda: nn.ConvTranspose(16, (3, 3), strides=(2, 2)), IMAGE), "conv_local": (lambda: nn.ConvLocal(16, (3,)), f32(8, 64, 16)),
       
        "batch_norm": (lambda: nn.BatchNorm(use_running_average=False), IMAGE), "batch_norm_running": (lambda: nn.BatchNorm(use_running_average=True), IMAGE), "batch_norm_slow": (lambda: nn.BatchNorm(use_running_average=False, use_fast_variance=False), IMAGE), "batch_norm_bfloat16": (lambda: nn.BatchNorm(use_running_average=False, dtype=jnp.bfloat16), IMAGE),
        "layer_norm": (lambda: nn.LayerNorm(), TOKENS), "layer_norm_slow": (lambda: nn.LayerNorm(use_fast_variance=False), TOKENS), "layer_norm_bfloat16": (lambda: nn.LayerNorm(dtype=jnp.bfloat16), TOKENS), "rms_norm": (lambda: nn.RMSNorm(), TOKENS), "group_norm": (lambda: nn.GroupNorm(4), IMAGE), "group_norm_slow": (lambda: nn.GroupNorm(4, use_fast_variance=False), IMAGE), "instance_norm": (lambda: nn.InstanceNorm(), IMAGE),
        "weight_norm": (lambda: nn.WeightNorm(nn.Dense(256)), ROWS), "dropout": (lambda: nn.Dropout(0.5, deterministic=False), TOKENS), "dropout_broadcast": (lambda: nn.Dropout(0.5, broadcast_dims=(1,), deterministic=False), TOKENS), "prelu": (lambda: nn.PReLU(), TOKENS),
        "mlp": (lambda: nn.Sequential([nn.Dense(256), nn.relu, nn.LayerNorm(), nn.Dense(64), nn.gelu, nn.Dropout(0.1, deterministic=False)]), ROWS),
        "convolutional_network": (lambda: nn.Sequential([nn.Conv(16, (3, 3)), nn.GroupNorm(4), nn.relu, lambda x: nn.max_pool(x, (2, 2), (2, 2)), nn.Conv(32, (3, 3)), nn.relu, lambda x: nn.avg_pool(x, (2, 2), (2, 2)), lambda x: x.reshape(x.shape[0], -1), nn.Dense(10)]), IMAGE),
    }
    for cell in ("LSTMCell", "OptimizedLSTMCell", "GRUCell", "MGUCell", "SimpleCell"):
        layers[cell.lower()] = (lambda cell=cell: nn.RNN(getattr(nn, cell)(64)), SIGNAL)
    layers["rnn_reversed"] = (lambda: nn.RNN(nn.GRUCell(32), reverse=True, keep_order=True), SIGNAL)
    layers["bidirectional"] = (lambda: nn.Bidirectional(nn.RNN(nn.GRUCell(32)), nn.RNN(nn.GRUCell(32))), SIGNAL)
    layers["conv_lstm"] = (lambda: nn.RNN(nn.ConvLSTMCell(8, (3, 3))), f32(2, 8, 16, 16, 4))
    for name, options in {"attention": {}, "attention_dropout": {"dropout_rate": 0.1, "deterministic": False}, "attention_bfloat16": {"dtype": jnp.bfloat16}, "attention_normalized": {"normalize_qk": True}}.items():
        layers[name] = (lambda options=options: nn.MultiHeadDotProductAttention(8, **options), TOKENS, TOKENS)
    for name, (make, *inputs) in layers.items():
        yield name, lambda make=make, inputs=inputs: gradient(flax, make(), *inputs)
    for name in ("dense", "batch_norm_running", "layer_norm", "attention"):
        make, *inputs = layers[name]
        yield name + "_forward", lambda make=make, inputs=inputs: applied(flax, make(), *inputs)
    yield "self_attention", lambda: gradient(flax, nn.SelfAttention(8), TOKENS)
    yield "attention_decode", lambda: (lambda cache, p, x: nn.SelfAttention(8, decode=True).apply({"params": p, "cache": cache}, x, mutable=["cache"]), (*(variables(flax, nn.SelfAttention(8, decode=True), TOKENS)[name] for name in ("cache", "params")), TOKENS[:, :1]))
    yield "attention_causal", lambda: gradient(flax, nn.MultiHeadDotProductAttention(8), TOKENS, TOKENS, mask=np.tril(np.ones((1, 1, 64, 64), bool)))
    yield "spectral_norm", lambda: gradient(flax, nn.SpectralNorm(nn.Dense(256)), ROWS, update_stats=True)
    yield "batch_norm_masked", lambda: gradient(flax, nn.BatchNorm(use_running_average=False), IMAGE, mask=np.ones((8, 32, 32, 1), bool))
    yield "rnn_lengths", lambda: gradient(flax, nn.RNN(nn.LSTMCell(32)), SIGNAL, seq_lengths=np.arange(100, 108, dtype=np.int32))
    yield "dot_product_attention", lambda: (jax.grad(lambda q, k, v: jnp.sum(nn.dot_product_attention(q, k, v) ** 2), (0, 1, 2)), (f32(8, 64, 8, 16),) * 3)
    for name in ("avg_pool", "max_pool"):
        yield name, lambda name=name: (jax.grad(lambda x: jnp.sum(getattr(nn, name)(x, (3, 3), strides=(2, 2), padding="SAME") ** 2)), (IMAGE,))

    class Block(nn.Module):
        @nn.compact
        def __call__(self, x, _=None):
            x = x + nn.MultiHeadDotProductAttention(4)(nn.LayerNorm()(x), nn.LayerNorm()(x))
            return x + nn.Dense(128)(nn.Dropout(0.1, deterministic=False)(nn.gelu(nn.Dense(256)(nn.LayerNorm()(x))))), None
    split = {"params": True, "dropout": True}
    yield "block", lambda: gradient(flax, Block(), TOKENS)
    yield "block_scanned", lambda: gradient(flax, nn.scan(Block, variable_axes={"params": 0}, split_rngs=split, length=3)(), TOKENS)
    yield "block_scanned_remat", lambda: gradient(flax, nn.scan(nn.remat(Block, prevent_cse=False), variable_axes={"params": 0}, split_rngs=split, length=3)(), TOKENS)
    yield "block_vmapped", lambda: gradient(flax, nn.vmap(Block, variable_axes={"params": 0}, split_rngs=split)(), f32(4, 2, 64, 128))
    yield "block_jitted", lambda: gradient(flax, nn.jit(Block)(), TOKENS)
