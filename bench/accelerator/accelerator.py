"""accelerator.py FOLDER [PAIR…]: compiles each pair of programs for the accelerator, dumps both under FOLDER, times their steps, times and counts what
each runs on the device, and prints JSON.

A PAIR is a regular expression. The dumps keep what xlagate reads. Compilation runs in threads: most of it is outside of Python.
"""
import bisect
import collections
import concurrent.futures
import importlib
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE.parent / "race"), str(HERE.parent / "stopwatch")]

import jax
from jax.profiler import ProfileData, TraceAnnotation

from programs.pair import PAIRS
from sides import SIDES

MODULES = ("large", "mlp", "transformer", "vision", "sequence", "sparse", "science", "training")
KEPT = re.compile(r"after_optimizations(-buffer-assignment)?\.txt$|thunk_sequence|target_config|before_optimizations\.txt$")
SWEEPS, SWEEP_S, MOST_ROUNDS, PROFILED = 3, 0.05, 200, 3
JITTER_US = 27  # by so much the host's part of a step differs between programs of one kernel, on the machine of an H200
BATCH = 40  # programs in one profile


class Step:
    """One side of a pair: a program, or several that are called in a row."""

    def __init__(self, pair, side, root):
        self.name, self.carry, self.x64, self.folder = f"{pair.name}__{side}", pair.carry, pair.x64, root / pair.name / side
        functions, args = (pair.before, pair.args) if side == "before" else (pair.after, pair.after_args)
        self.chain = functions if isinstance(functions, tuple) else (functions,)
        self.donate, self.seen, self.kernels, self.ran = pair.donate[side == "after"], [], None, []
        with jax.enable_x64(pair.x64):
            self.args = jax.device_put(args)
            self.lowered = [self.lower(f, i) for i, f in enumerate(self.chain)]

    def lower(self, function, number):
        def program(*args):
            return function(*args)
        program.__name__ = f"{self.name}_{number}"
        return jax.jit(program, donate_argnums=self.donate).lower(*self.args)

    def compile(self):
        options = {"xla_dump_to": str(self.folder), "xla_dump_hlo_as_text": True}
        self.calls = [lowered.compile(compiler_options=options) for lowered in self.lowered]
        for file in self.folder.iterdir():
            if not KEPT.search(file.name):
                file.unlink()

    def run(self):
        """Seconds of one step: the call, and the wait for all results."""
        args = self.args
        if self.donate and not self.carry:
            args = jax.block_until_ready(jax.tree.map(lambda x: x.copy(), args))
        start = time.perf_counter()
        for call in self.calls:
            out = call(*args)
        jax.block_until_ready(out)
        seconds = time.perf_counter() - start
        if self.carry:
            self.args = (out[0], *self.args[1:])
        return seconds

    def sweep(self):
        rounds, deadline = [self.run()], time.perf_counter() + SWEEP_S
        while len(rounds) < 4 or len(rounds) < MOST_ROUNDS and time.perf_counter() < deadline:
            rounds.append(self.run())
        self.seen.append(min(rounds))

    def result(self, root):
        best, second = sorted(self.seen)[:2]
        noise = max(second / best - 1, JITTER_US / 2 / (best * 1e6))
        return {"us": round(best * 1e6, 2), "kernels_us": round(self.kernels / 1e3, 2), "noise": round(noise, 4), "dump": str(self.folder.relative_to(root)), "ran": self.runs()}

    def runs(self):
        """What the device ran in the profiled step: each kernel, the instruction that it is of where the profiler says so, how often, and for how long in all."""
        took = collections.defaultdict(list)
        for _, duration, kernel, instruction in self.ran:
            took[kernel, instruction].append(duration)
        return [{"kernel": kernel, "instruction": instruction, "count": len(each), "us": round(sum(each) / 1e3, 2)} for (kernel, instruction), each in took.items()]


def profile(steps):
    """Sets which kernels each step runs and how long they take, by the profiler: of several steps the one with the least."""
    where = tempfile.mkdtemp()
    jax.profiler.start_trace(where)
    for step in steps:
        for _ in range(PROFILED):
            with TraceAnnotation("step:" + step.name):
                step.run()
    jax.profiler.stop_trace()
    data = ProfileData.from_file(str(next(pathlib.Path(where).rglob("*.xplane.pb"))))
    events, marks = [], []
    for plane in data.planes:
        for line in plane.lines:
            if "GPU" in plane.name and line.name.startswith("Stream"):
                events += [(e.start_ns, e.duration_ns, e.name, instruction(e)) for e in line.events]
            marks += [(e.start_ns, e.duration_ns, e.name[5:]) for e in line.events if e.name.startswith("step:")]
    events.sort()
    named = {step.name: step for step in steps}
    for start, took, name in marks:
        inside = events[bisect.bisect_left(events, (start,)):bisect.bisect_left(events, (start + took,))]
        busy, step = sum(duration for _, duration, *_ in inside), named[name]
        if step.kernels is None or busy < step.kernels:
            step.kernels, step.ran = busy, inside
    shutil.rmtree(where)


def instruction(event):
    return next((str(value) for name, value in event.stats if name == "hlo_op"), "")


def wanted(names):
    for module in MODULES:
        importlib.import_module("programs." + module)
    return [pair for name, pair in PAIRS.items() if not names or any(re.fullmatch(n, name) for n in names)]


def main():
    root, pairs = pathlib.Path(sys.argv[1]), wanted(sys.argv[2:])
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        steps = [[Step(pair, side, root) for side in SIDES] for pair in pairs]
        list(pool.map(Step.compile, sum(steps, [])))
    for _ in range(SWEEPS):
        for step in sum(steps, []):
            step.sweep()
    flat = sum(steps, [])
    for first in range(0, len(flat), BATCH):
        profile(flat[first:first + BATCH])
    results = [{"name": pair.name, "what": pair.what} | {side: step.result(root) for side, step in zip(SIDES, both)} for pair, both in zip(pairs, steps)]
    print(json.dumps({"jax": jax.__version__, "device": jax.devices()[0].device_kind, "pairs": results}, indent=1))


if __name__ == "__main__":
    main()
