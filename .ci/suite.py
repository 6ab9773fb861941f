"""A folder of HLO texts against XLA's own parser and printer: suite.py XLAGATE FOLDER.

Each file that XLA accepts is read three times: as it is, as XLA prints it canonically, and as a proto. What xlagate sees of the first must be what XLA sees:
instructions, opcodes, shapes of the entry and costs. All three must have one fingerprint. Prints what differs; exit status 0 when nothing does."""
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import jax
from jaxlib import _hlo, _jax

COSTS = {"flops": "flops", "bytes_accessed": "bytes accessed", "transcendentals": "transcendentals"}


def inspected(xlagate, path):
    p = subprocess.run([xlagate, "inspect", "-f", "json", path], capture_output=True, text=True, errors="replace", timeout=300)
    try:
        d = json.loads(p.stdout)
        return d["modules"][0], [v["fingerprint"] for program in d["programs"] for v in program["variants"]]
    except (ValueError, KeyError, IndexError):
        return None, (p.stderr or p.stdout)[:300]


def without_layouts(shape):
    out, depth = [], 0
    for c in shape:
        depth += c == "{"
        if not depth:
            out.append(c)
        depth -= c == "}"
    return "".join(out)


def entry_of(module):
    """The shapes of the parameters and the result, as in {(f32[4]{0}, s32[])->f32[4]{0}}."""
    text = module.to_string(_hlo.HloPrintOptions.short_parsable())
    line = text.split("\n", 1)[0]
    at = line.find("entry_computation_layout={")
    if at < 0:
        return None
    start = end = at + len("entry_computation_layout={")
    depth = 1
    while depth:
        depth += {"{": 1, "}": -1}.get(line[end], 0)
        end += 1
    return without_layouts(line[start:end - 1]).replace(" ", "")


def compare(xlagate, client, path, at):
    """Says what differs, None for a file that XLA refuses."""
    text = path.read_text(encoding="utf-8", errors="replace")
    try:
        module = _hlo.hlo_module_from_text(text)
    except Exception:
        return None
    canonical = _hlo.HloPrintOptions.canonical()
    canonical.print_backend_config = True
    forms = {"text.txt": text, "canonical.txt": module.to_string(canonical), "module.hlo.pb": module.as_serialized_hlo_module_proto()}
    seen = {}
    for name, content in forms.items():
        (at / name).write_bytes(content.encode() if isinstance(content, str) else content)
        seen[name] = inspected(xlagate, at / name)
        if seen[name][0] is None:
            return [f"{name} is not read: {seen[name][1]}"]
    got, want, wrong = seen["text.txt"][0], collections.Counter(), []
    for computation in module.computations():
        for instruction in computation.instructions():
            want[opcode(instruction)] += 1
    if got["opcodes"] != dict(want):
        wrong.append(f"opcodes: {dict(collections.Counter(got['opcodes']) - want)} too many, {dict(want - collections.Counter(got['opcodes']))} missing")
    entry = entry_of(module)
    shown = "(" + ",".join(p.split(": ")[-1] for p in got.get("entry_params") or []) + ")->" + got.get("entry_result", "")
    if entry and plain(entry) != plain(shown):
        wrong.append(f"entry: {shown}, XLA {entry}")
    try:
        cost = _jax.hlo_module_cost_analysis(client, module)
    except Exception:
        cost = {}
    for key, name in COSTS.items():
        a, b = (got.get("cost") or {}).get(key) or 0, cost.get(name)
        if b is not None and abs(a - b) > 1e-3 * max(1, abs(b)):
            wrong.append(f"{key} {a:g}, XLA {b:g}")
    prints = {name: s[1] for name, s in seen.items()}
    if "control-predecessors" in text:
        del prints["canonical.txt"]  # XLA's canonical print leaves them out
    for name in prints:
        if prints[name] != prints["text.txt"]:
            wrong.append(f"the fingerprint of {name} is {prints[name]}, of the text {prints['text.txt']}")
    return wrong


def plain(shapes):
    """Without blanks, XLA's counting comments and our names of parameters."""
    return re.sub(r"\s|/\*.*?\*/", "", shapes)


# Asynchronous operations with opcodes of their own; all others are async-start and async-done of what they wrap, and are printed as that.
OWN = {f"{name}-start" for name in ("all-gather", "all-reduce", "collective-permute", "copy")}


def opcode(instruction):
    line = instruction.to_string()
    name = printed_opcode(line)
    before, _, end = name.rpartition("-")
    if end == "start":  # the shape of an async-start begins with a tuple of its operands
        return name if name in OWN and " = ((" not in line else "async-start"
    if end in ("update", "done") and before not in ("send", "recv"):
        return name if opcode(instruction.operands()[0]) in OWN else f"async-{end}"
    return name


def printed_opcode(line):
    """What stands behind the shape of an instruction."""
    line = line[line.index(" = ") + 3:]
    depth = 0
    for i, c in enumerate(line):
        depth += (c in "([{") - (c in ")]}")
        if c == " " and not depth:
            return line[i + 1:].split("(", 1)[0]
    return ""


def main():
    xlagate, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    jax.config.update("jax_platforms", "cpu")
    client = jax.devices()[0].client
    files = [folder] if folder.is_file() else sorted(p for p in folder.rglob("*") if p.suffix in (".hlo", ".txt") and p.is_file())
    accepted = bad = 0
    with tempfile.TemporaryDirectory() as at:
        for path in files:
            wrong = compare(xlagate, client, path, pathlib.Path(at))
            if wrong is None:
                continue
            accepted += 1
            bad += bool(wrong)
            if wrong:
                print(f"{os.path.relpath(path, folder)}: " + "; ".join(wrong), flush=True)
    print(f"{len(files)} files, {accepted} accepted by XLA, {bad} of them differ")
    sys.exit(bad > 0 or accepted == 0)


main()
