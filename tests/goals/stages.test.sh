#!/bin/sh
# Every stage, found by its folder's name: all gates on the best target here and
# on the executor, as its chapter shows them, no race, counters within reason.
# for each stage[0-9]*_*
# takes: 25 s
set -u
. tests/lib.sh
folder=$(mktemp -d)
log=$folder/log
trap 'rm -rf "$folder"' EXIT
enter_copy "$folder/tree"
only_stage "$1"
stage=${1%%_*}
make "$stage" check TARGET=cpu >"$log" 2>&1
ok $? "$stage check on the executor" "$log"
shown=chapters/output/$stage-check.txt
printed=$(sed -f book/refresh.sed "$log")
echo "$printed" | diff "$shown" - >"$log.diff"
# The first line is the command.
[ "$(grep -vc '^[0-9<]' "$log.diff")" -eq 0 ] &&
  [ "$(grep -c '^<' "$log.diff")" -eq 1 ]
ok $? "  prints what its chapter shows" "$log.diff"
make "$stage" race TARGET=cpu >"$log" 2>&1
ok $? "$stage race on the executor" "$log"
make "$stage" count TARGET=cpu >"$log" 2>&1 &&
  grep -q 'shared wavefronts' "$log"
ok $? "$stage count" "$log"
if nvidia-smi -L >/dev/null 2>&1; then
  make "$stage" check TARGET=gpu >"$log" 2>&1
  code=$?
  if grep -q "^${stage}_.* needs compute capability" "$log"; then
    skip "$stage check on the GPU" "$(grep '^stage.* needs' "$log")"
  else
    ok $code "$stage check on the GPU" "$log"
  fi
else
  skip "$stage check on the GPU" "no NVIDIA GPU here"
fi
finish
