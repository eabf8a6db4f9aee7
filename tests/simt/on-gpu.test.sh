#!/bin/sh
# The executor against a GPU: the same kernels must leave the same bytes in
# memory. NAME.h200 is what an H200 left; the GPU of this machine, if it can run
# them, is asked too.
set -u
. tests/lib.sh
cpu=$(mktemp) gpu=$(mktemp)
trap 'rm -f "$cpu" "$gpu"' EXIT

# compare NAME KERNELS: the program, and what it runs.
compare() {
  program=build/tests/simt/$1 recorded=tests/simt/$1.h200
  "$program" >"$cpu" 2>&1
  ok $? "the executor runs $2" "$cpu"
  if [ -f "$recorded" ]; then
    grep -v '^#' "$recorded" >"$gpu"
    [ "$(wc -l <"$cpu")" -eq "$(wc -l <"$gpu")" ]
    ok $? "an H200 ran as many"
    while read -r line; do
      grep -qxF "$line" "$gpu"
      ok $? "${line% *}: as on the H200"
    done <"$cpu"
  else
    skip "$2: as on the H200" "$recorded is not there"
  fi
  if [ -x "$program-gpu" ] && nvidia-smi -L >/dev/null 2>&1; then
    "$program-gpu" >"$gpu" 2>&1 && cmp -s "$cpu" "$gpu"
    ok $? "$2: the same on the GPU of this machine" "$gpu"
  else
    skip "$2: the same on the GPU of this machine" \
      "there is none that runs them, or no nvcc"
  fi
}

compare agree "every kernel"
compare agree_hopper "every kernel for compute capability 9.0"
finish
