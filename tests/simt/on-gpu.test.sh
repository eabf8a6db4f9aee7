#!/bin/sh
# The executor against a GPU: the same kernels must leave the same bytes in
# memory. agree.h200 is what an H200 left; the GPU of this machine, if any, is
# asked too.
set -u
. tests/lib.sh
cpu=$(mktemp) gpu=$(mktemp)
trap 'rm -f "$cpu" "$gpu"' EXIT
build/tests/simt/agree >"$cpu" 2>&1
ok $? "the executor runs every kernel" "$cpu"
grep -v '^#' tests/simt/agree.h200 >"$gpu"
[ "$(wc -l <"$cpu")" -eq "$(wc -l <"$gpu")" ]
ok $? "an H200 ran as many"
while read -r line; do
  grep -qxF "$line" "$gpu"
  ok $? "${line% *}: as on the H200"
done <"$cpu"
if [ -x build/tests/simt/agree-gpu ] && nvidia-smi -L >/dev/null 2>&1; then
  build/tests/simt/agree-gpu >"$gpu" 2>&1 && cmp -s "$cpu" "$gpu"
  ok $? "the same on the GPU of this machine" "$gpu"
else
  skip "the same on the GPU of this machine" "there is none, or no nvcc"
fi
finish
