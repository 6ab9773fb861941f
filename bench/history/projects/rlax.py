"""Programs over rlax's losses, returns, targets and transforms of values."""
import jax
import jax.numpy as jnp
import numpy as np


def f32(*shape, scale=1.0):
    return (np.random.default_rng(sum(shape)).standard_normal(shape) * scale).astype(np.float32)


REWARDS, DISCOUNTS, VALUES, LOGITS, QUANTILES = f32(32, scale=0.1), np.full(32, 0.97, np.float32), f32(32), f32(32, 18), f32(32, 6, 51)
ACTIONS = np.random.default_rng(0).integers(0, 18, 32).astype(np.int32)
SMALL = np.random.default_rng(1).integers(0, 6, 32).astype(np.int32)
Q, BATCH, TAUS = f32(32, 18), f32(32), np.tile((np.arange(51, dtype=np.float32) + 0.5) / 51, (32, 1))
KEY = np.array([0, 1], np.uint32)


def gradient(f):
    return jax.value_and_grad(lambda x, *rest: jnp.mean(jnp.asarray(f(x, *rest))))


def named(rlax):
    for name, args in {
        "lambda_returns": (REWARDS, DISCOUNTS, VALUES), "discounted_returns": (REWARDS, DISCOUNTS, VALUES), "general_off_policy_returns_from_action_values": (Q, ACTIONS, REWARDS, DISCOUNTS, f32(32), f32(32, 18)),
        "truncated_generalized_advantage_estimation": (REWARDS, DISCOUNTS, np.float32(0.9), f32(33)), "importance_corrected_td_errors": (REWARDS, DISCOUNTS, np.abs(VALUES), np.full(32, 0.9, np.float32), f32(33)),
        "vtrace": (VALUES, VALUES, REWARDS, DISCOUNTS, np.abs(VALUES)), "leaky_vtrace": (VALUES, VALUES, REWARDS, DISCOUNTS, np.abs(VALUES)), "vtrace_td_error_and_advantage": (VALUES, VALUES, REWARDS, DISCOUNTS, np.abs(VALUES)),
        "n_step_bootstrapped_returns": (REWARDS, DISCOUNTS, VALUES, 5), "td_lambda": (VALUES, REWARDS, DISCOUNTS, VALUES, np.float32(0.9)), "q_lambda": (Q, ACTIONS, REWARDS, DISCOUNTS, Q, np.float32(0.9)),
        "sarsa_lambda": (Q, ACTIONS, REWARDS, DISCOUNTS, Q, ACTIONS, np.float32(0.9)), "retrace": (Q, Q, ACTIONS, ACTIONS, REWARDS, DISCOUNTS, np.abs(LOGITS), np.abs(VALUES), 0.9),
        "transformed_n_step_q_learning": (Q, ACTIONS, Q, ACTIONS, REWARDS, DISCOUNTS, 5), "transformed_q_lambda": (Q, ACTIONS, REWARDS, DISCOUNTS, Q, np.float32(0.9)),
        "transformed_retrace": (Q, Q, ACTIONS, ACTIONS, REWARDS, DISCOUNTS, np.abs(LOGITS), np.abs(VALUES), 0.9),
        "policy_gradient_loss": (LOGITS, ACTIONS, VALUES, DISCOUNTS), "entropy_loss": (LOGITS, DISCOUNTS), "qpg_loss": (LOGITS, Q), "rm_loss": (LOGITS, Q), "rpg_loss": (LOGITS, Q), "clipped_surrogate_pg_loss": (np.abs(VALUES), VALUES, 0.2),
        "huber_loss": (VALUES,), "l2_loss": (VALUES,), "log_loss": (np.tanh(np.abs(VALUES)), np.tanh(np.abs(VALUES))), 
        "signed_hyperbolic": (VALUES,), "signed_parabolic": (VALUES,), "transform_to_2hot": (VALUES, -3.0, 3.0, 51), "transform_from_2hot": (f32(32, 51), -3.0, 3.0, 51), "sigmoid": (VALUES,), "logit": (np.abs(np.tanh(VALUES)),),
        "multivariate_normal_kl_divergence": (f32(16, 8), np.abs(f32(16, 8)) + 1, f32(16, 8), np.abs(f32(16, 8)) + 1), "categorical_cross_entropy": (np.abs(LOGITS), LOGITS),
    }.items():
        yield name, lambda name=name, args=args: (gradient(lambda *x: jax.tree.leaves(getattr(rlax, name)(*x, *[a for a in args if isinstance(a, (int, float))]))[0]), tuple(a for a in args if not isinstance(a, (int, float))))
    rows = {"q_learning": (f32(32, 6), SMALL, BATCH, BATCH, f32(32, 6)), "double_q_learning": (f32(32, 6), SMALL, BATCH, BATCH, f32(32, 6), f32(32, 6)), "sarsa": (f32(32, 6), SMALL, BATCH, BATCH, f32(32, 6), SMALL),
            "expected_sarsa": (f32(32, 6), SMALL, BATCH, BATCH, f32(32, 6), np.abs(f32(32, 6))), "td_learning": (BATCH, BATCH, BATCH, BATCH), "persistent_q_learning": (f32(32, 6), SMALL, BATCH, BATCH, f32(32, 6), np.full(32, 0.1, np.float32)),
            "qv_learning": (f32(32, 6), SMALL, BATCH, BATCH, BATCH), "quantile_q_learning": (np.swapaxes(QUANTILES, 1, 2).copy(), TAUS, SMALL, BATCH, BATCH, np.swapaxes(QUANTILES, 1, 2).copy(), np.swapaxes(QUANTILES, 1, 2).copy()),
            "quantile_expected_sarsa": (np.swapaxes(QUANTILES, 1, 2).copy(), TAUS, SMALL, BATCH, BATCH, np.swapaxes(QUANTILES, 1, 2).copy(), np.abs(f32(32, 6))),
            "categorical_q_learning": (np.tile(np.linspace(-3, 3, 51, dtype=np.float32), (32, 1)), QUANTILES, SMALL, BATCH, BATCH, np.tile(np.linspace(-3, 3, 51, dtype=np.float32), (32, 1)), QUANTILES),
            "categorical_double_q_learning": (np.tile(np.linspace(-3, 3, 51, dtype=np.float32), (32, 1)), QUANTILES, SMALL, BATCH, BATCH, np.tile(np.linspace(-3, 3, 51, dtype=np.float32), (32, 1)), QUANTILES, f32(32, 6)),
            "categorical_td_learning": (np.tile(np.linspace(-3, 3, 51, dtype=np.float32), (32, 1)), f32(32, 51), BATCH, BATCH, np.tile(np.linspace(-3, 3, 51, dtype=np.float32), (32, 1)), f32(32, 51))}
    for name, args in rows.items():
        def over_rows(name=name, args=args):
            function = jax.vmap(getattr(rlax, name))
            if name.startswith("categorical"):
                return (lambda logits, atoms, *rest: gradient(lambda l: function(atoms, l, *rest))(logits)), (args[1], args[0], *args[2:])
            return gradient(function), args
        yield name, over_rows
    for name, options in (("softmax", ()), ("greedy", ()), ("epsilon_greedy", (0.1,)), ("epsilon_softmax", (0.1, 1.0)), ("clipped_entropy_softmax", (1.0, 0.1))):
        for method in ("sample", "probs", "entropy", "logprob"):
            def distribution(name=name, options=options, method=method):
                bound = getattr(getattr(rlax, name)(*options), method)
                return (lambda l, key, a: bound(*{"sample": (jax.random.wrap_key_data(key), l), "logprob": (a, l)}.get(method, (l,)))), (LOGITS, KEY, ACTIONS)
            yield f"{name}_{method}", distribution
    for method in ("sample", "logprob", "entropy"):
        for name in ("gaussian_diagonal", "squashed_gaussian"):
            def gaussian(name=name, method=method):
                bound, spec = getattr(getattr(rlax, name)(), method), () if name != "squashed_gaussian" else (__import__("dm_env").specs.BoundedArray((8,), np.float32, -1.0, 1.0),)
                return (lambda m, s, key, a: bound(*{"sample": (jax.random.wrap_key_data(key), m, s), "logprob": (a, m, s)}.get(method, (m, s)), *spec)), (f32(32, 8), np.abs(f32(32, 8)) + 0.1, KEY, np.tanh(f32(32, 8)))
            yield f"{name}_{method}", gaussian
    yield "knn_query", lambda: (lambda d, x: rlax.knn_query(d, x, 5), (f32(64, 16), f32(16, 16)))
    yield "extract_subsequences", lambda: (lambda x, s: rlax.extract_subsequences(x, s, 8), (f32(64, 4), np.array([0, 5, 9], np.int32)))
    yield "art_update", lambda: (lambda x: rlax.add_gaussian_noise(jax.random.wrap_key_data(KEY), x, 0.1), (f32(64),))
    yield "dirichlet_noise", lambda: (lambda k, p: rlax.add_dirichlet_noise(jax.random.wrap_key_data(k), p, 0.3, 0.25), (KEY, np.abs(LOGITS)))
    yield "feature_control_rewards", lambda: (lambda x: rlax.feature_control_rewards(x), (f32(32, 64),))
    yield "pixel_control_rewards", lambda: (lambda x: rlax.pixel_control_rewards(x, 4), (f32(9, 32, 32, 3),))
    yield "tree_split", lambda: (lambda x: rlax.tree_split_leaves({"a": x}, axis=0), (f32(4, 64),))
    yield "mpo", lambda: (lambda s, k, m, d: rlax.mpo_loss(sample_log_probs=s, sample_q_values=k, temperature_constraint=rlax.LagrangePenalty(jnp.float32(1.0), 0.1), kl_constraints=[(m, rlax.LagrangePenalty(jnp.float32(1.0), 0.1))])[0], (f32(16, 32), f32(16, 32), np.abs(f32(32)), f32(32)))
    yield "vmpo", lambda: (lambda s, a, k: rlax.vmpo_loss(sample_log_probs=s, advantages=a, temperature_constraint=rlax.LagrangePenalty(jnp.float32(1.0), 0.1), kl_constraints=[(k, rlax.LagrangePenalty(jnp.float32(1.0), 0.1))])[0], (f32(16, 32), f32(16, 32), np.abs(f32(16, 32))))
