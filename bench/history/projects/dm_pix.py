"""Programs over dm_pix: augmentations, colour spaces, metrics, and gradients of what is smooth."""
import jax
import jax.numpy as jnp
import numpy as np

IMAGE = np.random.default_rng(0).uniform(0.05, 0.95, (64, 64, 3)).astype(np.float32)
OTHER = np.random.default_rng(1).uniform(0.05, 0.95, (64, 64, 3)).astype(np.float32)
BATCH = np.random.default_rng(2).uniform(0.05, 0.95, (4, 64, 64, 3)).astype(np.float32)
MATRIX = np.array([[0.9, 0.1, 0], [-0.1, 0.9, 0], [0, 0, 1]], np.float32)
KEY = np.array([0, 1], np.uint32)


def key(k):
    return jax.random.wrap_key_data(k)


def named(pix):
    images = {
        "brightness": lambda x: pix.adjust_brightness(x, 0.1), "contrast": lambda x: pix.adjust_contrast(x, 1.3), "gamma": lambda x: pix.adjust_gamma(x, 1.3), "hue": lambda x: pix.adjust_hue(x, 0.1),
        "saturation": lambda x: pix.adjust_saturation(x, 1.3), "center_crop": lambda x: pix.center_crop(x, 40, 40), "pad": lambda x: pix.pad_to_size(x, 80, 80), "resize": lambda x: pix.resize_with_crop_or_pad(x, 80, 40),
        "left_right": lambda x: pix.flip_left_right(x), "up_down": lambda x: pix.flip_up_down(x), "blur": lambda x: pix.gaussian_blur(x, 1.5, 7), "rot90": lambda x: pix.rot90(x, 1), "solarize": lambda x: pix.solarize(x, 0.5),
        "to_hsv": lambda x: pix.rgb_to_hsv(x), "from_hsv": lambda x: pix.hsv_to_rgb(x), "to_hsl": lambda x: pix.rgb_to_hsl(x), "from_hsl": lambda x: pix.hsl_to_rgb(x), "gray": lambda x: pix.rgb_to_grayscale(x),
        "gray_kept": lambda x: pix.rgb_to_grayscale(x, keep_dims=True), "planes": lambda x: pix.split_channels(x, -1), "affine": lambda x: pix.affine_transform(x, MATRIX), "affine_nearest": lambda x: pix.affine_transform(x, MATRIX, order=0),
        "affine_mirror": lambda x: pix.affine_transform(x, MATRIX, mode="mirror"), "rotate": lambda x: pix.rotate(x, 0.3), "patches": lambda x: pix.extract_patches(x[None], (1, 8, 8, 1), (1, 4, 4, 1), (1, 1, 1, 1), padding="VALID"),
        "to_depth": lambda x: pix.space_to_depth(x[None], 4), "to_space": lambda x: pix.depth_to_space(jnp.tile(x[None], (1, 1, 1, 4)), 2),
    }
    for name, f in images.items():
        yield name, lambda f=f: (f, (IMAGE,))
        yield name + "_batch", lambda f=f: (jax.vmap(f), (BATCH,))
        yield name + "_gradient", lambda f=f: (jax.grad(lambda x: sum(jnp.sum(jnp.square(y)) for y in jax.tree.leaves(f(x)))), (IMAGE,))
    for name in ("mae", "mse", "psnr", "rmse", "simse", "ssim"):
        yield name, lambda name=name: ((lambda a, b: getattr(pix, name)(a, b)), (IMAGE, OTHER))
        yield name + "_batch", lambda name=name: ((lambda a, b: getattr(pix, name)(a, b)), (BATCH, BATCH[::-1].copy()))
        yield name + "_gradient", lambda name=name: (jax.grad(lambda a, b: jnp.sum(getattr(pix, name)(a, b))), (IMAGE, OTHER))
    random = {
        "random_left_right": lambda k, x: pix.random_flip_left_right(key(k), x), "random_up_down": lambda k, x: pix.random_flip_up_down(key(k), x), "random_brightness": lambda k, x: pix.random_brightness(key(k), x, 0.3),
        "random_gamma": lambda k, x: pix.random_gamma(key(k), x, 0.5, 1.5), "random_hue": lambda k, x: pix.random_hue(key(k), x, 0.3), "random_contrast": lambda k, x: pix.random_contrast(key(k), x, 0.5, 1.5),
        "random_saturation": lambda k, x: pix.random_saturation(key(k), x, 0.5, 1.5), "random_crop": lambda k, x: pix.random_crop(key(k), x, (40, 40, 3)), "elastic": lambda k, x: pix.elastic_deformation(key(k), x, 10.0, 3.0),
    }
    for name, f in random.items():
        yield name, lambda f=f: (f, (KEY, IMAGE))
    yield "interpolate", lambda: ((lambda v, c: pix.flat_nd_linear_interpolate(v, c)), (IMAGE, np.random.default_rng(3).uniform(0, 2, (3, 4096)).astype(np.float32)))
    yield "interpolate_constant", lambda: ((lambda v, c: pix.flat_nd_linear_interpolate_constant(v, c, 0.0)), (IMAGE, np.random.default_rng(3).uniform(0, 2, (3, 4096)).astype(np.float32)))
