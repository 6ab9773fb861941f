"""Keeps what XLA dumps of a lowered function, so that it is not compiled again while everything that decides what XLA compiles stays the same."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import hashlib
import io
import os
import pathlib
import platform
import re
import sys
import warnings
import zipfile
import zlib
from importlib import metadata
from typing import Any, Iterator

# The variable with the folder where dumps are kept. Without it nothing is kept.
FOLDER = "XLAGATE_CACHE"

MOST = 2 << 30  # bytes; the oldest dumps are dropped first

# Large constants, and the definitions and uses of locations in a lowered module, and the places of dumps in flags.
CONSTANT = re.compile(r'"0x[0-9A-F]{1000,}"')
LOCATION = re.compile(r"^(#loc\d*) = loc\((.*)\)\n?", re.MULTILINE)
USE = re.compile(r"#loc\d*")
DUMP = re.compile(r"""--xla_dump_to=("[^"]*"|'[^']*'|\S+)""")

# A place in a file: in a lowered module, and in the table of an optimized one.
PLACE = re.compile(r'"((?:[^"\\]|\\.)*)":(\d+):(\d+)(?: to (\d*):(\d+))?$')
ROW = re.compile(r"^(\d+ \{file_name_id=(\d+) function_name_id=\d+) line=(\d+) end_line=(\d+) column=(\d+) end_column=(\d+)\}$", re.MULTILINE)
FILE = re.compile(r'^(\d+) "(.*)"$', re.MULTILINE)

Place = tuple[str, str, str, str, str]  # file, line, end line, column, end column

# The distributions whose versions decide what is compiled, and what is dumped of it.
COMPILERS = re.compile(r"(jax|libtpu|nvidia|xlagate)")

MODULE = "lowered.mlir"  # in an archive

DIGEST = 32  # bytes of an archive's comment: a hash of what is before it

UNREADABLE = (OSError, KeyError, UnicodeDecodeError, zipfile.BadZipFile, EOFError, zlib.error)


