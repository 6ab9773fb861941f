"""Finds the xlagate binary."""

from __future__ import annotations

import functools
import os
import pathlib
import shutil
import sysconfig


class NotFound(RuntimeError):
    """There is no xlagate binary."""


@functools.cache
def find() -> str:
    """Return the path of the binary: XLAGATE_BINARY, else the one that was installed with this package, else the first on the path."""
    given = os.environ.get("XLAGATE_BINARY")
    if given:
        if not os.access(given, os.X_OK):
            raise NotFound(f"XLAGATE_BINARY names {given}, which is no program")
        return given
    name = "xlagate" + (sysconfig.get_config_var("EXE") or "")
    folders = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user"))]
    for folder in folders:
        path = pathlib.Path(folder) / name
        if path.is_file():
            return str(path)
    found = shutil.which("xlagate")
    if found is None:
        raise NotFound(f"there is no {name} in {folders[0]} or on the path; install the package again: pip install --force-reinstall xlagate")
    return found
