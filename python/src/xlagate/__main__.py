"""Runs the xlagate binary: python -m xlagate."""

import os
import subprocess
import sys

from xlagate.binary import find


def main() -> int:
    binary = find()
    if os.name == "nt":
        return subprocess.run([binary, *sys.argv[1:]]).returncode
    os.execv(binary, [binary, *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
