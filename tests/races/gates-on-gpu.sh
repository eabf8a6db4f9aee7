#!/bin/sh
# Runs the kernels with planted mistakes (planted.list) through the gates on
# this machine's GPU and records which of them pass:
#   gates-on-gpu.sh FILE.json
# A race that happens to come out right is what the executor is for.
set -eu
. tests/lib.sh
here=$PWD
case ${1:?usage: gates-on-gpu.sh FILE.json} in
/*) file=$1 ;;
*) file=$here/$1 ;;
esac
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
copy_tree "$copy"
passed=0 total=0 between=''
{
  printf '{\n "planted": ['
  grep -v '^#' tests/races/planted.list >"$copy/list"
  while IFS='|' read -r stage name nth text planted _; do
    tests/races/plant.sh "$stage/kernel.cu" "$nth" "$text" "$planted" \
      >"$copy/$stage/kernel.cu"
    verdict=failed
    (cd "$copy" && make "$stage" check TARGET=gpu \
      SHAPES="small mission odd") >/dev/null 2>&1 </dev/null && verdict=passed
    printf '%s\n  {"stage": "%s", "mistake": "%s", "gates": "%s"}' "$between" \
      "$stage" "$name" "$verdict"
    between=,
    total=$((total + 1))
    [ $verdict = failed ] || passed=$((passed + 1))
    cp "$stage/kernel.cu" "$copy/$stage/kernel.cu"
  done <"$copy/list"
  printf '\n ],\n "passed": %d,\n "total": %d\n}\n' "$passed" "$total"
} >"$copy/result"
mv "$copy/result" "$file"
echo "$passed of $total kernels with a planted mistake passed every gate"
