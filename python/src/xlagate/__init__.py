"""xlagate in Python: what XLA compiles of a function, held against an accepted baseline, in a test.

    def test_step(xlagate):
        xlagate.check(step, params, batch)

The gate is the xlagate binary that comes with this package; rules, baselines and messages are those of the command line.
"""

from xlagate.compiled import NotCompiled, compile, dump
from xlagate.measured import Facts, facts, scaling
from xlagate.recompilation import Recompiled, no_recompilation

__all__ = ["Facts", "NotCompiled", "Recompiled", "compile", "dump", "facts", "no_recompilation", "scaling"]
