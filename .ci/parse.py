"""Reads paths of HLO text from standard input, and prints a line for each: empty where XLA's own parser accepts the file, else why not."""
import sys

from jaxlib import _hlo

for line in sys.stdin:
    why = ""
    try:
        with open(line.strip(), encoding="utf-8") as f:
            _hlo.hlo_module_from_text(f.read())
    except Exception as e:
        why = " ".join(str(e).split())[:300] or type(e).__name__
    print(why, flush=True)
