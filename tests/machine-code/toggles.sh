#!/bin/sh
# Does each toggle of these stages change the machine code?  toggles.sh STAGE...
set -u
. tests/lib.sh
log=$(mktemp)
made=$(mktemp -d)
trap 'rm -rf "$log" "$made"' EXIT
cuda=$(tools/setup/cuda-home.sh 2>/dev/null) || {
  echo "This needs nvcc 12.8 or newer: 'make setup' installs one." >&2
  exit 3
}
. tests/machine-code/compile.sh
for stage in "$@"; do
  tools/toggles/toggles.sh others "$stage" >"$made/all"
  toggles_of "$stage" <"$made/all"
done
finish
