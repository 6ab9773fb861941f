"""Programs over s2fft's transforms of functions on the sphere and of rotations, their recursions, resamplings and reindexings."""
import importlib
import sys
import types
import unittest.mock

import jax
import jax.extend
import jax.interpreters.xla
import jax.lib
import jax.numpy as jnp
import numpy as np

# What releases import and these programs do not call: PyTorch, other packages for the sphere, and the kernels of a GPU.
for name in ("torch", "torch.autograd", "healpy", "pyssht", "pyvista", "so3", "s2fft_lib", "jax.lib.xla_client", "jaxlib.hlo_helpers", "jaxlib.mhlo_helpers"):
    sys.modules[name] = unittest.mock.MagicMock(__spec__=None, Tensor=type("Tensor", (), {}), tensor=types.new_class("tensor"))
jax.lib.xla_client, jax.core.Primitive, jax.interpreters.xla.apply_primitive = sys.modules["jax.lib.xla_client"], jax.extend.core.Primitive, print

L, N, NSIDE = 32, 3, 16
SAMPLINGS = ("mw", "mwss", "dh", "gl", "healpix")


def f32(*shape, scale=1.0):
    return (np.random.default_rng(sum(shape)).standard_normal(shape) * scale).astype(np.float32)


def c64(*shape):
    return (f32(*shape) + 1j * f32(*shape[::-1]).reshape(shape)).astype(np.complex64)


def gradient(function):
    return lambda x, *rest: jax.grad(lambda x: jnp.sum(jnp.abs(function(x, *rest)) ** 2))(x)


