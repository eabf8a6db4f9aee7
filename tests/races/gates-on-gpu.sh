#!/bin/sh
# Runs the kernels with planted mistakes (planted.list) through the gates on
# this machine's GPU and records which of them pass:
#   gates-on-gpu.sh FILE.json
# A race that happens to come out right is what the executor is for.
set -eu
. tests/lib.sh
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES LOCKED
list=tests/races/planted.list

# one FOLDER NUMBER: plants the mistake of that line in a copy of its own.
if [ "${1:-}" = one ]; then
  folder=$2 number=$3
  sed -n "${number}p" "$folder/list" >"$folder/$number.line"
  IFS='|' read -r stage name <"$folder/$number.line"
  copy_tree "$folder/$number"
  build/tests/plant kernel $list "$stage" "$name" \
    >"$folder/$number/$stage/kernel.cu"
  cd "$folder/$number"
  verdict=failed
  make "$stage" TARGET=gpu >"$folder/$number.log" 2>&1 </dev/null || {
    echo "$stage, $name: not built." >&2
    tail -n 5 "$folder/$number.log" >&2
    exit 255 # xargs stops at it
  }
  for run in 1 2 3; do # a mistake may show in one run and not in another
    timeout 120 "build/gpu/$stage/default/program" check --shape small \
      --shape mission --shape odd >/dev/null 2>&1 </dev/null || break
    [ "$run" != 3 ] || verdict=passed
  done
  echo "$stage|$name|$verdict" >"$folder/$number.verdict"
  rm -rf "${folder:?}/$number"
  exit
fi

file=${1:?usage: gates-on-gpu.sh FILE.json}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
make TARGET=gpu build/tests/plant build >/dev/null 2>&1 </dev/null
build/tests/plant list $list >"$folder/list"
total=$(wc -l <"$folder/list")
# The references of eight at once: more threads would make each of them late.
export OMP_NUM_THREADS=2
seq "$total" | xargs -P 8 -n 1 "$0" one "$folder"
for number in $(seq "$total"); do
  cat "$folder/$number.verdict"
done >"$folder/verdicts"
build/tests/plant gates <"$folder/verdicts" >"$file"
passed=$(grep -c '|passed$' "$folder/verdicts") || true
echo "$passed of $total kernels with a planted mistake passed every gate"
