"""The facts of a function as numbers that a test can compare."""

from __future__ import annotations

import dataclasses
import json
import math
import pathlib
import subprocess
import tempfile
from typing import Any, Callable, Iterator, Mapping, Sequence

from xlagate.binary import find
from xlagate.compiled import produce


@dataclasses.dataclass(frozen=True)
class Facts(Mapping[str, float]):
    """What was measured of a compiled function: every fact by its name, as `xlagate inspect` and docs/facts.md list them."""

    program: str
    signature: str
    numbers: Mapping[str, float]

    def __getitem__(self, name: str) -> float:
        return self.numbers[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.numbers)

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def kernels(self) -> float:
        """Kernels launched in a run, those of loops as often as they run."""
        return self["kernels.weighted"]

    @property
    def flops(self) -> float:
        """Floating point operations of a run."""
        return self["cost.weighted_flops"]

    @property
    def peak(self) -> float:
        """Bytes that a run needs at its peak."""
        return self["memory.peak_bytes"]

    @property
    def temp(self) -> float:
        """Bytes of temporary memory."""
        return self["memory.temp_bytes"]

    @property
    def step(self) -> float:
        """Seconds that a run is predicted to take on its device."""
        return self["price.step_ns"] / 1e9

    @property
    def collectives(self) -> float:
        """Collectives in the program, of every kind."""
        return sum(v for k, v in self.items() if k.startswith("collectives.") and k.endswith(".count"))


class Unreadable(RuntimeError):
    """The dump could not be measured."""


def facts(function: Any, *args: Any, device: str | None = None, **kwargs: Any) -> Facts:
    """Compile a function for the arguments and return its facts. Nothing is run. The arguments are those of xlagate.dump."""
    with tempfile.TemporaryDirectory(prefix="xlagate-") as folder:
        produce(pathlib.Path(folder), function, args, kwargs, device)
        done = subprocess.run([find(), "facts", "--quiet", folder], capture_output=True, text=True)
    if done.returncode != 0:
        raise Unreadable(done.stderr.strip())
    programs = json.loads(done.stdout)["programs"]
    program = next(p for p in programs if p.get("main") or len(programs) == 1)
    variant = program["variants"][0]
    return Facts(program["name"], variant["signature"], variant["facts"])


# The bounds of scaling: the largest exponent that a fact may grow with, with some room for what does not scale.
EXPONENTS = {"constant": 0.1, "linear": 1.2, "quadratic": 2.2}


def scaling(make: Callable[[int], Sequence[Any]], sizes: Sequence[int], *, device: str | None = None, **bounds: str) -> dict[int, Facts]:
    """Compile a function at several sizes and fail where a fact grows faster than its bound; return the facts of each size.

    make(size) returns the function and its arguments. A bound names a property of Facts (kernels, flops, peak, temp, step) and how it may grow:
    constant, linear or quadratic. Without bounds kernels are constant and the peak is linear:

        xlagate.scaling(lambda depth: (step, params(depth), batch), [2, 4, 8])
    """
    __tracebackhide__ = True
    bounds = bounds or {"kernels": "constant", "peak": "linear"}
    wrong = [f"{name}={bound!r}" for name, bound in bounds.items() if bound not in EXPONENTS or not isinstance(getattr(Facts, name, None), property)]
    if wrong:
        raise ValueError(f"scaling takes kernels, flops, peak, temp, step or collectives as {', '.join(EXPONENTS)}; not {', '.join(wrong)}")
    sizes = sorted(set(sizes))
    if len(sizes) < 2:
        raise ValueError("scaling needs two sizes at least")
    found = {size: facts(*make(size), device=device) for size in sizes}
    failed = []
    for name, bound in bounds.items():
        values = [getattr(found[size], name) for size in sizes]
        grown = _exponent(sizes, values)
        if grown > EXPONENTS[bound]:
            at = ", ".join(f"{value:,.7g} at {size}" for size, value in zip(sizes, values))
            failed.append(f"{name}: {at}; grows as size^{grown:.1f}, at most {bound} growth is allowed")
    if failed:
        raise AssertionError("\n".join(failed))
    return found


def _exponent(sizes: Sequence[int], values: Sequence[float]) -> float:
    """Return the power of the size with which the values grow between the last two sizes, where what is constant weighs least."""
    before, after = values[-2:]
    if after <= before:
        return 0.0
    if before <= 0:
        return math.inf
    return math.log(after / before) / math.log(sizes[-1] / sizes[-2])
