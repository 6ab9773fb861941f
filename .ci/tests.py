"""Count what `go test -json` ran: tests.py FILE EXIT. Shows what a failing test printed; a package that does not build is one failure."""

import collections
import json
import pathlib
import sys

stream, code = pathlib.Path(sys.argv[1]), int(sys.argv[2])
output = collections.defaultdict(list)
counts = collections.Counter()
broken = []
for line in stream.read_text(errors="replace").splitlines():
    try:
        event = json.loads(line)
    except ValueError:
        print(line)
        continue
    key = event.get("Package") or event.get("ImportPath"), event.get("Test", "")
    action = event["Action"]
    if action in ("output", "build-output"):
        output[key].append(event["Output"])
    elif action in ("pass", "fail", "skip") and key[1]:
        counts[action] += 1
        if action == "fail":
            broken.append(key)
    elif action == "fail" and not any(package == key[0] for package, _ in broken):
        counts["fail"] += 1
        broken.append(key)
    elif action == "build-fail":
        broken.append(key)

for key in broken:
    print("".join(output[key]).rstrip())
if code and not counts["fail"]:
    counts["fail"] += 1
    print(f"go test ended with exit {code} without saying which test failed")
if not counts["pass"]:
    counts["fail"] += 1
    print("no test ran")
stream.with_suffix(".count").write_text(f"{counts['pass']} {counts['fail']}\n")
skipped = f", {counts['skip']} skipped" if counts["skip"] else ""
print(f"{counts['pass']} tests and subtests passed, {counts['fail']} failed{skipped}")
sys.exit(counts["fail"] > 0)
