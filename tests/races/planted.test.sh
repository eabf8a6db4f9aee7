#!/bin/sh
# Plants one mistake after another in a copy of the tree and asks `make race`,
# as a reader would: it must fail, name the kind, and show both source lines.
# for each stage[0-9]*_*
# takes: 40 s
set -u
. tests/lib.sh
plant=$PWD/build/tests/plant list=$PWD/tests/races/planted.list
original=$PWD/$1/kernel.cu
folder=$(mktemp -d)
log=$folder/log
trap 'rm -rf "$folder"' EXIT
enter_copy "$folder/tree"
only_stage "$1"
kernel=$stage/kernel.cu
make "$stage" race TARGET=cpu >"$log" 2>&1
ok $? "$stage as it is has no finding" "$log"

shapes="small 1,1,97,64"
case $stage in stage7_*) shapes="small 1,2,600,64" ;; esac # a ring goes round
"$plant" list "$list" | sed -n "s/^$stage|//p" >"$folder/names"
[ -s "$folder/names" ]
ok $? "$stage: there are mistakes to plant"
while read -r name; do
  cp "$original" "$kernel"
  "$plant" kernel "$list" "$stage" "$name" >"$folder/planted.cu" 2>"$log" ||
    { ok 1 "$stage: $name: nothing to plant it in" "$log"; continue; }
  cp "$folder/planted.cu" "$kernel"
  make "$stage" race TARGET=cpu SHAPES="$shapes" >"$log" 2>&1 </dev/null
  code=$?
  "$plant" found "$list" "$stage" "$name" "$kernel" "$log" 2>"$folder/why" &&
    [ $code -ne 0 ]
  code=$?
  for shape in $shapes; do # one that hangs keeps no other from its turn
    grep -q "^$shape: [0-9]* finding" "$log" || code=1
  done
  cat "$folder/why" >>"$log"
  ok $code "$stage: $name" "$log"
done <"$folder/names"
finish
