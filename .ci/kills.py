"""Kills an accept at random times and looks whether all of its files are old or all are new: kills.py XLAGATE TIMES."""
import hashlib
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
DUMPS = ROOT / "examples/quickstart"
TARGETS = 8
UNFINISHED = {".xlagate-step", ".xlagate-step.lock"}  # the next accept removes them


def configuration(dump):
    targets = "".join(f'  - {{ name: "{i}/cpu", dump: "{DUMPS / dump}" }}\n' for i in range(TARGETS))
    return f"version: 1\nextends: [recommended]\ntargets:\n{targets}"


def state(folder):
    files = sorted(p for p in folder.rglob("*") if p.is_file() and p.name != "xlagate.yaml" and not UNFINISHED & set(p.parts))
    return hashlib.sha256(b"".join(str(p.relative_to(folder)).encode() + b"\0" + p.read_bytes() + b"\0" for p in files)).hexdigest(), len(files)


def run(xlagate, folder, *args):
    return subprocess.run([xlagate, *args], cwd=folder, capture_output=True, text=True)


def restore(folder, files):
    for name, data in files.items():
        (folder / name).write_bytes(data)


def main():
    xlagate, times = sys.argv[1], int(sys.argv[2])
    random.seed(1)
    found = {"old": 0, "new": 0}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "xlagate.yaml").write_text(configuration("good"))
        assert run(xlagate, folder, "accept", "--reason", "first").returncode == 0
        files = {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
        old = state(folder)
        (folder / "xlagate.yaml").write_text(configuration("regressed"))
        start = time.monotonic()
        assert run(xlagate, folder, "accept", "--reason", "second").returncode == 0
        takes, new = time.monotonic() - start, state(folder)
        assert old != new, "the two dumps have the same baseline"
        for i in range(times):
            restore(folder, files)
            (folder / "xlagate.yaml").write_text(configuration("regressed"))
            assert state(folder) == old
            p = subprocess.Popen([xlagate, "accept", "--reason", "second"], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(random.uniform(0.4, 1.1) * takes)
            p.send_signal(signal.SIGKILL)
            p.wait()
            verified = run(xlagate, folder, "baseline", "verify")
            now = state(folder)
            if verified.returncode != 0 or now not in (old, new):
                sys.exit(f"kill {i}: neither old nor new: {now}, {verified.stdout}{verified.stderr}")
            found["old" if now == old else "new"] += 1
    print(f"{times} kills of an accept of {old[1]} files: {found['old']} times all old, {found['new']} times all new")


main()
