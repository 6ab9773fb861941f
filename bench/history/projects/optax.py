"""Programs over optax's losses, optimizers and projections: whatever of them a release has."""
import functools

import jax
import jax.numpy as jnp
import numpy as np


def f32(*shape, scale=1.0):
    return (np.random.default_rng(sum(shape)).standard_normal(shape) * scale).astype(np.float32)


LOGITS, LABELS = f32(256, 200), np.random.default_rng(0).integers(0, 200, 256).astype(np.int32)
ONE_HOT = np.eye(200, dtype=np.float32)[LABELS]
PROBABILITIES = np.exp(LOGITS) / np.exp(LOGITS).sum(1, keepdims=True)
BINARY = (f32(256, 200) > 0).astype(np.float32)
SIGNS = np.sign(f32(256))
VECTOR = f32(4096)

LOSSES = {
    "softmax_cross_entropy": (LOGITS, ONE_HOT), "softmax_cross_entropy_with_integer_labels": (LOGITS, LABELS), "safe_softmax_cross_entropy": (LOGITS, ONE_HOT),
    "sigmoid_binary_cross_entropy": (LOGITS, BINARY), "sigmoid_focal_loss": (LOGITS, BINARY), "poly_loss_cross_entropy": (LOGITS, ONE_HOT),
    "l2_loss": (LOGITS, ONE_HOT), "squared_error": (LOGITS, ONE_HOT), "huber_loss": (LOGITS, ONE_HOT), "log_cosh": (LOGITS, ONE_HOT),
    "cosine_similarity": (LOGITS, ONE_HOT), "cosine_distance": (LOGITS, ONE_HOT), "hinge_loss": (LOGITS[:, 0], SIGNS), "perceptron_loss": (LOGITS[:, 0], SIGNS),
    "multiclass_hinge_loss": (LOGITS, LABELS), "multiclass_perceptron_loss": (LOGITS, LABELS), "kl_divergence": (np.log(PROBABILITIES), PROBABILITIES[::-1].copy()),
    "kl_divergence_with_log_targets": (np.log(PROBABILITIES), np.log(PROBABILITIES[::-1])), "convex_kl_divergence": (np.log(PROBABILITIES), PROBABILITIES[::-1].copy()),
    "generalized_kl_divergence": (np.log(PROBABILITIES), PROBABILITIES[::-1].copy()), "ntxent": (f32(64, 32), np.arange(64, dtype=np.int32) // 2),
    "triplet_margin_loss": (f32(256, 64), f32(256, 64)[::-1].copy(), f32(256, 64) * 2), "multiclass_sparsemax_loss": (LOGITS, LABELS),
    "sparsemax_loss": (LOGITS[:, 0], SIGNS), "smooth_labels": (ONE_HOT, 0.1), "dice_loss": (LOGITS, BINARY), "multiclass_generalized_dice_loss": (LOGITS, BINARY),
    "ctc_loss": (f32(4, 32, 20), np.zeros((4, 32), np.float32), np.random.default_rng(0).integers(1, 20, (4, 8)).astype(np.int32), np.zeros((4, 8), np.float32)),
}

PROJECTIONS = {
    "projection_simplex": (VECTOR,), "projection_l1_ball": (VECTOR,), "projection_l2_ball": (VECTOR,), "projection_linf_ball": (VECTOR,), "projection_l1_sphere": (VECTOR,),
    "projection_l2_sphere": (VECTOR,), "projection_non_negative": (VECTOR,), "projection_box": (VECTOR, -0.5, 0.5), "projection_hypercube": (VECTOR,),
    "projection_halfspace": (VECTOR, f32(4096), 1.0), "projection_hyperplane": (VECTOR, f32(4096), 1.0), "projection_vector": (VECTOR, f32(4096)),
}

PARAMS = {"embedding": f32(200, 64), "dense": {"w": f32(64, 256), "b": f32(256)}, "out": {"w": f32(256, 64), "b": f32(64)}}
GRADS = jax.tree.map(lambda p: p[::-1] * 0.1, PARAMS)

OPTIMIZERS = {
    **{name: functools.partial(lambda name, o: getattr(o, name)(1e-3), name) for name in (
        "adam", "adamw", "adan", "nadam", "nadamw", "adabelief", "adadelta", "adafactor", "adagrad", "adamax", "adamaxw", "amsgrad", "fromage", "lamb", "lars", "lion", "novograd",
        "optimistic_gradient_descent", "optimistic_adam", "optimistic_adam_v2", "radam", "rmsprop", "rprop", "sign_sgd", "signum", "sm3", "yogi")},
    **{name: functools.partial(lambda name, o: getattr(o.contrib, name)(1e-3), name) for name in (
        "acprop", "ademamix", "cocob", "dadapt_adamw", "dog", "dowg", "galore", "madgrad", "muon", "prodigy", "schedule_free_adamw", "schedule_free_sgd", "simplified_ademamix", "sophia")},
    "sgd": lambda o: o.sgd(1e-3, momentum=0.9), "sgd_nesterov": lambda o: o.sgd(1e-3, momentum=0.9, nesterov=True), "noisy_sgd": lambda o: o.noisy_sgd(1e-3),
    "adamw_schedule": lambda o: o.adamw(o.warmup_cosine_decay_schedule(0.0, 1e-3, 100, 1000)), "clip": lambda o: o.chain(o.clip(1.0), o.adam(1e-3)),
    "clip_by_global_norm": lambda o: o.chain(o.clip_by_global_norm(1.0), o.adam(1e-3)), "adaptive_grad_clip": lambda o: o.chain(o.adaptive_grad_clip(0.01), o.sgd(1e-3)),
    "apply_if_finite": lambda o: o.apply_if_finite(o.adam(1e-3), 5), "multi_steps": lambda o: o.MultiSteps(o.adam(1e-3), 4), "ema": lambda o: o.chain(o.ema(0.99), o.sgd(1e-3)),
    "centralize": lambda o: o.chain(o.centralize(), o.sgd(1e-3)), "add_noise": lambda o: o.chain(o.add_noise(0.1, 0.5, 0), o.sgd(1e-3)), "masked": lambda o: o.masked(
        o.adam(1e-3), {"embedding": False, "dense": True, "out": True}), "inject_hyperparams": lambda o: o.inject_hyperparams(o.adam)(1e-3),
    "partition": lambda o: o.multi_transform({"a": o.adam(1e-3), "s": o.sgd(1e-2)}, {"embedding": "s", "dense": "a", "out": "a"}),
    "trust_ratio": lambda o: o.chain(o.scale_by_trust_ratio(), o.sgd(1e-3)), "factored_rms": lambda o: o.chain(o.scale_by_factored_rms(), o.sgd(1e-3)),
}


def loss_gradient(fn, first, *rest):
    return jax.value_and_grad(lambda x: jnp.mean(jnp.asarray(fn(x, *rest), jnp.float32)))(first)


def update(optax, optimizer, params, state, grads):
    updates, state = optimizer.update(grads, state, params)
    return optax.apply_updates(params, updates), state


def linesearch(optax, optimizer, params, state):
    def value(p):
        return sum(jnp.sum((x - 0.5) ** 2 * (1 + x * x)) for x in jax.tree.leaves(p))
    loss, grads = jax.value_and_grad(value)(params)
    updates, state = optimizer.update(grads, state, params, value=loss, grad=grads, value_fn=value)
    return optax.apply_updates(params, updates), state


def named(optax):
    for name, args in LOSSES.items():
        yield name, lambda name=name, args=args: (functools.partial(loss_gradient, getattr(optax, name, None) or getattr(optax.losses, name)), args)
    for name, args in PROJECTIONS.items():
        yield name, lambda name=name, args=args: (getattr(optax.projections, name), args)
    for name, make in OPTIMIZERS.items():
        def step(make=make):
            optimizer = make(optax)
            return functools.partial(update, optax, optimizer), (PARAMS, optimizer.init(PARAMS), GRADS)
        yield name, step
    for name in ("lbfgs", "polyak_sgd"):
        def search(name=name):
            optimizer = getattr(optax, name)()
            return functools.partial(linesearch, optax, optimizer), (PARAMS, optimizer.init(PARAMS))
        yield name, search
    yield "global_norm", lambda: (optax.global_norm, (PARAMS,))
