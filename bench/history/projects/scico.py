"""Programs over scico: operators and their adjoints, proximal maps, solvers, projectors, and a few steps of its optimizers."""
import importlib

import jax
import jax.numpy as jnp
import numpy as np

RANDOM = np.random.default_rng(0)
IMAGE, VOLUME = RANDOM.standard_normal((64, 64)).astype(np.float32), RANDOM.standard_normal((16, 16, 16)).astype(np.float32)
KERNEL = (np.ones((5, 5)) / 25).astype(np.float32)
ANGLES = RANDOM.random((6, 2)) * np.pi
STEPS = 8


def named(scico):
    part = lambda name: importlib.import_module("scico." + name)
    linop, functional, metric, solver = part("linop"), part("functional"), part("metric"), part("solver")
    operators = {
        "difference": lambda: linop.FiniteDifference(IMAGE.shape, append=0), "difference_circular": lambda: linop.FiniteDifference(IMAGE.shape, circular=True), "difference_one": lambda: linop.SingleAxisFiniteDifference(IMAGE.shape, axis=1, append=0),
        "circular": lambda: linop.CircularConvolve(jnp.array(KERNEL), IMAGE.shape), "convolve": lambda: linop.Convolve(jnp.array(KERNEL), IMAGE.shape), "dft": lambda: linop.DFT(IMAGE.shape), "diagonal": lambda: linop.Diagonal(jnp.array(IMAGE)),
        "matrix": lambda: linop.MatrixOperator(jnp.array(IMAGE)), "crop": lambda: linop.Crop(((4, 4), (4, 4)), IMAGE.shape), "gradient_polar": lambda: linop.PolarGradient(IMAGE.shape), "sum": lambda: linop.Sum(IMAGE.shape, axis=0),
        "gradient_projected": lambda: linop.ProjectedGradient(IMAGE.shape), "stacked": lambda: linop.VerticalStack([linop.FiniteDifference(IMAGE.shape, append=0), linop.Identity(IMAGE.shape)]),
        "angular": lambda: part("linop.optics").AngularSpectrumPropagator(IMAGE.shape, dx=1.0, k0=2.0, z=10.0), "fresnel": lambda: part("linop.optics").FresnelPropagator(IMAGE.shape, dx=1.0, k0=2.0, z=10.0),
        "projector": lambda: part("linop.xray").XRayTransform2D(IMAGE.shape, np.linspace(0, np.pi, 12, endpoint=False)),
        "projector_3d": lambda: part("linop.xray").XRayTransform3D(VOLUME.shape, matrices=part("linop.xray").XRayTransform3D.matrices_from_euler_angles(VOLUME.shape, (16, 16), "XY", ANGLES), det_shape=(16, 16)),
        "gradient_cylindrical": lambda: linop.CylindricalGradient(VOLUME.shape), "gradient_spherical": lambda: linop.SphericalGradient(VOLUME.shape), "composed": lambda: linop.FiniteDifference(IMAGE.shape, append=0) @ linop.CircularConvolve(jnp.array(KERNEL), IMAGE.shape),
    }
    for name, make in operators.items():
        volume = VOLUME if name in ("projector_3d", "gradient_cylindrical", "gradient_spherical") else IMAGE
        yield f"{name}_forward", lambda make=make, x=volume: ((lambda x, A=make(): tuple(A(x)) if hasattr(A(x), "arrays") else A(x)), (x,))
        def normal(make=make, x=volume):
            A = make()
            return (lambda x: A.adj(A(x))), (x.astype(A.input_dtype),)
        yield f"{name}_normal", normal
    functionals = {
        "l1": lambda: functional.L1Norm(), "l2": lambda: functional.L2Norm(), "l21": lambda: functional.L21Norm(), "l0": lambda: functional.L0Norm(), "squared": lambda: functional.SquaredL2Norm(), "huber": lambda: functional.HuberNorm(0.5),
        "huber_apart": lambda: functional.HuberNorm(0.5, separable=False), "nuclear": lambda: functional.NuclearNorm(), "difference": lambda: functional.L1MinusL2Norm(), "nonnegative": lambda: functional.NonNegativeIndicator(), "ball": lambda: functional.L2BallIndicator(),
        "tv": lambda: functional.IsotropicTVNorm(circular=True, input_shape=IMAGE.shape), "tv_open": lambda: functional.AnisotropicTVNorm(circular=False, input_shape=IMAGE.shape), "box": lambda: functional.BoxIndicator(-1, 1),
    }
    for name, make in functionals.items():
        yield f"value_{name}", lambda make=make: ((lambda x, f=make(): f(x)), (IMAGE,))
        yield f"proximal_{name}", lambda make=make: ((lambda x, f=make(): f.prox(x, 0.1)), (IMAGE,))
    for name in ("mae", "mse", "snr", "psnr", "bsnr"):
        yield f"metric_{name}", lambda name=name: ((lambda a, b: getattr(metric, name)(a, b)), (IMAGE, IMAGE + 0.1))
    definite = IMAGE @ IMAGE.T / 64 + np.eye(64, dtype=np.float32)
    yield "matrix_solver", lambda: ((lambda b: solver.MatrixATADSolver(jnp.array(IMAGE), jnp.array(definite)).solve(b)), (IMAGE[:, 0],))

    def optimizer(make):
        """A few steps of an optimizer, whose state is in its attributes."""
        def f(y):
            o = make(y)
            for _ in range(STEPS):
                o.step()
            return o.x
        return f, (IMAGE,)
    loss = lambda y: part("loss").SquaredL2Loss(y=y, A=linop.CircularConvolve(jnp.array(KERNEL), IMAGE.shape))
    optimize = part("optimize")
    tv = lambda: (0.1 * functional.L1Norm(), linop.FiniteDifference(IMAGE.shape, circular=True))
    yield "proximal_gradient", lambda: optimizer(lambda y: optimize.PGM(f=loss(y), g=0.1 * functional.L1Norm(), L0=1.0, x0=y))
    yield "proximal_gradient_fast", lambda: optimizer(lambda y: optimize.AcceleratedPGM(f=loss(y), g=0.1 * functional.L1Norm(), L0=1.0, x0=y))
    yield "primal_dual", lambda: optimizer(lambda y: optimize.PDHG(f=loss(y), g=tv()[0], C=tv()[1], tau=0.1, sigma=0.1, x0=y))
    yield "linearized", lambda: optimizer(lambda y: optimize.LinearizedADMM(f=loss(y), g=tv()[0], C=tv()[1], mu=0.1, nu=0.1, x0=y))
    yield "proximal_admm", lambda: optimizer(lambda y: optimize.ProximalADMM(f=loss(y), g=tv()[0], A=tv()[1], rho=1.0, mu=9.0, nu=1.1, x0=y))
    yield "admm_circular", lambda: optimizer(lambda y: optimize.ADMM(f=loss(y), g_list=[tv()[0]], C_list=[tv()[1]], rho_list=[1.0], x0=y, subproblem_solver=part("optimize.admm").CircularConvolveSolver()))
