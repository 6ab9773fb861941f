"""Programs over lineax: each solver on the operators that it takes, its gradient, batches of it, and what operators compute of themselves."""
import jax
import jax.numpy as jnp
import numpy as np


def f32(*shape, scale=1.0):
    return (np.random.default_rng(sum(shape)).standard_normal(shape) * scale).astype(np.float32)


N = 48
SQUARE = np.eye(N, dtype=np.float32) * 4 + f32(N, N, scale=0.1)
POSITIVE = (SQUARE @ SQUARE.T).astype(np.float32)
TALL, B, LONG, BANDS = f32(64, N), f32(N), f32(64), (np.abs(f32(N)) + 4, f32(N - 1), f32(N - 1, scale=0.5))


def named(lx):
    def matrix(tag=None):
        return lambda a: lx.MatrixLinearOperator(a) if tag is None else lx.MatrixLinearOperator(a, getattr(lx, tag))
    positive, lower, upper = matrix("positive_semidefinite_tag"), matrix("lower_triangular_tag"), matrix("upper_triangular_tag")
    bands = lambda a: lx.TridiagonalLinearOperator(*a)
    jacobian = lambda a: lx.JacobianLinearOperator(lambda x, args: jnp.tanh(args @ x) + 4 * x, jnp.zeros(N, jnp.float32), a)
    function = lambda a: lx.FunctionLinearOperator(lambda x: a @ x, jax.ShapeDtypeStruct((N,), jnp.float32))
    solvers = {
        "auto": (lambda: lx.AutoLinearSolver(well_posed=True), matrix(), SQUARE, B), "auto_positive": (lambda: lx.AutoLinearSolver(well_posed=True), positive, POSITIVE, B),
        "auto_loose": (lambda: lx.AutoLinearSolver(well_posed=None), matrix(), SQUARE, B), "auto_tall": (lambda: lx.AutoLinearSolver(well_posed=None), matrix(), TALL, LONG), "auto_ill": (lambda: lx.AutoLinearSolver(well_posed=False), matrix(), TALL, LONG),
        "lu": (lambda: lx.LU(), matrix(), SQUARE, B), "qr": (lambda: lx.QR(), matrix(), SQUARE, B), "qr_tall": (lambda: lx.QR(), matrix(), TALL, LONG), "svd": (lambda: lx.SVD(), matrix(), TALL, LONG), "cholesky": (lambda: lx.Cholesky(), positive, POSITIVE, B),
        "lower": (lambda: lx.Triangular(), lower, np.tril(SQUARE), B), "upper": (lambda: lx.Triangular(), upper, np.triu(SQUARE), B), "diagonal": (lambda: lx.Diagonal(), lambda a: lx.DiagonalLinearOperator(a), np.abs(B) + 1, B),
        "tridiagonal": (lambda: lx.Tridiagonal(), bands, BANDS, B), "cg": (lambda: lx.CG(1e-4, 1e-4), positive, POSITIVE, B), "normal_cg": (lambda: lx.NormalCG(1e-3, 1e-3), matrix(), SQUARE, B), "normal": (lambda: lx.Normal(lx.Cholesky()), matrix(), TALL, LONG),
        "gmres": (lambda: lx.GMRES(1e-4, 1e-4), matrix(), SQUARE, B), "bicgstab": (lambda: lx.BiCGStab(1e-4, 1e-4), matrix(), SQUARE, B), "lsmr": (lambda: lx.LSMR(1e-3, 1e-3), matrix(), TALL, LONG), "gmres_jacobian": (lambda: lx.GMRES(1e-4, 1e-4), jacobian, SQUARE, B),
        "cg_function": (lambda: lx.GMRES(1e-4, 1e-4), function, SQUARE, B), "lu_jacobian": (lambda: lx.LU(), jacobian, SQUARE, B),
    }
    for name, (make, operator, a, b) in solvers.items():
        def solve(make=make, operator=operator, a=a, b=b):
            return (lambda a, b: lx.linear_solve(operator(a), b, make(), throw=False).value), (a, b)
        def gradient(solve=solve):
            f, args = solve()
            return jax.grad(lambda a, b: jnp.sum(f(a, b) ** 2), argnums=(0, 1)), args
        def batch(solve=solve, b=b):
            f, (a, _) = solve()
            return jax.vmap(f, in_axes=(None, 0)), (a, np.stack([b, b * 2, b * 3, b * 4]))
        def raising(make=make, operator=operator, a=a, b=b):
            return (lambda a, b: lx.linear_solve(operator(a), b, make()).value), (a, b)
        for kind, program in {"solve": solve, "gradient": gradient, "batch": batch, "raising": raising}.items():
            yield f"{name}_{kind}", program
    operators = {"matrix": (matrix(), SQUARE), "positive": (positive, POSITIVE), "bands": (bands, BANDS), "jacobian": (jacobian, SQUARE), "function": (function, SQUARE), "sum": (lambda a: matrix()(a) + lx.DiagonalLinearOperator(a[0]), SQUARE),
                 "product": (lambda a: matrix()(a) @ matrix()(a.T), SQUARE), "scaled": (lambda a: matrix()(a) * 3.0, SQUARE), "negative": (lambda a: -matrix()(a), SQUARE), "scaled_bands": (lambda a: bands(a) * 3.0, BANDS)}
    for name, (operator, a) in operators.items():
        asked = {"mv": lambda o: o.mv(jnp.ones(N, jnp.float32)), "matrix": lambda o: o.as_matrix(), "transposed": lambda o: o.T.mv(jnp.ones(N, jnp.float32)), "diagonal": lambda o: lx.diagonal(o), "tridiagonal": lambda o: lx.tridiagonal(o),
                 "materialised": lambda o: lx.materialise(o).mv(jnp.ones(N, jnp.float32)), "linearised": lambda o: lx.linearise(o).mv(jnp.ones(N, jnp.float32)), "conj": lambda o: lx.conj(o).mv(jnp.ones(N, jnp.float32))}
        for what, of in asked.items():
            yield f"{name}_{what}", lambda of=of, operator=operator, a=a: ((lambda a: of(operator(a))), (a,))
