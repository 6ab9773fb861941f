"""Programs over jax_md's energies, their forces, steps of simulations and minimizations, and neighbor lists."""
import functools

import jax
import jax.numpy as jnp
import numpy as np


def imported(name):
    return __import__("jax_md." + name, fromlist=["x"])


BOX = np.float32(6.0)
GRID = np.stack(np.meshgrid(*[np.arange(5) * 1.2] * 3, indexing="ij"), -1).reshape(-1, 3)
R = (GRID + np.random.default_rng(0).standard_normal(GRID.shape) * 0.05).astype(np.float32)
SPECIES = (np.arange(125) % 2).astype(np.int32)


def named(jax_md):
    space, energy, simulate, minimize, quantity = (lambda: imported("space")), (lambda: imported("energy")), (lambda: imported("simulate")), (lambda: imported("minimize")), (lambda: imported("quantity"))
    def periodic():
        return space().periodic(float(BOX))
    pairs = {"soft_sphere": {}, "lennard_jones": {}, "morse": {}, "lennard_jones_species": {"species": SPECIES, "sigma": np.ones((2, 2), np.float32)}}
    for name, options in pairs.items():
        base = name.removesuffix("_species")
        yield name + "_force", lambda base=base, options=options: (jax.value_and_grad(getattr(energy(), base + "_pair")(periodic()[0], **options)), (R,))
    yield "stillinger_weber_force", lambda: (jax.value_and_grad(energy().stillinger_weber(periodic()[0])), (R,))
    yield "edip_force", lambda: (jax.value_and_grad(energy().edip(periodic()[0])), (R,))
    yield "gupta_force", lambda: (jax.value_and_grad(energy().gupta_gold55(periodic()[0])), (R[:55],))
    yield "bks_force", lambda: (jax.value_and_grad(energy().bks_silica_pair(periodic()[0], SPECIES)), (R,))
    yield "behler_parrinello", lambda: (lambda r: energy().behler_parrinello(periodic()[0])[1](jax.tree.map(lambda s: jnp.full(s.shape, 0.01), jax.eval_shape(energy().behler_parrinello(periodic()[0])[0], jax.random.PRNGKey(0), R)), r), (R[:32],))
    def neighbors(name):
        def program():
            lists, fn = getattr(energy(), name + "_neighbor_list")(periodic()[0], float(BOX))
            found = lists.allocate(R)
            return (lambda r: (jax.value_and_grad(fn)(r, neighbor=found.update(r)))), (R,)
        return program
    for name in ("lennard_jones", "soft_sphere", "morse", "stillinger_weber", "edip"):
        yield name + "_neighbors", neighbors(name)
    for fmt in ("Dense", "Sparse", "OrderedSparse"):
        def lists(fmt=fmt):
            partition = imported("partition")
            fn = partition.neighbor_list(periodic()[0], float(BOX), 1.5, 0.2, format=getattr(partition, "NeighborListFormat")[fmt] if hasattr(partition.NeighborListFormat, "__getitem__") else getattr(partition, fmt))
            found = fn.allocate(R)
            return (lambda r: found.update(r).idx), (R,)
        yield "neighbor_list_" + fmt, lists
    def cells():
        fn = imported("partition").cell_list(float(BOX), 1.5)
        return (lambda r: fn.update(r, fn.allocate(R)).position_buffer), (R,)
    yield "cell_list", cells
    def simulation(name, *args, init=(), **options):
        def program():
            displacement, shift = periodic()
            start, step = getattr(simulate(), name)(energy().soft_sphere_pair(displacement), shift, *args, **options)
            state = jax.tree.map(lambda s: np.full(s.shape, 0.1 if s.dtype == np.float32 else 1, s.dtype), jax.eval_shape(lambda: start(jax.random.PRNGKey(0), R, *init)))
            return step, (state,)
        return program
    for name, args, init in (("nve", (1e-3,), (1.0,)), ("nvt_nose_hoover", (1e-3, 1.0), ()), ("nvt_langevin", (1e-3, 1.0), ()), ("brownian", (1e-3, 1.0), ()), ("temp_rescale", (1e-3, 1.0, 1.0, 1.0), (1.0,)), ("temp_berendsen", (1e-3, 1.0, 1.0), (1.0,)), ("nvk", (1e-3, 1.0), ()), ("temp_csvr", (1e-3, 1.0, 1.0), (1.0,))):
        yield name, simulation(name, *args, init=init)
    def npt():
        displacement, shift = space().periodic_general(np.eye(3, dtype=np.float32) * BOX)
        start, step = simulate().npt_nose_hoover(energy().soft_sphere_pair(displacement), shift, 1e-3, 1.0, 1.0)
        state = jax.tree.map(lambda s: np.full(s.shape, 0.1 if s.dtype == np.float32 else 1, s.dtype), jax.eval_shape(lambda: start(jax.random.PRNGKey(0), R / BOX, box=jnp.eye(3) * BOX)))
        return (lambda s: step(s)), (state,)
    yield "npt_nose_hoover", npt
    for name, args in (("gradient_descent", (1e-3,)), ("fire_descent", ())):
        def minimized(name=name, args=args):
            displacement, shift = periodic()
            start, step = getattr(minimize(), name)(energy().soft_sphere_pair(displacement), shift, *args)
            state = jax.tree.map(lambda s: np.full(s.shape, 0.1 if s.dtype == np.float32 else 1, s.dtype), jax.eval_shape(start, R))
            return step, (state,)
        yield name, minimized
    yield "stress", lambda: (lambda r: quantity().stress(energy().soft_sphere_pair(space().periodic_general(np.eye(3, dtype=np.float32) * BOX)[0]), r / BOX, jnp.eye(3) * BOX), (R,))
    yield "pressure", lambda: (lambda r: quantity().pressure(energy().soft_sphere_pair(space().periodic_general(np.eye(3, dtype=np.float32) * BOX)[0]), r / BOX, jnp.eye(3) * BOX), (R,))
    yield "pair_correlation", lambda: (quantity().pair_correlation(periodic()[0], np.linspace(0.1, 2, 40, dtype=np.float32), 0.1), (R,))
    yield "elastic_moduli", lambda: (lambda r: imported("elasticity").athermal_moduli(energy().soft_sphere_pair(space().periodic_general(np.eye(3, dtype=np.float32) * BOX)[0]))(r / BOX, jnp.eye(3) * BOX), (R[:16],))
    yield "spline", lambda: (lambda x: imported("interpolate").spline(np.sin(np.arange(20, dtype=np.float32)), 0.1)(x), (np.linspace(0.1, 1.8, 500, dtype=np.float32),))
    yield "rigid_rotate", lambda: (lambda q, v: jax.vmap(imported("rigid_body").quaternion_rotate)(imported("rigid_body").Quaternion(q), v), (np.tile(R[:4].reshape(-1)[:4], (64, 1)), R[:64]))
