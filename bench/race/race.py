"""Steps that are compiled, dumped and timed in turn on one core. Whoever imports this is pinned to that core, before JAX counts them."""
import json
import os
import time

os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})

import jax

from sides import SIDES, Pair

jax.config.update("jax_platforms", "cpu")

ROUND_S, SWEEP_S, LEAST_ROUNDS = 0.001, 0.3, 4
LEAST_SWEEPS, MOST_SWEEPS, AGREE = 3, 8, 0.03
COMPILED = {"before": "before", "after": "after", "again": "before"}  # by folder


class Step:
    """One side of a pair, compiled: a program, or several that are called in a row."""

    def __init__(self, pair, side, folder):
        self.carry, self.folder = pair.carry, folder
        functions, args = (pair.before, pair.args) if side == "before" else (pair.after, pair.after_args)
        self.chain = functions if isinstance(functions, tuple) else (functions,)
        donate = pair.donate[side == "after"]
        self.args = jax.device_put(args)
        self.calls = [self.compiled(f, f"{pair.name}_{i}", donate) for i, f in enumerate(self.chain)]

    def compiled(self, function, name, donate):
        def program(*args):
            return function(*args)
        program.__name__ = name
        options = {"xla_dump_to": str(self.folder), "xla_dump_hlo_as_text": True}
        return jax.jit(program, donate_argnums=donate).lower(*self.args).compile(compiler_options=options)

    def run(self, times):
        """Seconds of one step, over so many."""
        args, calls, carry = self.args, self.calls, self.carry
        start = time.perf_counter()
        for _ in range(times):
            for call in calls:
                out = call(*args)
            first = out
            while not hasattr(first, "block_until_ready"):
                first = first[0] if isinstance(first, (list, tuple)) else jax.tree.leaves(first)[0]
            first.block_until_ready()
            if carry:
                args = (out[0], *args[1:])
        seconds = (time.perf_counter() - start) / times
        self.args = args
        return seconds


class Race:
    """A pair on its way: the least step of each side in every sweep. The side before is compiled twice: by how much one program differs from itself is noise."""

    def __init__(self, pair, root):
        self.pair, self.root = pair, root
        with jax.enable_x64(pair.x64):
            self.steps = [Step(pair, side, root / pair.name / folder) for folder, side in COMPILED.items()]
        self.seen = [[] for _ in COMPILED]
        self.counts = [max(1, int(ROUND_S / max(step.run(2) for _ in range(2)))) for step in self.steps]

    def sweep(self):
        """Runs all in turn for a while and keeps the least of each."""
        rounds, deadline = [[] for _ in COMPILED], time.perf_counter() + SWEEP_S
        while len(rounds[0]) < LEAST_ROUNDS or time.perf_counter() < deadline:
            for step, count, times in zip(self.steps, self.counts, rounds):
                times.append(step.run(count))
        for seen, times in zip(self.seen, rounds):
            seen.append(min(times))

    def noise(self, times):
        """By how much the two best sweeps disagree."""
        best, second = sorted(times)[:2]
        return second / best - 1

    def settled(self):
        return len(self.seen[0]) >= LEAST_SWEEPS and max(map(self.noise, self.seen)) < AGREE

    def result(self):
        one, two = min(self.seen[0]), min(self.seen[2])
        itself = max(one, two) / min(one, two) - 1
        sides = {side: {"us": round(min(seen) * 1e6, 2), "noise": round(max(itself, self.noise(seen)), 4), "dump": str(step.folder.relative_to(self.root))}
                 for side, step, seen in zip(SIDES, self.steps, self.seen)}
        return {"name": self.pair.name, "what": self.pair.what} | sides


def run(races):
    """Visits every pair in several sweeps over all of them, so that a slow second of the machine is not taken for a slow program; one whose
    best two sweeps disagree is visited again."""
    for _ in range(MOST_SWEEPS):
        for race in races:
            if not race.settled():
                race.sweep()


def show(races):
    print(json.dumps({"jax": jax.__version__, "pairs": [race.result() for race in races]}, indent=1))
