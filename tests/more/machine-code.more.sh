#!/bin/sh
# Each setting of each toggle is other machine code than without it.
# for each stage[0-9]*_*
# takes: 200 s
set -u
. tests/lib.sh
log=$(mktemp)
made=$(mktemp -d)
trap 'rm -rf "$log" "$made"' EXIT
cuda=$(tools/setup/cuda-home.sh 2>/dev/null) || cuda=''
[ -n "$cuda" ]
ok $? "$1: there is an nvcc to compile with"
. tests/machine-code/compile.sh
enter_sources "$made/tree"
only_stage "$1"
tools/toggles/toggles.sh others "$stage" >"$made/all"
toggles_of "$stage" <"$made/all"
finish
