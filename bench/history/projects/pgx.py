"""Programs over pgx's games: many of each started, and played for some moves by chance."""
import inspect

import jax
import jax.numpy as jnp
import numpy as np

GAMES = {"2048": 64, "animal_shogi": 16, "backgammon": 32, "chess": 4, "connect_four": 128, "gardner_chess": 8, "go_9x9": 16, "go_19x19": 4, "hex": 32, "kuhn_poker": 512, "leduc_holdem": 256,
         "othello": 32, "sparrow_mahjong": 32, "tic_tac_toe": 256}


def clip(x, *bounds, a_min=None, a_max=None, now=jnp.clip, **named):
    """As it was called before its bounds were renamed."""
    return now(x, *bounds, **named, **{name: bound for name, bound in (("min", a_min), ("max", a_max)) if bound is not None})


jnp.clip = clip


def keys(*shape):
    return np.random.default_rng(sum(shape)).integers(0, 2 ** 31, (*shape, 2)).astype(np.uint32)


def move(env, state, keys):
    """A legal move by chance in every game."""
    actions = jax.vmap(jax.random.categorical)(keys, jnp.log(state.legal_action_mask.astype(jnp.float32)))
    return jax.vmap(env.step)(state, actions, *[keys][:len(inspect.signature(env.step).parameters) - 2])


def played(env):
    """The games after some moves, and their rewards on the way."""
    def step(state, keys):
        state = move(env, state, keys)
        return state, state.rewards
    return lambda keys, moves: jax.tree.leaves(jax.lax.scan(step, jax.vmap(env.init)(keys), moves))


def started(env):
    return lambda keys: jax.tree.leaves(jax.vmap(env.init)(keys))


def named(pgx):
    for game, count in GAMES.items():
        yield game + "_start", lambda game=game, count=count: (started(pgx.make(game)), (keys(8 * count),))
        yield game + "_play", lambda game=game, count=count: (played(pgx.make(game)), (keys(count), keys(8, count)))
