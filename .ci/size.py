"""Count the product's Go code, as docs/architecture.md has it: size.py, from the root of the repository.

Packages, imports and floors are those of the packages that the program is built from; the height of a package is one more than that of the
highest of ours that it imports. A file is code, a test (_test.go), or neither: bench, tools, and packages that serve tests. Lines are all lines
of a file, blank ones and comments too; a function is from its first line to its last.
"""

import functools
import json
import pathlib
import subprocess

MODULE = "github.com/xlagate/xlagate/"


def serves_tests(path):
    parts = path.split("/")
    return parts[0] in ("bench", "tools", ".ci") or any(p.endswith("test") or p.startswith("fake") or p in ("testfile", "testdata") for p in parts)


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def packages():
    """The imports of each package among ours."""
    decoder, text, found = json.JSONDecoder(), run("go", "list", "-json=ImportPath,Imports", "./...").strip(), {}
    while text:
        package, end = decoder.raw_decode(text)
        text = text[end:].lstrip()
        name = package["ImportPath"].removeprefix(MODULE)
        if package["ImportPath"].startswith(MODULE) and not serves_tests(name):
            found[name] = [i.removeprefix(MODULE) for i in package.get("Imports", []) if i.startswith(MODULE)]
    return found


def functions(lines):
    start = None
    for i, line in enumerate(lines):
        if line.startswith("func ") and line.endswith("}"):
            yield 1
        elif line.startswith("func "):
            start = i
        elif line == "}" and start is not None:
            yield i - start + 1
            start = None


def share(values, part):
    return sorted(values)[int(part * (len(values) - 1))]


imports = packages()


@functools.cache
def height(package):
    return 1 + max((height(i) for i in imports[package]), default=0)


code, tests, sizes = [], 0, []
for name in run("git", "ls-files", "*.go").splitlines():
    lines = pathlib.Path(name).read_text().splitlines()
    if serves_tests(str(pathlib.PurePosixPath(name).parent)):
        continue
    if name.endswith("_test.go"):
        tests += len(lines)
    else:
        code.append(len(lines))
        sizes += functions(lines)

print(f"packages {len(imports)}, floors {max(map(height, imports))}, imports between them {sum(map(len, imports.values()))}")
print(f"files {len(code)}, under 60 lines {sum(n < 60 for n in code)}; a file has {share(code, 0.5)} lines at the median, {share(code, 0.9)} at 90 %")
print(f"lines {sum(code):,}; of tests {tests:,}, {tests / sum(code):.2f} to each line of code")
print(f"functions {len(sizes):,}, of {share(sizes, 0.5)} lines at the median, {share(sizes, 0.9)} at 90 %")