@dataclasses.dataclass(frozen=True)
class Kept:
    """The place of the dump of one lowered function."""

    archive: pathlib.Path  # named by a hash of everything that decides what is compiled: not of source lines
    module: str  # the lowered module with its source lines; large constants as hashes

    @classmethod
    def of(cls, lowered: Any) -> Kept | None:
        """Return the place of a function's dump; None where something that decides what is compiled is not known."""
        folder = os.environ.get(FOLDER)
        deciding = _deciding(lowered) if folder else None
        if not folder or deciding is None:
            return None
        module = CONSTANT.sub(lambda value: hashlib.sha256(value[0].encode()).hexdigest(), lowered.as_text(debug_info=True))
        key = hashlib.sha256(repr([_without_lines(module), *deciding]).encode()).hexdigest()
        return cls(pathlib.Path(folder, "lowered", key + ".zip"), module)

    def give(self, to: pathlib.Path, *, number: int | None = None) -> bool:
        """Write the kept dump, with the lines of today, into a folder; return whether there is one. number replaces the number in the names of modules."""
        try:
            with zipfile.ZipFile(self.archive) as archive:
                if sum(entry.file_size for entry in archive.infolist()) > MOST:
                    return False
                content = {entry.filename: archive.read(entry) for entry in archive.infolist() if not entry.is_dir()}
            moved = _moved(content.pop(MODULE).decode(), self.module)
            if moved is None or moved and any(name.endswith(".hlo.pb") for name in content):
                return False  # a HloProto has its places elsewhere
            if number is not None:
                content = {re.sub(r"^module_\d+", f"module_{number}", name): data for name, data in content.items()}
            if moved:
                content = {name: _with_lines(data.decode(), moved).encode() if name.endswith(".txt") else data for name, data in content.items()}
            paths = {to / name: data for name, data in content.items()}
            if any(".." in path.parts or to not in path.parents for path in paths):
                return False  # a forged archive
            for parent in {path.parent for path in paths}:
                parent.mkdir(parents=True, exist_ok=True)
            for path, data in paths.items():
                path.write_bytes(data)
            return True
        except UNREADABLE:
            return False

    def copy(self, to: pathlib.Path) -> bool:
        """Copy the archive of the kept dump; return whether there is a whole one, with the lines of today."""
        try:
            data = self.archive.read_bytes()
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                whole = archive.comment == _digest(data[:-DIGEST]) and archive.getinfo(MODULE).file_size <= MOST
                if not whole or archive.read(MODULE).decode() != self.module:
                    return False
            to.write_bytes(data)
            return True
        except UNREADABLE:
            return False

    def keep(self, dump: pathlib.Path) -> None:
        """Keep a dump, and drop the oldest if there are too many."""
        try:
            self.archive.parent.mkdir(parents=True, exist_ok=True)
            writing = self.archive.with_suffix(f".{os.getpid()}")
            with zipfile.ZipFile(writing, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
                archive.writestr(MODULE, self.module)
                for file in sorted(dump.rglob("*")):
                    archive.write(file, file.relative_to(dump))
                archive.comment = bytes(DIGEST)
            data = writing.read_bytes()[:-DIGEST]
            writing.write_bytes(data + _digest(data))
            writing.replace(self.archive)
            size = 0
            for _, length, path in sorted(((s.st_mtime, s.st_size, p) for p in self.archive.parent.glob("*.zip") for s in [p.stat()]), reverse=True):
                size += length
                if size > MOST:
                    path.unlink(missing_ok=True)
        except OSError as wrong:
            warnings.warn(f"xlagate: what is compiled is not kept in {self.archive.parent}: {wrong}", stacklevel=2)


def _digest(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


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
            names[location] = hashlib.sha256(named(PLACE.sub(r'"\1"', content)).encode()).hexdigest()[:16]
        if inner in library or "-packages/" in content:
            library.add(location)
    return named(LOCATION.sub("", module))


def _moved(old: str, new: str) -> dict[Place, Place] | None:
    """Return where the places of a module are in another that is equal without lines; None where lines were joined or split, so that XLA's tables differ."""
    if old == new:
        return {}
    before, after = dict(LOCATION.findall(old)), dict(LOCATION.findall(new))
    todo = list(dict.fromkeys(zip(USE.findall(LOCATION.sub("", old)), USE.findall(LOCATION.sub("", new)))))
    seen, places = set(todo), dict[Place, Place]()
    while todo:
        was, now = (content[location] for content, location in zip((before, after), todo.pop()))
        a, b = _place(was), _place(now)
        if a and b:
            if a[0] == b[0] and places.setdefault(a, b) != b:
                return None
        elif was.partition("(")[0] == now.partition("(")[0]:  # the same operation or function, or two calls
            parts = set(zip(USE.findall(was), USE.findall(now))) - seen
            seen |= parts
            todo += parts
    starts = {(a[0], a[1], a[3], b[1], b[3]) for a, b in places.items()}
    one_to_one = len({start[:3] for start in starts}) == len({(start[0], *start[3:]) for start in starts}) == len(starts)
    return places if one_to_one else None


def _place(location: str) -> Place | None:
    found = PLACE.match(location)
    return found and (found[1], found[2], found[4] or found[2], found[3], found[5] or found[3])


def _with_lines(text: str, moved: dict[Place, Place]) -> str:
    """Return the text of an optimized module with other places in its table."""
    head, mark, rest = text.partition("\nFileLocations\n")
    table, end, rest = rest.partition("\nStackFrames\n")
    files = dict(FILE.findall(head.partition("\nFileNames\n")[2].partition("\nFunctionNames\n")[0]))

    def row(found: re.Match[str]) -> str:
        place = files.get(found[2], ""), *found.groups()[2:]
        _, line, end_line, column, end_column = moved.get(place, place)
        return f"{found[1]} line={line} end_line={end_line} column={column} end_column={end_column}}}"

    return head + mark + ROW.sub(row, table) + end + rest


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
    names = set()
    for folder in sys.path:
        with contextlib.suppress(OSError):
            names |= {re.split(r"-|\.egg", entry)[0] for entry in os.listdir(folder or ".") if COMPILERS.match(entry) and entry.endswith("-info")}
    return sorted((name, version_of(name)) for name in names)


@functools.cache
def version_of(distribution: str) -> str:
    """Return the version of an installed distribution, or nothing."""
    try:
        return metadata.version(distribution)
    except (ValueError, metadata.PackageNotFoundError):
        return ""


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
