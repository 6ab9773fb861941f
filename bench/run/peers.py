"""peers.py xla|protobuf FILE [--cost]: reads a module once with another reader and prints what that took, and what it saw, as JSON."""
import collections
import json
import os
import sys
import time
import types


def hlo_pb2():
    """XLA's messages, as TensorFlow ships them, without importing TensorFlow."""
    import importlib.util
    root = os.path.dirname(importlib.util.find_spec("tensorflow").origin)
    for part in ("", "compiler", "compiler/xla", "compiler/xla/service", "compiler/xla/tsl", "compiler/xla/tsl/protobuf"):
        name = "/".join(("tensorflow", part)).rstrip("/").replace("/", ".")
        sys.modules[name] = types.ModuleType(name)
        sys.modules[name].__path__ = [os.path.join(root, part)]
    from tensorflow.compiler.xla.service import hlo_pb2 as messages
    return messages


def first_field(data):
    """The module in an HloProto: its first field."""
    shift = length = 0
    for at in range(1, 11):
        length |= (data[at] & 127) << shift
        shift += 7
        if data[at] < 128:
            return data[at + 1 : at + 1 + length]
    sys.exit("this is no HloProto")


def measured(read):
    """What read returns, and what it took."""
    wall, cpu = time.perf_counter(), time.process_time()
    value = read()
    took = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    return value, took | {"peak": peak_memory()}


def peak_memory():
    """The most that was resident at once. Linux's own account in getrusage counts the memory of the process that started this one."""
    try:
        with open("/proc/self/status") as f:
            return 1024 * int(next(line for line in f if line.startswith("VmHWM")).split()[1])
    except OSError:
        return 0


def xla(path):
    from jaxlib import _hlo
    with open(path, "rb") as f:
        data = f.read()
    if path.endswith(".pb"):
        data = first_field(data)
        return measured(lambda: _hlo.HloModule.from_serialized_hlo_module_proto(data))
    data = data.decode()
    return measured(lambda: _hlo.hlo_module_from_text(data))


def opcode(instruction):
    """The word behind the shape in `%name = shape opcode(…)`."""
    _, _, text = instruction.to_string().partition(" = ")
    depth = 0
    for at, c in enumerate(text):
        depth += (c in "([{") - (c in ")]}")
        if c == " " and depth == 0:
            return text[at + 1 :].partition("(")[0]
    return text


def counts(module):
    """The same numbers as in the modules that `xlagate facts` lists."""
    names, total, entry, computations = {}, collections.Counter(), 0, 0
    for c in module.computations():
        computations += 1
        entry = 0  # the entry computation comes last
        for i in c.instructions():
            if i.opcode not in names:
                names[i.opcode] = opcode(i)
            total[names[i.opcode]] += 1
            entry += 1
    return {"computations": computations, "instructions": sum(total.values()), "entry_instructions": entry, "opcodes": total}


def cost(module):
    import jax
    from jaxlib import _jax
    jax.config.update("jax_platforms", "cpu")
    found = _jax.hlo_module_cost_analysis(jax.devices()[0].client, module)
    return {k: found.get(k.replace("_", " "), 0) for k in ("flops", "bytes_accessed", "transcendentals")}


def main():
    reader, path = sys.argv[1:3]
    if reader == "protobuf":
        messages = hlo_pb2()
        with open(path, "rb") as f:
            data = f.read()
        _, took = measured(lambda: messages.HloProto.FromString(data))
    else:
        module, took = xla(path)
        took["saw"] = counts(module)
        if "--cost" in sys.argv:
            took["saw"]["cost"] = cost(module)
    print(json.dumps(took))


main()
