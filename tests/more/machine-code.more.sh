#!/bin/sh
# Each setting of each toggle is other machine code than without it.
# for each stage[0-9]*_* without stage.mk
# takes: 200 s
set -u
. tests/lib.sh
if [ -z "$(tools/toggles/toggles.sh others "$1")" ]; then
  echo "ok 1 - $1 has no toggle"
  echo 1..1
  exit
fi
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
enter_sources "$made/tree"
only_stage "$1"
tests/machine-code/toggles.sh "$stage"
