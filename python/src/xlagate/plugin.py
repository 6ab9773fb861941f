"""The pytest plugin: the fixture and the marker xlagate, --xlagate-accept and --xlagate-compile."""

from __future__ import annotations

import os
import pathlib
import re
import shlex
import subprocess
import time
from typing import Any, Callable, Iterator, Sequence

import pytest

from xlagate.binary import NotFound, find
from xlagate.compiled import NotCompiled, dump, produce
from xlagate.configuration import configuration
from xlagate.devices import UnknownDevice
from xlagate.kept import FOLDER
from xlagate.measured import Facts, facts, scaling
from xlagate.recompilation import no_recompilation

UNUSED = pytest.StashKey[list[str]]()
KEPT = pytest.StashKey[list[bool]]()  # of each program that was checked: it was not compiled

# Lines that name a command of xlagate, or its configuration, which here is a marker.
COMMAND = re.compile(r"\s*(intended\?|fix:|slack) .*xlagate accept")
IN_CONFIGURATION = re.compile(r"^\S*xlagate\.yaml:\d+:\d+: ", re.MULTILINE)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("xlagate", "what XLA compiles")
    group.addoption("--xlagate-accept", action="store_true", help="accept what is compiled as the baseline of the tests that run")
    group.addoption("--xlagate-reason", default="accepted in pytest", metavar="TEXT", help="the reason that --xlagate-accept records")
    group.addoption("--xlagate-compile", action="store_true", help="compile every program, also one that was compiled before")
    parser.addini("xlagate_extends", "the packs of rules that every check starts from (default: recommended)", type="args", default=["recommended"])
    parser.addini("xlagate_baseline", "the folder of the baselines, below the root (default: .xlagate beside each test file)", default="")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "xlagate(max_kernels=N, no_collectives=True, donated=[NAME], max_temp=SIZE, max_peak=SIZE, max_step=TIME, device=NAME, rules=[RULE], ...): "
        "what xlagate.check holds the test's functions to, besides its baseline",
    )
    config.stash[UNUSED], config.stash[KEPT] = [], []
    before = os.environ.get(FOLDER)
    if before is None:
        folder = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache", "xlagate-programs")
        if config.rootpath not in folder.parents:  # whoever wrote a checkout could have filled a folder in it
            os.environ[FOLDER] = str(folder)
    if config.getoption("--xlagate-compile"):
        os.environ[FOLDER] = ""
    config.add_cleanup(lambda: os.environ.pop(FOLDER, None) if before is None else os.environ.update({FOLDER: before}))


