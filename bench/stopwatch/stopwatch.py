"""stopwatch.py FOLDER [PAIR…]: compiles each pair of programs, dumps both under FOLDER, times their steps, and prints JSON. A PAIR is a regular expression."""
import importlib
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "race"))

import race
from programs.pair import PAIRS

MODULES = ("mlp", "transformer", "vision", "sequence", "sparse", "science", "training")


def wanted(names):
    for module in MODULES:
        importlib.import_module("programs." + module)
    return [pair for name, pair in PAIRS.items() if not names or any(re.fullmatch(n, name) for n in names)]


def main():
    root = pathlib.Path(sys.argv[1])
    races = [race.Race(pair, root) for pair in wanted(sys.argv[2:])]
    race.run(races)
    race.show(races)


if __name__ == "__main__":
    main()
