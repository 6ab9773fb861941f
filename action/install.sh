#!/usr/bin/env bash
# Puts xlagate on the path: the binary that was given; or a release, whose checksum is verified before anything of it is run; or, where the action
# is named by a branch or a commit and not by a release, what Go builds from the action's own sources.
# Everything comes in through environment variables, so that no input is ever part of a script.
set -euo pipefail

fail() { echo "::error title=xlagate::$1" >&2; exit 2; } # not on stdout, which may be what a variable is given

sha256() { if command -v sha256sum > /dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d' ' -f1; }

platform() {
  local os arch
  case "$(uname -s)" in
    Linux) os=linux ;;
    Darwin) os=darwin ;;
    MINGW* | MSYS* | CYGWIN*) os=windows ;;
    *) fail "there is no release for $(uname -s); build xlagate and give its path as binary" ;;
  esac
  case "$(uname -m)" in
    x86_64 | amd64) arch=amd64 ;;
    aarch64 | arm64) arch=arm64 ;;
    *) fail "there is no release for $(uname -m); build xlagate and give its path as binary" ;;
  esac
  echo "${os}_$arch"
}

# The release that belongs to the action, when the action was named by a release.
version=${INPUT_VERSION:-}
[ -n "$version" ] || [[ ! ${ACTION_REF:-} =~ ^v[0-9]+\.[0-9]+\.[0-9]+ ]] || version=$ACTION_REF
version=${version#v}
to=${RUNNER_TEMP:-/tmp}/xlagate-bin
mkdir -p "$to"

if [ -n "${INPUT_BINARY:-}" ]; then
  [ -x "$INPUT_BINARY" ] || fail "binary: there is no program at $INPUT_BINARY"
  cp "$INPUT_BINARY" "$to/xlagate"
elif [ -z "$version" ]; then
  command -v go > /dev/null || fail "version: name a release, such as 1.2.3, or install Go before this step: the action was not named by a release, so xlagate is built from its sources"
  (cd "$(dirname "${BASH_SOURCE[0]}")/.." && CGO_ENABLED=0 go build -trimpath -o "$to/xlagate" ./cmd/xlagate) ||
    fail "xlagate could not be built from the action's sources; name a release as version"
else
  [[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+[-.0-9A-Za-z]*$ ]] || fail "version: name a release, such as 1.2.3 (or build xlagate and give its path as binary)"
  name=xlagate_${version}_$(platform).tar.gz
  from=${INPUT_DOWNLOAD_URL%/}/v$version
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  fetch() {
    curl --fail --silent --show-error --location --proto '=https' --retry 5 --retry-connrefused --max-time 300 --output "$work/$1" "$from/$1" ||
      fail "could not download $from/$1; look whether there is a release $version, or build xlagate and give its path as binary"
  }
  fetch "$name"
  want=${INPUT_CHECKSUM:-}
  if [ -z "$want" ]; then
    fetch checksums.txt
    want=$(awk -v name="$name" '$2 == name || $2 == "*" name { print $1 }' "$work/checksums.txt")
  fi
  [ -n "$want" ] && [ "$(sha256 "$work/$name")" = "$want" ] || fail "$name does not have the checksum that it should have; it was not run"
  tar -xzf "$work/$name" -C "$to"
fi
"$to/xlagate" version
echo "$to" >> "$GITHUB_PATH"
