"""Programs over dynamax: filters, smoothers and samples of hidden Markov, linear and non-linear Gaussian models, and gradients in their parameters."""
import importlib

import jax
import jax.numpy as jnp
import numpy as np

RANDOM = np.random.default_rng(0)
STATES, HIDDEN, SEEN, TIME = 8, 4, 6, 64
TRANSITION = RANDOM.dirichlet(np.ones(STATES), STATES).astype(np.float32)
INITIAL, LIKELIHOODS = np.full(STATES, 1 / STATES, np.float32), RANDOM.standard_normal((TIME, STATES)).astype(np.float32)
EMISSIONS = RANDOM.standard_normal((TIME, SEEN)).astype(np.float32)
KEY = jax.random.PRNGKey(0)


def named(dynamax):
    part = lambda name: importlib.import_module("dynamax." + name)
    hmm, parallel = part("hidden_markov_model.inference"), part("hidden_markov_model.parallel_inference")
    first = lambda r: r[0] if isinstance(r, tuple) else r
    markov = {
        "filter": lambda p, m, l: hmm.hmm_filter(p, m, l), "backward": lambda p, m, l: hmm.hmm_backward_filter(m, l), "two_filter": lambda p, m, l: hmm.hmm_two_filter_smoother(p, m, l), "smoother": lambda p, m, l: hmm.hmm_smoother(p, m, l),
        "lag": lambda p, m, l: hmm.hmm_fixed_lag_smoother(p, m, l, 4), "mode": lambda p, m, l: hmm.hmm_posterior_mode(p, m, l), "sample": lambda p, m, l: hmm.hmm_posterior_sample(KEY, p, m, l),
        "parallel_filter": lambda p, m, l: parallel.hmm_filter(p, m, l), "parallel_smoother": lambda p, m, l: parallel.hmm_smoother(p, m, l), "parallel_sample": lambda p, m, l: parallel.hmm_posterior_sample(KEY, p, m, l),
    }
    for name, f in markov.items():
        yield f"markov_{name}", lambda f=f: (f, (INITIAL, TRANSITION, LIKELIHOODS))
        yield f"markov_{name}_batch", lambda f=f: (jax.vmap(f, (None, None, 0)), (INITIAL, TRANSITION, RANDOM.standard_normal((8, TIME, STATES)).astype(np.float32)))
    yield "markov_gradient", lambda: (jax.grad(lambda m, l: hmm.hmm_filter(INITIAL, m, l).marginal_loglik), (TRANSITION, LIKELIHOODS))
    linear = part("linear_gaussian_ssm.inference")

    def parameters(diagonal=False):
        emission = jnp.ones(SEEN) if diagonal else jnp.eye(SEEN)
        return linear.ParamsLGSSM(
            initial=linear.ParamsLGSSMInitial(mean=jnp.zeros(HIDDEN), cov=jnp.eye(HIDDEN)),
            dynamics=linear.ParamsLGSSMDynamics(weights=0.9 * jnp.eye(HIDDEN), bias=jnp.zeros(HIDDEN), input_weights=jnp.zeros((HIDDEN, 0)), cov=0.1 * jnp.eye(HIDDEN)),
            emissions=linear.ParamsLGSSMEmissions(weights=jnp.ones((SEEN, HIDDEN)) * 0.3, bias=jnp.zeros(SEEN), input_weights=jnp.zeros((SEEN, 0)), cov=emission))
    leaves = lambda r: [x for x in jax.tree.leaves(r) if hasattr(x, "dtype")]
    gaussian = {"filter": lambda p, y: linear.lgssm_filter(p, y), "smoother": lambda p, y: linear.lgssm_smoother(p, y), "sample": lambda p, y: linear.lgssm_posterior_sample(KEY, p, y),
                "parallel_filter": lambda p, y: part("linear_gaussian_ssm.parallel_inference").lgssm_filter(p, y), "parallel_smoother": lambda p, y: part("linear_gaussian_ssm.parallel_inference").lgssm_smoother(p, y),
                "parallel_sample": lambda p, y: part("linear_gaussian_ssm.parallel_inference").lgssm_posterior_sample(KEY, p, y)}
    for name, f in gaussian.items():
        for noise, diagonal in (("full", False), ("diagonal", True)):
            yield f"linear_{name}_{noise}", lambda f=f, d=diagonal: ((lambda p, y: leaves(f(p, y))), (parameters(d), EMISSIONS))
        yield f"linear_{name}_batch", lambda f=f: (jax.vmap(lambda p, y: leaves(f(p, y)), (None, 0)), (parameters(), RANDOM.standard_normal((8, TIME, SEEN)).astype(np.float32)))
    yield "linear_gradient", lambda: (jax.grad(lambda p, y: linear.lgssm_filter(p, y).marginal_loglik), (parameters(), EMISSIONS))
    information = part("linear_gaussian_ssm.info_inference")

    def precisions():
        p = parameters()
        return information.ParamsLGSSMInfo(initial_mean=p.initial.mean, dynamics_weights=p.dynamics.weights, emission_weights=p.emissions.weights, initial_precision=jnp.eye(HIDDEN), dynamics_precision=10 * jnp.eye(HIDDEN),
                                           dynamics_input_weights=jnp.zeros((HIDDEN, 1)), dynamics_bias=p.dynamics.bias, emission_precision=jnp.eye(SEEN), emission_input_weights=jnp.zeros((SEEN, 1)), emission_bias=p.emissions.bias)
    for name in ("lgssm_info_filter", "lgssm_info_smoother"):
        yield f"{name[6:]}", lambda name=name: ((lambda p, y: leaves(getattr(information, name)(p, y, jnp.zeros((TIME, 1))))), (precisions(), EMISSIONS))
    curved = part("nonlinear_gaussian_ssm")

    def nonlinear():
        return dict(initial_mean=jnp.zeros(HIDDEN), initial_covariance=jnp.eye(HIDDEN), dynamics_function=lambda x: jnp.sin(x) * 0.9, dynamics_covariance=0.1 * jnp.eye(HIDDEN),
                    emission_function=lambda x: jnp.tile(jnp.tanh(x), 2)[:SEEN], emission_covariance=jnp.eye(SEEN))
    extended, unscented = part("nonlinear_gaussian_ssm.inference_ekf"), part("nonlinear_gaussian_ssm.inference_ukf")
    for name, f in {"ekf": lambda p, y: extended.extended_kalman_filter(p, y), "eks": lambda p, y: extended.extended_kalman_smoother(p, y),
                    "ekf_sample": lambda p, y: extended.extended_kalman_posterior_sample(KEY, p, y), "ukf": lambda p, y: unscented.unscented_kalman_filter(p, y, unscented.UKFHyperParams()),
                    "uks": lambda p, y: unscented.unscented_kalman_smoother(p, y, unscented.UKFHyperParams())}.items():
        yield f"nonlinear_{name}", lambda f=f: ((lambda y: leaves(f(curved.ParamsNLGSSM(**nonlinear()), y))), (EMISSIONS,))
        yield f"nonlinear_{name}_batch", lambda f=f: (jax.vmap(lambda y: leaves(f(curved.ParamsNLGSSM(**nonlinear()), y))), (RANDOM.standard_normal((8, TIME, SEEN)).astype(np.float32),))