@pytest.fixture
def xlagate(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Gate:
    """The gate of this test."""
    return Gate(request, tmp_path_factory)


class Gate:
    """Holds functions against the baseline of one test."""

    facts: Callable[..., Facts] = staticmethod(facts)
    scaling = staticmethod(scaling)
    no_recompilation = staticmethod(no_recompilation)
    dump = staticmethod(dump)

    def __init__(self, request: pytest.FixtureRequest, folders: pytest.TempPathFactory) -> None:
        self._node: pytest.Item = request.node
        self._config = request.config
        self._folders = folders
        self._checks = 0

    def check(self, function: Any, *args: Any, name: str = "", **kwargs: Any) -> None:
        """Fail where what is compiled of a function for the arguments is worse than the baseline of this test or breaks a rule of its marker.

        Nothing is run, and what was compiled before is not compiled again. name tells several checks of one test apart; without it they are counted.
        Other keywords go to the function.
        """
        __tracebackhide__ = True
        self._checks += 1
        target = target_of(self._node, name or (str(self._checks) if self._checks > 1 else ""))
        held, device = self._marks()
        work = self._folders.mktemp("xlagate")
        try:
            find()
            kept = produce(work / "dump", function, args, kwargs, device, work / "dump.zip")
        except (NotFound, NotCompiled, UnknownDevice) as wrong:
            raise pytest.fail.Exception(str(wrong), pytrace=False) from None
        self._config.stash[KEPT].append(kept)
        dumped = next(path for path in (work / "dump.zip", work / "dump") if path.exists())
        known = None if device and os.path.isfile(str(device)) else device
        rules = configuration(target, baseline_of(self._config, self._node.path), self._config.getini("xlagate_extends"), held, known)
        commands = [["check", "--quiet", "-f", "text"]]  # after accepting, too: a limit of the marker is not accepted away
        if self._config.getoption("--xlagate-accept"):
            commands.insert(0, ["accept", "--reason", self._config.getoption("--xlagate-reason")])
        for command in commands:
            (work / "xlagate.yaml").write_text(rules)  # accept raises limits, and this file is no place for that
            done = self._run(*command, "-c", str(work / "xlagate.yaml"), str(dumped))
            if done.returncode != 0:
                pytest.fail(self._message(done), pytrace=False)

    def _marks(self) -> tuple[dict[str, Any], str | None]:
        """Return what the markers hold the test to, the nearest first, and the device that they name."""
        held: dict[str, Any] = {}
        for mark in self._node.iter_markers("xlagate"):
            if mark.args:
                raise pytest.UsageError(f"{self._node.nodeid}: the marker xlagate takes keywords, as in xlagate(max_kernels=40)")
            held = {**mark.kwargs, **held}
        return held, held.pop("device", None)

    def _run(self, *args: str) -> subprocess.CompletedProcess[str]:
        """Run xlagate; wait while a worker of pytest-xdist writes into the same folder of baselines."""
        env = {**os.environ, "NO_COLOR": "1"}
        patience = time.monotonic() + 60
        while True:
            done = subprocess.run([find(), *args], cwd=self._config.rootpath, env=env, capture_output=True, text=True)
            if "the baseline is being changed" not in done.stderr or time.monotonic() > patience:
                return done
            time.sleep(0.1)

    def _message(self, done: subprocess.CompletedProcess[str]) -> str:
        """Return what xlagate said, with the commands of pytest in place of its own."""
        said = (done.stdout + done.stderr).strip()
        if done.returncode == 2:
            return IN_CONFIGURATION.sub("the marker of this test: ", re.sub(r"\n\d+ errors? in .*$", "", said))
        looked, _, found = said.partition("\n\n")  # what was found comes first: pytest's summary shows the first line alone
        told = f"{found}\n\n{looked}".strip().splitlines()
        lines = [line for line in told if not COMMAND.match(line)]
        if len(lines) < len(told):
            test = "::".join([os.path.relpath(self._node.path, self._config.invocation_params.dir), *self._node.nodeid.split("::")[1:]])
            lines.append(f'intended?  python -m pytest --xlagate-accept --xlagate-reason "why" {shlex.quote(test)}')
        if any(self._node.iter_markers("xlagate")):
            lines.append("           a limit of the marker is not accepted: edit the marker of this test")
        return "\n".join(lines)


def baseline_of(config: pytest.Config, test: pathlib.Path) -> pathlib.Path:
    """Return the folder of the baselines of a test file."""
    folder = config.getini("xlagate_baseline")
    return config.rootpath / folder if folder else test.parent / ".xlagate"


def target_of(node: pytest.Item, name: str = "") -> str:
    """Return the target of a test: its file and its name, and behind a dot which of its checks it is."""
    test = _plain(".".join(node.nodeid.split("::")[1:]))
    return f"{_plain(node.path.stem)}/{test}" + (f".{_plain(name)}" if name else "")


def _plain(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_]+", "-", text).strip("-")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: Sequence[pytest.Item]) -> Iterator[None]:
    if not any("::" in argument for argument in config.args):
        config.stash[UNUSED] = unused(config, items)
    return (yield)


def unused(config: pytest.Config, items: Sequence[pytest.Item]) -> list[str]:
    """Return the baselines in the folders of the test files that belong to none of their tests."""
    tests: dict[pathlib.Path, set[str]] = {}
    for item in items:
        tests.setdefault(baseline_of(config, item.path) / _plain(item.path.stem), set()).add(target_of(item).split("/")[1])
    found = []
    for folder, names in sorted(tests.items()):
        entries = sorted(folder.iterdir()) if folder.is_dir() else []
        found += [os.path.relpath(e, config.rootpath) for e in entries if e.is_dir() and e.name.split(".")[0] not in names]
    return found


def pytest_sessionfinish(session: pytest.Session) -> None:
    output = getattr(session.config, "workeroutput", None)  # under pytest-xdist, of a worker
    if output is not None:
        output["xlagate"], output["xlagate_kept"] = session.config.stash[UNUSED], session.config.stash[KEPT]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    output = getattr(node, "workeroutput", None) or {}
    node.config.stash[UNUSED] = sorted({*node.config.stash[UNUSED], *output.get("xlagate", [])})
    node.config.stash[KEPT] += output.get("xlagate_kept", [])


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    kept = config.stash[KEPT]
    if any(kept):
        terminalreporter.write_line(f"xlagate: {sum(kept)} of {len(kept)} programs were compiled before, and are not compiled again; --xlagate-compile compiles all")
    for path in config.stash[UNUSED]:
        terminalreporter.write_line(f"xlagate: no test uses the baseline {path}; remove it: git rm -r '{path}'", yellow=True)
