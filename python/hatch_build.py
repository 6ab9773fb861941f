"""Puts the xlagate binary into the wheel, as a program on the path.

XLAGATE_BINARY names a binary that was built, XLAGATE_PLATFORM the platforms that the wheel is for, and XLAGATE_VERSION its version: wheels.sh sets
all three from a release. Without them the binary is built by Go from the clone around this folder, for this machine.
"""

import os
import pathlib
import subprocess
import sysconfig

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

CLONE = pathlib.Path(__file__).resolve().parent.parent


class Version(MetadataHookInterface):
    def update(self, metadata):
        metadata["version"] = os.environ.get("XLAGATE_VERSION", "0.0.0.dev0")


class Binary(BuildHookInterface):
    def initialize(self, version, build_data):
        if version == "editable":
            return  # an editable install finds the binary by XLAGATE_BINARY or on the path
        platform = os.environ.get("XLAGATE_PLATFORM") or sysconfig.get_platform().replace("-", "_").replace(".", "_")
        binary = os.environ.get("XLAGATE_BINARY") or build(pathlib.Path(self.directory))
        name = "xlagate.exe" if platform.startswith("win") else "xlagate"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform}"
        build_data["shared_scripts"][str(binary)] = name


def build(directory):
    """Build the binary from the clone with Go."""
    if not (CLONE / "go.mod").is_file():
        raise RuntimeError("there is no xlagate to put into the wheel: set XLAGATE_BINARY to one, or build inside a clone of the repository")
    directory.mkdir(parents=True, exist_ok=True)
    binary = directory / "xlagate"
    try:
        subprocess.run(["go", "build", "-trimpath", "-o", str(binary), "./cmd/xlagate"], cwd=CLONE, check=True)
    except FileNotFoundError:
        raise RuntimeError("building xlagate from source needs Go 1.26 or later on the path: https://go.dev/dl") from None
    return binary
