"""Captures a program cold and warm after each of ten edits, and compares the facts: warm.py XLAGATE."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PROGRAM = """
import jax, jax.numpy as jnp
@jax.jit
def step(w, x):
    return jax.nn.softmax(jnp.tanh(x @ w)).sum()
@jax.jit
def order(x):
    return jnp.sort(x)
step(jnp.ones((64, 64)), jnp.ones((8, 64)))
order(jnp.ones((8, 64)))
"""

EDITS = [
    ("tanh", "sin"),
    ("jnp.sort(x)", "jnp.sort(x) + 1"),
    ("def order", "# a comment\ndef order"),
    (".sum()", ".mean()"),
    ("(8, 64)", "(16, 64)"),
    ("sin", "tanh"),
    ("+ 1", "* 2"),
    (".mean()", ".sum()"),
    ("* 2", "+ 1"),
    ("x @ w", "x @ w @ w"),
]


def facts(xlagate, folder, name, *cache):
    subprocess.run([xlagate, "capture", *cache, "--to", name, "--", sys.executable, "model.py"], cwd=folder, check=True, stderr=subprocess.PIPE)
    text = subprocess.run([xlagate, "facts", name], cwd=folder, check=True, capture_output=True, text=True).stdout
    programs = json.loads(re.sub(rf"\b{name}/|module_\d+", "", text))["programs"]
    restored = json.loads((folder / name / "xlagate-toolchain.json").read_text()).get("restored", [])
    return sorted(map(json.dumps, programs)), {re.sub(r"module_\d+\.", "", module) for module in restored}


def damage(cache):
    """Cuts one archive of a program, changes a byte of the others, and returns how many there are."""
    archives = sorted(cache.glob("*/*jit_*.zip"))
    for i, archive in enumerate(archives):
        data = bytearray(archive.read_bytes())
        data[len(data) // 3] ^= 1
        archive.write_bytes(data[: len(data) // 2] if i == 0 else data)
    return len(archives)


def main(xlagate):
    os.environ["JAX_PLATFORMS"] = "cpu"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        cache, source, seen = folder / "cache", PROGRAM, set()
        (folder / "model.py").write_text(source)
        facts(xlagate, folder, "warm", "--cache", "cache")
        for i, (old, new) in enumerate(EDITS):
            assert old in source, old
            source = source.replace(old, new)
            (folder / "model.py").write_text(source)
            emptied = i == 6
            if i == 3:
                assert damage(cache)
            if emptied:
                for archive in cache.glob("*/*.zip"):
                    archive.unlink()
            cold, _ = facts(xlagate, folder, "cold")
            warm, restored = facts(xlagate, folder, "warm", "--cache", "cache")
            assert cold == warm, f"edit {i}: the facts differ"
            assert not (emptied and restored), f"edit {i}: restored {restored} from an empty cache"
            seen |= restored
            print(f"edit {i}: equal; restored {', '.join(sorted(restored)) or 'nothing'}")
        assert {"jit_step", "jit_order"} <= seen, seen
        gated(xlagate, folder, source)


def gated(xlagate, folder, source):
    """Checks a target with a cold and a warm capture: the verdicts are equal, and the edit is found in the program that was compiled."""
    capture = {"run": f"{sys.executable} model.py"}
    rules = {"version": 1, "extends": ["recommended"], "targets": [{"name": "model/cpu", "capture": capture}]}
    (folder / "xlagate.yaml").write_text(json.dumps(rules))
    run = lambda *command: subprocess.run([xlagate, *command], cwd=folder, capture_output=True, text=True)
    accepted = run("accept", "--cache", "cache", "--reason", "first")
    assert accepted.returncode == 0, accepted.stderr
    for text, code in (source, 0), (source.replace("jnp.sort(x)", "jnp.sort(jnp.cumsum(jnp.sort(x), 1))"), 1):
        (folder / "model.py").write_text(text)
        cold, warm = run("check"), run("check", "--cache", "cache")
        assert (cold.returncode, cold.stdout) == (warm.returncode, warm.stdout) and warm.returncode == code, warm.stdout + warm.stderr
        assert "taken from the cache, not compiled" in warm.stderr, warm.stderr
        print(f"check: exit {code}, cold and warm")


main(os.path.abspath(sys.argv[1]))
