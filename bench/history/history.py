"""history.py PROJECT CLONE FOLDER COMMIT…: replays commits of a project, oldest first, each beside its first parent, and prints JSON.

projects/PROJECT.py has the programs. Those that are lowered to other StableHLO after a commit are compiled on both sides, dumped under FOLDER
and timed in turn. The package's source of both sides stays beside the dumps.
"""
import ast
import functools
import hashlib
import importlib
import json
import operator
import pathlib
import shutil
import subprocess
import sys
import types
import typing
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "race"))

import race
import jax
import jax.interpreters.pxla
import jax.typing

warnings.simplefilter("ignore")
set_option = jax.config.update


def set_known_option(name, value):
    """Some releases set an option of JAX that the present one does not have."""
    if hasattr(jax.config, name):
        set_option(name, value)


jax.config.update = set_known_option

# What older releases call by a name that JAX has dropped.
RENAMED = {
    jax: {"tree_map": jax.tree.map, "tree_leaves": jax.tree.leaves, "tree_multimap": jax.tree.map, "tree_structure": jax.tree.structure},
    jax.tree_util: {"tree_multimap": jax.tree.map}, jax.core: {"get_aval": jax.typeof}, jax.random: {"KeyArray": jax.Array},
    # A tracer is an instance of jax.Array, and no subclass of it, which is what typing.Union asks for.
    jax.typing: {"ArrayLike": functools.reduce(operator.or_, typing.get_args(jax.typing.ArrayLike))},
    jax.interpreters.pxla: {"multi_host_supported_collectives": set()},
}
for module, names in RENAMED.items():
    for name, now in names.items():
        setattr(module, name, now)
sys.modules["jax.config"] = types.SimpleNamespace(config=jax.config)


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


class Project:
    """A clone of a repository, and the programs over its package. LOCATION is where the package is, if not at the top."""

    def __init__(self, name, clone):
        self.clone, self.package, module = clone, name, importlib.import_module("projects." + name)
        self.location, self.named = getattr(module, "LOCATION", name), module.named
        self.code = ("--", self.location + "/*.py", ":!*_test.py")

    def git(self, *args, **options):
        return subprocess.run(("git", "-C", self.clone, *args), check=True, stdout=subprocess.PIPE, **options).stdout

    def code_of(self, commit, path):
        """What a file's code says at a commit; nothing where it is not."""
        shown = subprocess.run(("git", "-C", self.clone, "show", f"{commit}:{path}"), capture_output=True)
        return ast.dump(Silent().visit(ast.parse(shown.stdout))) if shown.returncode == 0 else None

    def changes_code(self, commit):
        files = self.git("diff", "--name-only", commit + "^", commit, *self.code, text=True).split()
        return any(self.code_of(commit + "^", f) != self.code_of(commit, f) for f in files)

    def unpack(self, commit, folder):
        """Writes the package as of a commit into a folder."""
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        subprocess.run(("tar", "-x", "-C", folder), check=True, input=self.git("archive", commit, self.location, ":!*.gif"))


class Release:
    """The package as of a commit, imported beside others: its programs, and a fingerprint of each as it is lowered."""

    def __init__(self, project, commit, folder):
        self.programs, self.failure = {}, ""
        source = folder / "source"
        for name in [n for n in sys.modules if n.split(".")[0] == project.package]:
            del sys.modules[name]
        importlib.invalidate_caches()
        path = str((source / project.location).parent)
        sys.path.insert(0, path)
        try:
            project.unpack(commit, source)
            self.programs = dict(self.made(project.named(importlib.import_module(project.package))))
        except Exception as e:  # Whatever an old release raises under this JAX is its answer.
            self.failure = f"{type(e).__name__}: {e}"
        self.lowered = {name: self.fingerprint(*program) for name, program in self.programs.items()}
        sys.path.remove(path)

    @staticmethod
    def made(named):
        """The programs that a release has, by name: function and arguments."""
        for name, make in named:
            try:
                yield name, make()
            except Exception as e:  # As above: this release has no such function, or another signature.
                print(f"{name}: {type(e).__name__}: {e}"[:200], file=sys.stderr)

    @staticmethod
    def fingerprint(function, args):
        try:
            return hashlib.sha256(jax.jit(function).lower(*args).as_text().encode()).hexdigest()
        except Exception as e:  # As above: a program that this release cannot trace is not compared.
            print(f"{type(e).__name__}: {e}"[:200], file=sys.stderr)


def raced(name, before, after, folder):
    """Both sides compiled; None where a release cannot be traced any more, as another one replaced classes of its own."""
    try:
        return race.Race(race.Pair(name, "", before[0], after[0], before[1], after[1]), folder)
    except Exception as e:  # As above.
        print(f"{name}: {type(e).__name__}: {e}"[:200], file=sys.stderr)
        return None


def replay(project, commit, folder, before, after):
    """What a commit did to the programs that both sides have."""
    both = sorted(n for n, f in before.lowered.items() if f and after.lowered.get(n))
    races = [r for name in both if before.lowered[name] != after.lowered[name] and (r := raced(name, before.programs[name], after.programs[name], folder / commit))]
    race.run(races)
    if races:
        project.unpack(commit + "^", folder / commit / "before")
        project.unpack(commit, folder / commit / "after")
    told = project.git("log", "-1", "--format=%cs %s", commit, text=True).strip()
    return {"commit": commit, "subject": told[11:], "date": told[:10],
            "failure": before.failure or after.failure, "programs": len(both), "pairs": [r.result() for r in races]}


def main():
    results, sys.stdout = sys.stdout, sys.stderr  # Some projects print.
    project, folder, commits = Project(*sys.argv[1:3]), pathlib.Path(sys.argv[3]), sys.argv[4:]
    last, release = None, None
    for commit in commits:
        if not project.changes_code(commit):
            continue
        parent = project.git("rev-list", "-1", commit + "^", *project.code, text=True).strip()
        before = release if parent == last else Release(project, parent, folder)
        release, last = Release(project, commit, folder), project.git("rev-parse", commit, text=True).strip()
        print(json.dumps(replay(project, commit, folder, before, release)), file=results, flush=True)


if __name__ == "__main__":
    main()
