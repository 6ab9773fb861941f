#!/usr/bin/env bash
# Makes the wheel of a binary: wheel.sh BINARY SYSTEM VERSION TO, SYSTEM as in linux_amd64. It needs Python with the packages build and hatchling.
set -euo pipefail
binary=$(realpath "$1") system=$2 version=$3
mkdir -p "$4"
to=$(realpath "$4")

# The binaries are static: on Linux they run with glibc and musl alike. macOS 12 is the oldest that Go supports.
case $system in
  linux_amd64) platform=manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64 ;;
  linux_arm64) platform=manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64 ;;
  darwin_amd64) platform=macosx_12_0_x86_64 ;;
  darwin_arm64) platform=macosx_12_0_arm64 ;;
  windows_amd64) platform=win_amd64 ;;
  windows_arm64) platform=win_arm64 ;;
  *) echo "wheel.sh: no wheel is made for $system" >&2; exit 1 ;;
esac
cd "$(dirname "${BASH_SOURCE[0]}")"
XLAGATE_BINARY=$binary XLAGATE_PLATFORM=$platform XLAGATE_VERSION=$version python3 -m build --wheel --no-isolation --outdir "$to"
