#!/usr/bin/env bash
# Makes the two dumps of this folder again: good/ from train.py, regressed/ from train.py with pull-request.diff applied.
# Needs Go, and a Python that has what requirements.txt says: PYTHON=/path/to/python ./make.sh
set -euo pipefail
cd "$(dirname "$0")"
here=$PWD
python=$(command -v "${PYTHON:-python3}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

(cd ../.. && go build -o "$work/xlagate" ./cmd/xlagate)
mkdir "$work/good" "$work/regressed"
cp train.py "$work/good/"
cp train.py "$work/regressed/"
(cd "$work/regressed" && patch --quiet --strip=1 < "$here/pull-request.diff")

# Source files read train.py, not where this script happened to put them; no path of this machine ends in a dump.
export JAX_PLATFORMS=cpu JAX_HLO_SOURCE_FILE_CANONICALIZATION_REGEX='.*/'
for dump in good regressed; do
  (cd "$work/$dump" && "$work/xlagate" capture --to xla -- "$python" train.py)
  rm -rf "$here/${dump:?}"
  mkdir "$here/$dump"
  # What the rules read; the rest (LLVM IR, object files, buffer values, MLIR) would be ten times as much.
  find "$work/$dump/xla" -maxdepth 1 -type f \( -name '*optimizations.txt' -o -name '*-buffer-assignment.txt' \
    -o -name '*-live-range.txt' -o -name '*-memory-usage-report.txt' -o -name '*.debug_options' -o -name 'xlagate-toolchain.json' \) -exec cp {} "$here/$dump/" \;
done
cp "$work/regressed/train.py" regressed/ # the lines that a result shows
du -sh good regressed
