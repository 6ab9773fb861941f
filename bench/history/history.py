"""history.py CLONE FOLDER COMMIT…: replays commits of optax, oldest first, each beside its first parent, and prints JSON.

Programs that are lowered to other StableHLO after a commit are compiled on both sides, dumped under FOLDER and timed in turn.
"""
import ast
import hashlib
import importlib
import json
import pathlib
import shutil
import subprocess
import sys
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "race"))

import race
import jax

import optax_programs

warnings.simplefilter("ignore")
set_option = jax.config.update


def set_known_option(name, value):
    """Some releases set an option of JAX that the present one does not have."""
    if hasattr(jax.config, name):
        set_option(name, value)


jax.config.update = set_known_option
CODE = ("--", "optax/*.py", ":!*_test.py")


def git(clone, *args, **options):
    return subprocess.run(("git", "-C", clone, *args), check=True, stdout=subprocess.PIPE, **options).stdout


class Silent(ast.NodeTransformer):
    """Takes away what says nothing to Python: docstrings and annotations."""

    def visit_FunctionDef(self, node):
        self.generic_visit(node)
        node.returns = None
        return self.without_docstring(node)

    def visit_ClassDef(self, node):
        self.generic_visit(node)
        return self.without_docstring(node)

    visit_Module = visit_ClassDef

    def visit_arg(self, node):
        node.annotation = None
        return node

    def without_docstring(self, node):
        if node.body and isinstance(node.body[0], ast.Expr) and isinstance(node.body[0].value, ast.Constant):
            node.body = node.body[1:] or [ast.Pass()]
        return node


def code(clone, commit, path):
    """What a file's code says at a commit; nothing where it is not."""
    shown = subprocess.run(("git", "-C", clone, "show", f"{commit}:{path}"), capture_output=True)
    return ast.dump(Silent().visit(ast.parse(shown.stdout))) if shown.returncode == 0 else None


def changes_code(clone, commit):
    files = git(clone, "diff", "--name-only", commit + "^", commit, *CODE, text=True).split()
    return any(code(clone, commit + "^", f) != code(clone, commit, f) for f in files)


class Release:
    """optax as of a commit, imported beside others: its programs, and a fingerprint of each as it is lowered."""

    def __init__(self, clone, commit, folder):
        self.programs, self.failure = {}, ""
        source = folder / "optax-source"
        shutil.rmtree(source, ignore_errors=True)
        source.mkdir(parents=True)
        subprocess.run(("tar", "-x", "-C", source), check=True, input=git(clone, "archive", commit, "optax"))
        for name in [n for n in sys.modules if n.split(".")[0] == "optax"]:
            del sys.modules[name]
        importlib.invalidate_caches()
        sys.path.insert(0, str(source))
        try:
            self.programs = optax_programs.programs(importlib.import_module("optax"))
        except Exception as e:  # Whatever an old release raises under this JAX is its answer.
            self.failure = f"{type(e).__name__}: {e}"
        self.lowered = {name: self.fingerprint(*program) for name, program in self.programs.items()}
        sys.path.remove(str(source))

    @staticmethod
    def fingerprint(function, args):
        try:
            return hashlib.sha256(jax.jit(function).lower(*args).as_text().encode()).hexdigest()
        except Exception:  # As above: a program that this release cannot trace is not compared.
            return None


def replay(clone, commit, folder, before, after):
    """What a commit did to the programs that both sides have."""
    both = sorted(n for n, f in before.lowered.items() if f and after.lowered.get(n))
    races = [race.Race(race.Pair(name, "", before.programs[name][0], after.programs[name][0], before.programs[name][1], after.programs[name][1]), folder / commit)
             for name in both if before.lowered[name] != after.lowered[name]]
    race.run(races)
    return {"commit": commit, "subject": git(clone, "log", "-1", "--format=%s", commit, text=True).strip(), "date": git(clone, "log", "-1", "--format=%cs", commit, text=True).strip(),
            "failure": before.failure or after.failure, "programs": len(both), "pairs": [r.result() for r in races]}


def main():
    clone, folder, commits = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
    last, release = None, None
    for commit in commits:
        if not changes_code(clone, commit):
            continue
        parent = git(clone, "rev-list", "-1", commit + "^", *CODE, text=True).strip()
        before = release if parent == last else Release(clone, parent, folder)
        release, last = Release(clone, commit, folder), git(clone, "rev-parse", commit, text=True).strip()
        print(json.dumps(replay(clone, commit, folder, before, release)), flush=True)


if __name__ == "__main__":
    main()