def named(s2fft):
    def part(name):
        return importlib.import_module("s2fft." + name)

    def calls(module, name, *rest):
        function = getattr(part(module), name)
        return lambda *x: function(*x, *rest)

    def signal(sampling, reality=False):
        """Values on the sphere."""
        shape = part("sampling.s2_samples").f_shape(L, sampling, NSIDE)
        return f32(*shape) if reality or sampling == "healpix" else c64(*shape)

    def harmonic(name, sampling, spin=0, reality=False):
        """One transform, as a user calls it."""
        function = getattr(part("transforms.spherical"), name + "_jax")
        x = signal(sampling, reality) if name == "forward" else c64(L, 2 * L - 1)
        return lambda x: function(x, L, spin, NSIDE if sampling == "healpix" else None, sampling, reality), (x,)

    def prepared(name, sampling, spin=0):
        """One transform with what depends on the size only computed before."""
        function, nside = getattr(part("transforms.spherical"), name + "_jax"), NSIDE if sampling == "healpix" else None
        before = [np.asarray(p, np.float32) if np.isrealobj(p) else np.asarray(p, np.complex64) for p in s2fft.generate_precomputes(L, spin, sampling, nside, name == "forward")]
        return lambda x, *before: function(x, L, spin, nside, sampling, False, precomps=list(before)), (signal(sampling) if name == "forward" else c64(L, 2 * L - 1), *before)

    def rings(name, sampling):
        """How many rings a kernel has: a forward transform of two samplings begins with more of them."""
        more = name == "forward" and sampling in ("mw", "mwss")
        return part("sampling.s2_samples").ntheta(2 * L, "mwss") if more else part("sampling.s2_samples").ntheta(L, sampling, NSIDE if sampling == "healpix" else None)

    def with_kernel(name, sampling):
        function, nside = getattr(part("precompute_transforms.spherical"), name), NSIDE if sampling == "healpix" else None
        kernel = f32(rings(name, sampling), L, 2 * L - 1)
        return lambda x, k: function(x, L, 0, k, sampling, False, "jax", nside), (signal(sampling) if name == "forward" else c64(L, 2 * L - 1), kernel)

    def rotations(name, sampling, kernel=False):
        """A transform of functions of a rotation, with its kernel or without."""
        nside = NSIDE if sampling == "healpix" else None
        x = c64(*part("sampling.so3_samples").f_shape(L, N, sampling, nside)) if name == "forward" else c64(2 * N - 1, L, 2 * L - 1)
        if not kernel:
            function = getattr(part("transforms.wigner"), name + "_jax")
            return lambda x: function(x, L, N, nside, sampling, False), (x,)
        function = getattr(part("precompute_transforms.wigner"), name)
        return lambda x, k: function(x, L, N, k, sampling, False, "jax", nside), (x, f32(2 * N - 1, rings(name, sampling), L, 2 * L - 1))

    def fourier(name):
        function = getattr(part("precompute_transforms.fourier_wigner"), name + "_transform_jax")
        x = c64(*part("sampling.so3_samples").f_shape(L, N, "mw")) if name == "forward" else c64(2 * N - 1, L, 2 * L - 1)
        return lambda x, d, e: function(x, L, N, (d, e)), (x, f32(L, 2 * L - 1, 2 * L - 1), c64(4 * L - 3))

    for name in ("inverse", "forward"):
        for sampling in SAMPLINGS:
            yield f"{name}_{sampling}", lambda name=name, sampling=sampling: harmonic(name, sampling)
            yield f"{name}_{sampling}_kernel", lambda name=name, sampling=sampling: with_kernel(name, sampling)
        for sampling in ("mw", "healpix"):
            yield f"{name}_{sampling}_prepared", lambda name=name, sampling=sampling: prepared(name, sampling)
        for sampling in ("mw", "healpix"):
            yield f"{name}_{sampling}_real", lambda name=name, sampling=sampling: harmonic(name, sampling, reality=True)
            yield f"{name}_{sampling}_rotations", lambda name=name, sampling=sampling: rotations(name, sampling)

            def differentiated(name=name, sampling=sampling):
                function, args = harmonic(name, sampling)
                return gradient(function), args
            yield f"{name}_{sampling}_gradient", differentiated
        yield name + "_spin", lambda name=name: harmonic(name, "mw", spin=2)
        yield name + "_spin_prepared", lambda name=name: prepared(name, "mw", spin=2)
        yield name + "_rotations_kernel", lambda name=name: rotations(name, "mw", kernel=True)
        yield name + "_fourier", lambda name=name: fourier(name)
    yield "slices", lambda: (calls("recursions.price_mcewen", "compute_all_slices_jax", L, 0, "mw"), (np.linspace(0.1, 3, 64, dtype=np.float32),))
    yield "risbo", lambda: (jax.vmap(calls("recursions.risbo_jax", "compute_full", L, 20), (None, 0)), (f32(2 * L - 1, 2 * L - 1), np.linspace(0.1, 3, 16, dtype=np.float32)))
    yield "turok", lambda: (jax.vmap(calls("recursions.turok_jax", "compute_slice", L - 1, L, 2)), (np.linspace(0.1, 3, 16, dtype=np.float32),))
    yield "trapani", lambda: (calls("recursions.trapani", "compute_full_jax", L, 20), (f32(2 * L - 1, 2 * L - 1),))
    yield "healpix_fft", lambda: (calls("utils.healpix_ffts", "healpix_fft_jax", L, NSIDE, False), (f32(12 * NSIDE ** 2),))
    yield "healpix_ifft", lambda: (calls("utils.healpix_ffts", "healpix_ifft_jax", L, NSIDE, False), (c64(4 * NSIDE - 1, 2 * L),))
    for name, sampling in (("mw_to_mwss", "mw"), ("upsample_by_two_mwss", "mwss"), ("periodic_extension", "mw"), ("periodic_extension_spatial_mwss", "mwss")):
        yield name, lambda name=name, sampling=sampling: (calls("utils.resampling_jax", name, L, 0), (signal(sampling)[None],))
    yield "rotate", lambda: (calls("utils.rotation", "rotate_flms", L, (0.1, 0.2, 0.3)), (c64(L, 2 * L - 1),))
    for name, x in (("flm_1d_to_2d_fast", c64(L ** 2)), ("flm_2d_to_1d_fast", c64(L, 2 * L - 1)), ("flm_hp_to_2d_fast", c64(L * (L + 1) // 2)), ("flm_2d_to_hp_fast", c64(L, 2 * L - 1))):
        yield name, lambda name=name, x=x: (calls("sampling.reindex", name, L), (x,))
