"""Programs over jaxopt's solvers, losses, projections and proximal operators."""
import importlib

import jax
import jax.numpy as jnp
import numpy as np


def f32(*shape, scale=1.0):
    return (np.random.default_rng(sum(shape)).standard_normal(shape) * scale).astype(np.float32)


X, W, VECTOR = f32(256, 32), f32(32), f32(512)
Y = (X @ W + 0.1 * f32(256)).astype(np.float32)
CLASSES = np.random.default_rng(0).integers(0, 10, 256).astype(np.int32)
GRAM = (X.T @ X / 256 + np.eye(32, dtype=np.float32)).astype(np.float32)


def loss(w, x, y):
    return jnp.mean((x @ w - y) ** 2) + 0.01 * jnp.sum(w ** 2 * (1 + w ** 2))


def residuals(w, x, y):
    return jnp.tanh(x @ w) - jnp.tanh(y)


def run(solver, *args):
    return lambda w, *rest: solver.run(w, *args, *rest).params


def named(jaxopt):
    solvers = {"gradient_descent": ("GradientDescent", {}), "lbfgs": ("LBFGS", {}), "lbfgs_zoom": ("LBFGS", {"linesearch": "zoom"}),
               "lbfgs_backtracking": ("LBFGS", {"linesearch": "backtracking"}), "lbfgs_hager_zhang": ("LBFGS", {"linesearch": "hager-zhang"}), "bfgs": ("BFGS", {}),
               "bfgs_backtracking": ("BFGS", {"linesearch": "backtracking"}), "nonlinear_cg": ("NonlinearCG", {}), "polyak_sgd": ("PolyakSGD", {}), "armijo_sgd": ("ArmijoSGD", {})}
    for name, (solver, options) in solvers.items():
        yield name, lambda solver=solver, options=options: (run(getattr(jaxopt, solver)(loss, maxiter=20, **options)), (W * 0, X, Y))
    for solver in ("GaussNewton", "LevenbergMarquardt"):
        yield solver.lower(), lambda solver=solver: (run(getattr(jaxopt, solver)(residuals, maxiter=10)), (W * 0, X, Y))
    yield "levenberg_marquardt_qr", lambda: (run(jaxopt.LevenbergMarquardt(residuals, maxiter=10, solver="qr", materialize_jac=True)), (W * 0, X, Y))
    yield "lbfgsb", lambda: (lambda w, *rest: jaxopt.LBFGSB(loss, maxiter=20).run(w, (-jnp.ones(32), jnp.ones(32)), *rest).params, (W * 0, X, Y))
    yield "projected_gradient", lambda: (run(jaxopt.ProjectedGradient(loss, jaxopt.projection.projection_simplex, maxiter=20), None), (W * 0 + 1 / 32, X, Y))
    yield "proximal_gradient", lambda: (run(jaxopt.ProximalGradient(jaxopt.objective.least_squares, jaxopt.prox.prox_lasso, maxiter=20), 0.1), (W * 0, (X, Y)))
    yield "block_coordinate_descent", lambda: (run(jaxopt.BlockCoordinateDescent(jaxopt.objective.least_squares, jaxopt.prox.prox_lasso, maxiter=20), 0.1), (W * 0, (X, Y)))
    yield "fixed_point", lambda: (run(jaxopt.FixedPointIteration(lambda w, g, y: jnp.cos(g @ w * 0.1) + y, maxiter=50)), (W, GRAM, W))
    yield "anderson", lambda: (run(jaxopt.AndersonAcceleration(lambda w, g, y: jnp.cos(g @ w * 0.1) + y, maxiter=50)), (W, GRAM, W))
    yield "broyden", lambda: (run(jaxopt.Broyden(lambda w, g, y: g @ jnp.tanh(w) - y, maxiter=20)), (W * 0, GRAM, W))
    yield "bisection", lambda: (lambda x: jaxopt.Bisection(lambda x, a: x ** 3 - x - a, lower=0.0, upper=3.0, maxiter=50, check_bracket=False).run(None, x).params, (np.float32(2.0),))
    yield "osqp", lambda: (lambda q, c: jaxopt.BoxOSQP(maxiter=100).run(None, (q, c), jnp.eye(32), (-jnp.ones(32), jnp.ones(32))).params.primal, (GRAM, W))
    yield "box_cdqp", lambda: (lambda q, c: jaxopt.BoxCDQP(maxiter=50).run(jnp.zeros(32), (q, c), (-jnp.ones(32), jnp.ones(32))).params, (GRAM, W))
    yield "equality_qp", lambda: (lambda q, c, a, b: jaxopt.EqualityConstrainedQP().run(None, (q, c), (a, b)).params.primal, (GRAM, W, f32(8, 32), f32(8)))
    yield "implicit_gradient", lambda: (jax.value_and_grad(lambda l2: jnp.sum(jaxopt.LBFGS(lambda w, l2, x, y: loss(w, x, y) + l2 * jnp.sum(w ** 2), maxiter=10).run(jnp.zeros(32), l2, X, Y).params)), (np.float32(0.1),))
    for name in ("solve_cg", "solve_bicgstab", "solve_gmres", "solve_normal_cg", "solve_lu", "solve_cholesky"):
        yield name, lambda name=name: (lambda a, b: getattr(jaxopt.linear_solve, name)(lambda v: a @ v, b), (GRAM, W))
    for name in ("projection_simplex", "projection_l1_ball", "projection_l2_ball", "projection_l1_sphere", "projection_l2_sphere"):
        yield name, lambda name=name: (getattr(jaxopt.projection, name), (VECTOR,))
    yield "projection_transport", lambda: (lambda m, a, b: jaxopt.projection.projection_transport(m, (a, b)), (f32(24, 24), np.full(24, 1 / 24, np.float32), np.full(24, 1 / 24, np.float32)))
    yield "projection_birkhoff", lambda: (jaxopt.projection.projection_birkhoff, (f32(24, 24),))
    for name in ("prox_lasso", "prox_elastic_net", "prox_group_lasso", "prox_ridge", "prox_non_negative_ridge"):
        yield name, lambda name=name: (lambda x: getattr(jaxopt.prox, name)(x, (0.1, 0.1) if "elastic" in name else 0.1), (VECTOR,))
    for name in ("multiclass_logistic_loss", "multiclass_sparsemax_loss"):
        yield name, lambda name=name: (jax.value_and_grad(lambda l, y: jnp.mean(jax.vmap(getattr(jaxopt.loss, name))(y, l))), (f32(256, 10), CLASSES))
    for name in ("binary_logistic_loss", "huber_loss", "binary_sparsemax_loss"):
        yield name, lambda name=name: (jax.value_and_grad(lambda l, y: jnp.mean(jax.vmap(getattr(jaxopt.loss, name))(y, l))), (VECTOR, (VECTOR > 0).astype(np.float32)))
    yield "isotonic", lambda: (jaxopt.isotonic.isotonic_l2_pav, (f32(64),))
    yield "perturbed_argmax", lambda: (jax.value_and_grad(lambda x, key: jnp.sum(importlib.import_module("jaxopt.perturbations").make_perturbed_argmax(lambda v: jax.nn.one_hot(jnp.argmax(v), v.shape[-1]), num_samples=50)(x, jax.random.wrap_key_data(key)) ** 2)), (f32(32), np.array([0, 1], np.uint32)))
