#!/bin/sh
# Plants one mistake after another in a copy of the tree and asks `make race`,
# as a reader would: it must fail, name the kind, and show both source lines.
set -u
. tests/lib.sh
plant=$PWD/build/tests/plant list=$PWD/tests/races/planted.list
copy=$(mktemp -d)
log=$(mktemp)
trap 'rm -rf "$copy" "$log"' EXIT
copy_tree "$copy"

for stage in stage[0-9]*_*; do
  (cd "$copy" && make "$stage" race TARGET=cpu) >"$log" 2>&1
  ok $? "$stage as it is has no finding" "$log"
done

"$plant" list "$list" >"$copy/names"
while IFS='|' read -r stage name; do
  kernel=$copy/$stage/kernel.cu
  "$plant" kernel "$list" "$stage" "$name" >"$kernel" 2>"$log" ||
    { ok 1 "$stage: $name: nothing to plant it in" "$log"; continue; }
  shapes="small 1,1,97,64"
  case $stage in stage7_*) shapes="small 1,2,600,64" ;; esac # a ring goes round
  (cd "$copy" && make "$stage" race TARGET=cpu SHAPES="$shapes") >"$log" 2>&1 \
    </dev/null
  code=$?
  "$plant" found "$list" "$stage" "$name" "$kernel" "$log" 2>"$copy/why" &&
    [ $code -ne 0 ]
  code=$?
  cat "$copy/why" >>"$log"
  ok $code "$stage: $name" "$log"
  cp "$stage/kernel.cu" "$kernel"
done <"$copy/names"
finish
