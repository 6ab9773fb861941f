"""Compiles a function and keeps what XLA dumps of it."""

from __future__ import annotations

import functools
import itertools
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile
import zipfile
from importlib import metadata
from typing import Any, Iterable

from xlagate.kept import Kept, compiling, version_of

# The distributions of each framework whose versions decide what is compiled, as xlagate capture records them.
DISTRIBUTIONS = {"jax": ("jax", "jaxlib"), "tensorflow": ("tensorflow", "tensorflow-cpu")}

RECORD = "xlagate-toolchain.json"

# The files of installed packages in a module.
PACKAGE = re.compile(rb"/(?:site|dist)-packages/(\w+)[/.]")


class NotCompiled(TypeError):
    """What was given cannot be compiled, or does not give out what was compiled."""


def dump(to: str | os.PathLike[str], function: Any, *args: Any, device: str | None = None, **kwargs: Any) -> pathlib.Path:
    """Compile a function for the arguments, write what XLA dumps of it into the directory to, and return that.

    function is a JAX function, jitted or not; what its lower() or compile() returned; or a tf.function with jit_compile=True. Arguments are
    concrete or jax.ShapeDtypeStruct; nothing is run. device names a chip that this machine does not need to have: see xlagate.devices.
    """
    to = pathlib.Path(to)
    produce(to, function, args, kwargs, device)
    return to


def produce(to: pathlib.Path, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], device: str | None, packed: pathlib.Path | None = None) -> bool:
    """Write what XLA dumps of a function into a folder, and return whether that was kept and the function is not compiled.

    packed names an archive, which is written instead if the kept dump needs no other lines.
    """
    to.mkdir(parents=True, exist_ok=True)
    if hasattr(function, "experimental_get_compiler_ir"):
        _record(to, "tensorflow", backend=_dump_tensorflow(to, function, args, kwargs))
        return False
    if hasattr(function, "runtime_executable"):
        _record(to, "jax", backend=_dump_executable(to, function))
        return False
    lowered = _lower(function, args, kwargs, device)
    kept = None if any(to.iterdir()) else Kept.of(lowered)  # names of other dumps may be the same
    if kept and packed and kept.copy(packed):
        _record(packed, "jax")
        return True
    known = kept is not None and kept.give(to)
    if not known:
        _compile(lowered, to, kept)
    _record(to, "jax")
    return known


def compile(lowered: Any) -> Any:
    """Compile what the lower() of a jitted function returned, for a device that need not be here, and return what its compile() returns.

    Under `xlagate check --cache`, what was compiled before is not compiled again: its dump is put beside the others, and None is returned.
    """
    import jax

    if not isinstance(lowered, jax.stages.Lowered):
        raise NotCompiled(f"{lowered!r} is not what lower() returned: xlagate.compile(jax.jit(step).lower(params, batch))")
    to = pathlib.Path(os.environ.get("XLAGATE_DUMP", ""))
    kept = Kept.of(lowered) if to.is_absolute() else None
    if kept is None:
        return lowered.compile()
    taken = {name.partition(".")[0] for name in os.listdir(to)}
    number = next(n for n in itertools.count(900_000) if f"module_{n}" not in taken)  # XLA counts from 0
    if kept.give(to, number=number):
        name = next(to.glob(f"module_{number}.*")).name
        print(f"xlagate: {'.'.join(name.split('.')[:2])} was compiled before, and is not compiled again", file=sys.stderr)
        return None
    with tempfile.TemporaryDirectory(prefix="xlagate-") as name:
        compiled = _compile(lowered, pathlib.Path(name), kept)
        shutil.copytree(name, to, dirs_exist_ok=True)
    return compiled


def _compile(lowered: Any, to: pathlib.Path, kept: Kept | None) -> Any:
    with compiling():
        compiled = lowered.compile(compiler_options={"xla_dump_to": str(to), "xla_dump_hlo_as_text": True})
    if kept:
        kept.keep(to)
    return compiled


def _lower(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], device: str | None) -> Any:
    import jax

    if isinstance(function, jax.stages.Lowered):
        return function
    if not callable(function):
        raise NotCompiled(f"{function!r} is not a function: give a function, jitted or not, or what its lower() or compile() returned")
    if not hasattr(function, "lower"):
        function = jax.jit(function)
    if device is not None:
        from xlagate import devices

        args, kwargs = devices.place(device, args, kwargs)
    return function.lower(*args, **kwargs)


def _dump_executable(to: pathlib.Path, compiled: Any) -> str:
    """Write a compiled function as HloProto, the module as field 1 and the buffer assignment as field 3, and return the kind of device that it is for."""
    executable = compiled.runtime_executable()
    modules = executable.hlo_modules()
    buffers = getattr(compiled.memory_analysis(), "serialized_buffer_assignment_proto", None)
    for i, module in enumerate(modules):
        proto = _field(1, module.as_serialized_hlo_module_proto())
        if buffers and len(modules) == 1:
            proto += _field(3, buffers)
        (to / f"module_{i:04d}.{module.name}.after_optimizations.hlo.pb").write_bytes(proto)
    platform = executable.local_devices()[0].platform
    return {"cuda": "gpu", "rocm": "gpu"}.get(platform, platform)


def _dump_tensorflow(to: pathlib.Path, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """Write a function's compiler IR, and return the kind of device that it was compiled for: the modules do not tell."""
    import tensorflow

    name = getattr(function, "__name__", "function")
    compiler_ir = function.experimental_get_compiler_ir(*args, **kwargs)
    for stage in ("hlo_serialized", "optimized_hlo_proto_serialized"):
        (to / f"{name}.{stage}.pb").write_bytes(compiler_ir(stage=stage))
    present = {device.device_type for device in tensorflow.config.list_logical_devices()}
    return next((kind.lower() for kind in ("TPU", "GPU") if kind in present), "cpu")


def _field(number: int, data: bytes) -> bytes:
    """Return a length-delimited field of a protobuf message."""
    size, length = len(data), bytearray()
    while size >= 0x80:
        length.append(size & 0x7F | 0x80)
        size >>= 7
    return bytes([number << 3 | 2, *length, size]) + data


def _record(to: pathlib.Path, framework: str, **known: str) -> None:
    """Write the versions beside a dump, or into its archive, in the form of xlagate capture."""
    versions = {name.removesuffix("-cpu"): version for name in DISTRIBUTIONS[framework] if (version := version_of(name))}
    record = {"schema": "xlagate.toolchain/v1", "status": "done", "framework": framework, "versions": versions, **known}
    if to.is_dir():
        files = [*to.rglob("*.before_optimizations.txt"), *to.rglob("*.pb")]
        (to / RECORD).write_text(json.dumps({**record, "libraries": _libraries(file.read_bytes() for file in files)}))
        return
    with zipfile.ZipFile(to, "a") as archive:
        texts = [archive.read(name) for name in archive.namelist() if name.endswith((".before_optimizations.txt", ".pb"))]
        archive.writestr(RECORD, json.dumps({**record, "libraries": _libraries(texts)}))


def _libraries(texts: Iterable[bytes]) -> dict[str, str]:
    """Return the versions of the installed packages that operations in a dump come from, by the name that is imported."""
    named = {name.decode() for text in texts for name in PACKAGE.findall(text)} - {*DISTRIBUTIONS["jax"], "tensorflow", "_pytest", "pluggy"}
    return {name: version for name in sorted(named) if (version := version_of(name) or version_of(_installed().get(name, [""])[0]))}


_installed = functools.cache(metadata.packages_distributions)
