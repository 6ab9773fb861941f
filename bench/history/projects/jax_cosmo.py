"""Programs over jax_cosmo: distances, growth, power spectra, kernels, angular spectra, likelihoods, and gradients in the parameters."""
import jax
import jax.numpy as jnp
import numpy as np

A, K, ELL, Z = np.linspace(0.1, 1, 64, dtype=np.float32), np.logspace(-3, 1, 128, dtype=np.float32), np.logspace(1, 3, 32, dtype=np.float32), np.linspace(0.01, 3, 64, dtype=np.float32)
PARAMETERS = np.array([0.25, 0.05, 0.7, 0.96, 0.83, 0.0, -1.0, 0.0], np.float32)
CURVED = PARAMETERS + np.array([0, 0, 0, 0, 0, 0.05, 0.1, 0.1], np.float32)


def named(jc):
    cosmology = lambda p: jc.Cosmology(Omega_c=p[0], Omega_b=p[1], h=p[2], n_s=p[3], sigma8=p[4], Omega_k=p[5], w0=p[6], wa=p[7])
    tracers = lambda: [jc.probes.WeakLensing([jc.redshift.smail_nz(1.0, 2.0, 1.0), jc.redshift.smail_nz(1.0, 2.0, 0.5)], sigma_e=0.26), jc.probes.NumberCounts([jc.redshift.smail_nz(1.0, 2.0, 0.5)], jc.bias.constant_linear_bias(1.0))]
    background = {name: (lambda c, a, name=name: getattr(jc.background, name)(c, a)) for name in (
        "w", "f_de", "Esqr", "H", "Omega_m_a", "Omega_de_a", "radial_comoving_distance", "dchioverda", "transverse_comoving_distance", "angular_diameter_distance", "growth_factor", "growth_rate", "a_of_chi")}
    for name, f in background.items():
        for of, p in (("flat", PARAMETERS), ("curved", CURVED)):
            argument = A * 3000 if name == "a_of_chi" else A
            yield f"{name}_{of}", lambda f=f, p=p, x=argument: ((lambda p, a: f(cosmology(p), a)), (p, x))
            yield f"{name}_{of}_gradient", lambda f=f, p=p, x=argument: (jax.grad(lambda p, a: jnp.sum(f(cosmology(p), a))), (p, x))
    power = {
        "primordial": lambda c: jc.power.primordial_matter_power(c, K), "linear": lambda c: jc.power.linear_matter_power(c, K), "sigma": lambda c: jc.power.sigmasqr(c, 8.0, jc.transfer.Eisenstein_Hu),
        "nonlinear": lambda c: jc.power.nonlinear_matter_power(c, K), "nonlinear_early": lambda c: jc.power.nonlinear_matter_power(c, K, 0.5), "transfer": lambda c: jc.transfer.Eisenstein_Hu(c, K),
        "transfer_smooth": lambda c: jc.transfer.Eisenstein_Hu(c, K, type="eisenhu"), "angular": lambda c: jc.cl.angular_cl(c, ELL, tracers()), "noise": lambda c: jc.cl.noise_cl(ELL, tracers()),
        "kernel_lensing": lambda c: tracers()[0].kernel(c, Z, ELL), "kernel_counts": lambda c: tracers()[1].kernel(c, Z, ELL), "mean": lambda c: jc.cl.gaussian_cl_covariance_and_mean(c, ELL, tracers(), sparse=True)[0],
        "covariance": lambda c: jc.cl.gaussian_cl_covariance_and_mean(c, ELL, tracers(), sparse=True)[1], "covariance_dense": lambda c: jc.cl.gaussian_cl_covariance_and_mean(c, ELL, tracers(), sparse=False)[1],
    }
    for name, f in power.items():
        yield name, lambda f=f: ((lambda p: f(cosmology(p))), (PARAMETERS,))
        yield name + "_gradient", lambda f=f: (jax.grad(lambda p: jnp.sum(f(cosmology(p)))), (PARAMETERS,))
    for sparse in (False, True):
        def likelihood(sparse=sparse):
            def f(p, data):
                mean, covariance = jc.cl.gaussian_cl_covariance_and_mean(cosmology(p), ELL, tracers(), sparse=sparse)
                return jc.likelihood.gaussian_log_likelihood(data, mean, covariance, include_logdet=False)
            return jax.value_and_grad(f), (PARAMETERS, np.zeros(32 * 6, np.float32))
        yield f"likelihood_{'sparse' if sparse else 'dense'}", likelihood
    nz = {"smail": lambda: jc.redshift.smail_nz(1.0, 2.0, 1.0), "fu": lambda: jc.redshift.fu_nz(0.5, 5.0, 0.6, 1.0), "shifted": lambda: jc.redshift.systematic_shift(jc.redshift.smail_nz(1.0, 2.0, 1.0), 0.1),
          "kde": lambda: jc.redshift.kde_nz(Z, np.exp(-Z), bw=0.1)}
    for name, make in nz.items():
        yield f"redshift_{name}", lambda make=make: ((lambda z: make()(z)), (Z,))
    matrix = np.random.default_rng(0).standard_normal((3, 3, 64)).astype(np.float32) + 3 * np.eye(3, dtype=np.float32)[:, :, None]
    for name, f in {"dense": lambda m: jc.sparse.to_dense(m), "inverse": lambda m: jc.sparse.inv(m), "determinant": lambda m: jc.sparse.det(m), "dot": lambda m: jc.sparse.dot(m, m), "vector": lambda m: jc.sparse.dot(m, jnp.ones(192, jnp.float32)),
                    "slogdet": lambda m: jc.sparse.slogdet(m)}.items():
        yield f"sparse_{name}", lambda f=f: (f, (matrix,))
