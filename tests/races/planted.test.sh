#!/bin/sh
# Plants one mistake after another in a copy of the tree and asks `make race`,
# as a reader would: it must fail, name the kind, and show both source lines.
set -u
. tests/lib.sh
here=$PWD
copy=$(mktemp -d)
log=$(mktemp)
trap 'rm -rf "$copy" "$log"' EXIT
copy_tree "$copy"

for stage in stage[0-9]*_*; do
  (cd "$copy" && make "$stage" race TARGET=cpu) >"$log" 2>&1
  ok $? "$stage as it is has no finding" "$log"
done

# named FINDING TEXT TEXT: the log has a finding of that kind whose two places
# show these texts, in either order.
named() {
  FINDING=$1 A=$2 B=$3 awk '
    /^[a-z]/ { inside = index($0, ENVIRON["FINDING"] ":") == 1; a = b = 0 }
    inside && index($0, ENVIRON["A"]) { a = 1 }
    inside && index($0, ENVIRON["B"]) { b = 1 }
    inside && a && b { found = 1 }
    END { exit !found }' "$log"
}

grep -v '^#' tests/races/planted.list >"$copy/list"
while IFS='|' read -r stage name nth text planted finding one other; do
  "$here/tests/races/plant.sh" "$stage/kernel.cu" "$nth" "$text" "$planted" \
    >"$copy/$stage/kernel.cu" ||
    { ok 1 "$stage: $name: nothing to plant it in"; continue; }
  shapes="small 1,1,97,64"
  case $stage in stage7_*) shapes="small 1,2,600,64" ;; esac # a ring goes round
  (cd "$copy" && make "$stage" race TARGET=cpu SHAPES="$shapes") >"$log" 2>&1 \
    </dev/null
  code=$?
  [ $code -ne 0 ] && named "$finding" "$one" "$other"
  ok $? "$stage: $name" "$log"
  cp "$stage/kernel.cu" "$copy/$stage/kernel.cu"
done <"$copy/list"
finish
