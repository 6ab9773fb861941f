"""Runs a check so many times and looks whether anything grows: soak.py XLAGATE TIMES AT_ONCE.

First one after another, then AT_ONCE at a time. Each must exit 0 and print the same; the peak memory of the last hundred is no more than 10 % above that of
the first hundred, and of all only the last result is left, whole.
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


def check(xlagate, cache):
    p = subprocess.Popen([xlagate, "check", "-c", "examples/quickstart/xlagate.yaml", "-f", "json"], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                         env={**os.environ, "XDG_CACHE_HOME": cache})
    out = p.stdout.read()
    _, status, usage = os.wait4(p.pid, 0)
    return os.waitstatus_to_exitcode(status), hashlib.sha256(out).hexdigest(), usage.ru_maxrss / 1024


def main():
    xlagate, times, at_once = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    with tempfile.TemporaryDirectory() as cache:
        start = time.monotonic()
        results = [check(xlagate, cache) for _ in range(times)]
        took = time.monotonic() - start
        with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
            together = list(pool.map(lambda _: check(xlagate, cache), range(at_once * 2)))
        kept = [json.loads(f.read_text().split("\n", 1)[1])["verdict"] for f in pathlib.Path(cache).rglob("*") if f.is_file()]
    codes = {r[0] for r in results + together}
    prints = {r[1] for r in results + together}
    few = min(100, times // 2)
    first, last = (statistics.median(r[2] for r in part) for part in (results[:few], results[-few:]))
    print(f"{times} checks in {took:.0f} s, then {len(together)}, {at_once} at once: exit {sorted(codes)}, {len(prints)} different result(s), "
          f"peak {first:.0f} MB at first and {last:.0f} MB at last, kept: {kept}")
    sys.exit(codes != {0} or len(prints) != 1 or last > 1.1 * first or kept != ["pass"])


main()
