#!/bin/sh
# The executor's wavefronts against those that Nsight Compute counted on a GPU,
# pattern by pattern, from the newest recorded run.
set -u
. tests/lib.sh
recorded=$(find results -name shared-patterns.json | sort | tail -n 1)
mine=$(mktemp)
trap 'rm -f "$mine"' EXIT
build/tests/patterns >"$mine"
ok $? "the executor runs every pattern"
lines=$(mktemp)
sed -n 's/.*"access": "\([a-z]*\)", "bytes": \([0-9]*\), "pattern": \([0-9]*\), "wavefronts": \([0-9]*\).*/\1 \2 \3 \4/p' \
  "$recorded" >"$lines"
[ "$(wc -l <"$lines")" -eq 96 ]
ok $? "96 patterns were recorded on a GPU"
while read -r access bytes pattern wavefronts; do
  [ "$(awk -v a="$access" -v b="$bytes" -v p="$pattern" \
    '$1 == a && $2 == b && $3 == p { print $4 }' "$mine")" = "$wavefronts" ]
  ok $? "$access of $bytes bytes, pattern $pattern: $wavefronts"
done <"$lines"
rm -f "$lines"
finish
