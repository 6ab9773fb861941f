"""Writes a module, operations.hlo, as XLA prints it and as XLA packs it: operations.py DIR"""

import gzip
import pathlib
import sys

from jaxlib import _hlo

module = _hlo.hlo_module_from_text(pathlib.Path(__file__).with_suffix(".hlo").read_text())
options = _hlo.HloPrintOptions()
options.print_large_constants = True
packed = module.as_serialized_hlo_module_proto()
size = bytes([len(packed) & 0x7F | 0x80, len(packed) >> 7 & 0x7F | 0x80, len(packed) >> 14])
forms = {"txt": module.to_string(options).encode(), "hlo.pb": b"\x0a" + size + packed}  # HloProto.hlo_module, as a dump has it
for form, data in forms.items():
    with open(f"{sys.argv[1]}/operations.{form}.gz", "wb") as file:
        file.write(gzip.compress(data, 9, mtime=0))
