"""Times captures, cold and warm, with no edit, with an edit of one of two programs, and with an edit of comments: warm.py XLAGATE [ROW…].

A row of the table in docs/performance.md is the seconds of each, by the clock and of CPU, and how many programs were compiled.
"""

import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]

MODEL = """
import sys
import jax, jax.numpy as jnp, numpy as np
import xlagate, xlagate.devices

LAYERS, WIDTH, HEADS = {layers}, {width}, 8


def layer(w, x):
    q, k, v = jnp.split(x @ w["qkv"], 3, -1)
    q, k, v = (a.reshape(*a.shape[:2], HEADS, -1) for a in (q, k, v))
    weights = jax.nn.softmax(jnp.einsum("bqhd,bkhd->bhqk", q, k) / WIDTH**0.5)
    x = x + jnp.einsum("bhqk,bkhd->bqhd", weights, v).reshape(x.shape) @ w["out"]
    return x + jax.nn.gelu(x @ w["up"]) @ w["down"]


def loss(params, x):
    for w in params:
        x = layer(w, x)
    return jnp.square(x).mean()


def train_step(params, x):
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, jax.grad(loss)(params, x))


def evaluate(params, x):
    return loss(params, x)


def inputs(device, batch=4):
    alone = jax.sharding.SingleDeviceSharding(xlagate.devices.devices(device)[0])
    array = lambda *shape: jax.ShapeDtypeStruct(shape, "float32", sharding=alone)
    w = {{"qkv": array(WIDTH, 3 * WIDTH), "out": array(WIDTH, WIDTH), "up": array(WIDTH, 4 * WIDTH), "down": array(4 * WIDTH, WIDTH)}}
    return [w] * LAYERS, array(batch, 64, WIDTH)


if __name__ == "__main__":
    device, *only = sys.argv[1:]
    for f in train_step, evaluate:
        lowered = jax.jit(f).lower(*inputs(device))
        if not only:
            lowered.compile() if device == "cpu" else xlagate.compile(lowered)
"""

SUITE = """
import jax, pytest
import model


@pytest.mark.parametrize("batch", range(1, 21))
@pytest.mark.parametrize("function", [model.train_step, model.evaluate])
def test_program(xlagate, function, batch):
    xlagate.check(jax.jit(function), *model.inputs("cpu", batch))
"""

TRACED = """
import jax, pytest
import model


@pytest.mark.parametrize("batch", range(1, 21))
@pytest.mark.parametrize("function", [model.train_step, model.evaluate])
def test_program(function, batch):
    jax.jit(function).lower(*model.inputs("cpu", batch))
"""

# Each edit is made in the model that the earlier one left.
EDITS = [("no edit", "", ""), ("one program", "p - 0.1 * g", "p - 0.2 * g"), ("comments", "def layer", "# One layer.\ndef layer")]


class Row:
    """A model in a folder of its own."""

    def __init__(self, xlagate, folder, layers, width, device):
        self.xlagate, self.folder, self.device = xlagate, folder, device
        self.source = MODEL.format(layers=layers, width=width)
        self.write()

    def write(self):
        (self.folder / "model.py").write_text(self.source)

    def timed(self, *command, fails=False):
        """Run a command; return its output, and its seconds by the clock and of CPU."""
        used = lambda: sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
        start, cpu = time.monotonic(), used()
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
        if done.returncode and not fails:
            raise SystemExit(f"{' '.join(map(str, command))}:\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr, time.monotonic() - start, used() - cpu

    def trace(self):
        return self.timed(sys.executable, "model.py", self.device, "lower")[1:]

    def check(self, *cache):
        """Return the seconds of a capture and a check, and how many programs were compiled."""
        _, wall, cpu = self.timed(self.xlagate, "capture", *cache, "--to", "dump", "--", sys.executable, "model.py", self.device)
        _, more, most = self.timed(self.xlagate, "inspect", "dump")
        dump = self.folder / "dump"
        restored = json.loads((dump / "xlagate-toolchain.json").read_text()).get("restored", [])
        programs = [p for p in dump.glob("*.before_optimizations.txt") if "jit_train_step" in p.name or "jit_evaluate" in p.name]
        return wall + more, cpu + most, sum(not any(p.name.startswith(m + ".") for m in restored) for p in programs)

    def cold(self):
        return self.check()

    def warm(self):
        return self.check("--cache", "cache")


class Suite(Row):
    """40 programs as tests."""

    def pytest(self, *options, fails=False):
        said, wall, cpu = self.timed(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, fails=fails)
        before = said.partition("xlagate: ")[2].split(" of ")[0]
        return wall, cpu, 40 - int(before or 0)

    def trace(self):
        (self.folder / "test_model.py").write_text(TRACED)
        return self.pytest()[:2]

    def cold(self):
        (self.folder / "test_model.py").write_text(SUITE)
        self.pytest("--xlagate-accept", "--xlagate-compile")
        return self.pytest("--xlagate-compile")

    def warm(self):
        return self.pytest()


ROWS = {
    "2 layers, CPU": (Row, 2, 64, "cpu"),
    "24 layers, CPU": (Row, 24, 256, "cpu"),
    "24 layers, TPU v5e": (Row, 24, 256, "tpu-v5e"),
    "24 layers, H100": (Row, 24, 256, "h100-sxm"),
    "pytest, 40 programs": (Suite, 1, 64, "cpu"),
}


def main(xlagate, *names):
    os.environ.update(JAX_PLATFORMS="cpu", XLAGATE_BINARY=xlagate, TF_CPP_MIN_LOG_LEVEL="3", PYTHONPATH=str(ROOT / "python" / "src"))
    for name in names or ROWS:
        kind, *options = ROWS[name]
        folder = pathlib.Path(tempfile.mkdtemp(prefix="xlagate-warm-"))
        os.environ["XLAGATE_CACHE"] = str(folder / "cache")
        row = kind(xlagate, folder, *options)
        cells = [row.trace(), row.cold()]
        row.warm()
        for _, old, new in EDITS:
            row.source = row.source.replace(old, new)
            row.write()
            cells.append(row.warm())
        shown = [f"{wall:.1f} ({cpu:.1f})" + "".join(f", {n}" for n in compiled) for wall, cpu, *compiled in cells]
        print(f"| {name} | {' | '.join(shown)} |  load {os.getloadavg()[0]:.1f}", flush=True)
        shutil.rmtree(folder)


main(os.path.abspath(sys.argv[1]), *sys.argv[2:])
