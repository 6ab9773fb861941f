"""Runs each module of modules.txt, which is written by hand in XLA's grammar, through XLA's own parser (jaxlib 0.10.2): python make.py.

Writes what XLA makes of it: the print and the canonical print with nested bodies (printed.txt, canonical.txt), the HloModuleProto
(protos.zip) and the flops, transcendentals and bytes of HloCostAnalysis (costs.txt).
"""
import pathlib
import re
import zipfile

import jax
from jaxlib import _hlo, _jax

here = pathlib.Path(__file__).parent
jax.config.update("jax_platforms", "cpu")
client = jax.devices()[0].client

# The canonical print leaves out what it is compared by.
canonical = _hlo.HloPrintOptions.canonical()
canonical.print_backend_config = True

modules = re.split(r"^=== (\w+)\n", (here / "modules.txt").read_text(), flags=re.M)[1:]
prints, canonicals, costs = [], [], []
with zipfile.ZipFile(here / "protos.zip", "w") as protos:
    for name, text in zip(modules[::2], modules[1::2]):
        module = _hlo.hlo_module_from_text(text)
        cost = _jax.hlo_module_cost_analysis(client, module)
        numbers = [cost.get(key, 0) for key in ("flops", "transcendentals", "bytes accessed")]
        prints.append(f"=== {name}\n{module.to_string()}")
        canonicals.append(f"=== {name}\n{module.to_string(canonical)}")
        costs.append(f"=== {name}\n" + " ".join(f"{n:.17g}" for n in numbers) + "\n")
        protos.writestr(zipfile.ZipInfo(name), module.as_serialized_hlo_module_proto(), zipfile.ZIP_DEFLATED)
for file, parts in ("printed.txt", prints), ("canonical.txt", canonicals), ("costs.txt", costs):
    (here / file).write_text("".join(parts))
