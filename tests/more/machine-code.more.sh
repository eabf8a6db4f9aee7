#!/bin/sh
# Each setting of each toggle is other machine code than without it.
# for each stage[0-9]*_* without stage.mk
# takes: 200 s
set -u
. tests/lib.sh
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
enter_sources "$made/tree"
only_stage "$1"
tests/machine-code/toggles.sh "$stage"
