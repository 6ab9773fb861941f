"""Keeps what XLA dumps of a lowered function, so that it is not compiled again while everything that decides what XLA compiles stays the same."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import hashlib
import os
import pathlib
import platform
import re
import warnings
import zipfile
from importlib import metadata
from typing import Any, Iterator

# The variable with the folder where dumps are kept. Without it nothing is kept.
FOLDER = "XLAGATE_CACHE"

MOST = 2 << 30  # bytes; the oldest dumps are dropped first

# The definitions and uses of locations in a lowered module, their lines and columns, and the places of dumps in flags.
LOCATION = re.compile(r"^(#loc\d*) = loc\((.*)\)\n?", re.MULTILINE)
USE = re.compile(r"#loc\d*")
LINE = re.compile(r'("(?:[^"\\]|\\.)*"):\d+:\d+(?: to \d*:\d+)?$')
DUMP = re.compile(r"""--xla_dump_to=("[^"]*"|'[^']*'|\S+)""")

# The distributions whose versions decide what is compiled.
COMPILERS = re.compile(r"(jax|libtpu|nvidia)")


@dataclasses.dataclass(frozen=True)
class Kept:
    """The place of the dump of one lowered function."""

    archive: pathlib.Path  # named by a hash of everything that decides what is compiled: not of source lines
    lines: bytes  # a hash of the module with its source lines

    @classmethod
    def of(cls, lowered: Any) -> Kept | None:
        """Return the place of a function's dump; None where something that decides what is compiled is not known."""
        folder = os.environ.get(FOLDER)
        deciding = _deciding(lowered) if folder else None
        if not folder or deciding is None:
            return None
        text = lowered.as_text(debug_info=True)
        key = hashlib.sha256(repr([_without_lines(text), *deciding]).encode()).hexdigest()
        return cls(pathlib.Path(folder, "lowered", key + ".zip"), hashlib.sha256(text.encode()).hexdigest().encode())

    def give(self, to: pathlib.Path, *, moved: bool = False, number: int | None = None) -> bytes | None:
        """Write the kept dump into a folder and return the hash of its source lines; None without one. With moved, its lines may be others.

        number replaces the number in the names of modules.
        """
        try:
            with zipfile.ZipFile(self.archive) as archive:
                entries = archive.infolist()
                if sum(entry.file_size for entry in entries) > MOST or archive.testzip() is not None or not moved and archive.comment != self.lines:
                    return None
                for entry in entries:
                    if number is not None:
                        entry.filename = re.sub(r"^module_\d+", f"module_{number}", entry.filename)
                    archive.extract(entry, to)
                return archive.comment
        except (OSError, zipfile.BadZipFile, EOFError):
            return None

    def keep(self, dump: pathlib.Path) -> None:
        """Keep a dump, and drop the oldest if there are too many."""
        try:
            self.archive.parent.mkdir(parents=True, exist_ok=True)
            writing = self.archive.with_suffix(f".{os.getpid()}")
            with zipfile.ZipFile(writing, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
                archive.comment = self.lines
                for file in sorted(dump.rglob("*")):
                    archive.write(file, file.relative_to(dump))
            writing.replace(self.archive)
            size = 0
            for _, length, path in sorted(((s.st_mtime, s.st_size, p) for p in self.archive.parent.glob("*.zip") for s in [p.stat()]), reverse=True):
                size += length
                if size > MOST:
                    path.unlink(missing_ok=True)
        except OSError as wrong:
            warnings.warn(f"xlagate: what is compiled is not kept in {self.archive.parent}: {wrong}", stacklevel=2)


def _without_lines(module: str) -> str:
    """Return the text of a module in which the location of an operation is its name, and the file and name of the innermost function outside of libraries."""
    names: dict[str, str] = {}
    library: set[str] = set()

    def named(text: str) -> str:
        return USE.sub(lambda use: names.get(use[0], use[0]), text)

    for location, content in LOCATION.findall(module):  # a location stands after those that it consists of
        parts = USE.findall(content)
        if content.startswith("callsite("):
            inner = parts[1] if parts[0] in library else parts[0]
            names[location] = names[inner]
        else:
            inner = parts[0] if parts else ""
            names[location] = hashlib.sha256(named(LINE.sub(r"\1", content)).encode()).hexdigest()[:16]
        if inner in library or "-packages/" in content:
            library.add(location)
    return named(LOCATION.sub("", module))


def _deciding(lowered: Any) -> list[Any] | None:
    """Return what decides, besides the module, what is compiled: options, devices, configuration, flags and versions; None if something is not known."""
    import jax
    from jaxlib import xla_client

    try:  # JAX shows neither the options of a jitted function nor its devices
        options, devices = lowered._lowering._compiler_options_kvs, list(lowered._lowering._device_list)
        topology = xla_client.get_topology_for_devices(devices).fingerprint()
    except (AttributeError, TypeError, RuntimeError):
        return None
    client = devices[0].client
    flags = [DUMP.sub("", os.environ.get(name, "")) for name in ("XLA_FLAGS", "LIBTPU_INIT_ARGS")]
    if client.platform == "gpu" and client.runtime_type != "compile_only_runtime" or any("/" in flag for flag in flags):
        return None  # a GPU that is attached is measured while XLA compiles; what a file says may change
    configuration = sorted((name, repr(value)) for name, value in jax.config.values.items() if not re.search("cache|dump", name))
    return [options, topology, [d.id for d in devices], client.platform_version, flags, configuration, _versions(), _processor()]


@functools.cache
def _versions() -> list[tuple[str, str]]:
    return sorted((d.name, d.version) for d in metadata.distributions() if COMPILERS.match(d.name))


@functools.cache
def _processor() -> str:
    """Return the features and the number of this machine's processors, which XLA compiles for."""
    info = pathlib.Path("/proc/cpuinfo")
    features = re.search(r"^(?:flags|Features)\s*:.*", info.read_text(), re.MULTILINE) if info.exists() else None
    available = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)
    return f"{platform.machine()} {len(available)} {features.group() if features else ''}"


@contextlib.contextmanager
def compiling() -> Iterator[None]:
    """Turn off JAX's own cache: XLA dumps only part of a program that JAX takes from it."""
    import jax
    from jax.experimental.compilation_cache import compilation_cache

    enabled = jax.config.jax_enable_compilation_cache
    try:
        jax.config.update("jax_enable_compilation_cache", False)
        compilation_cache.reset_cache()  # JAX looks at the setting once
        yield
    finally:
        jax.config.update("jax_enable_compilation_cache", enabled)
        compilation_cache.reset_cache()
