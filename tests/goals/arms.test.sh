#!/bin/sh
# Every arm that one toggle makes, with what it needs beside it, on the
# executor: its gates and its races. A change for one arm may break another.
set -u
. tests/lib.sh
log=$(mktemp)
made=$(mktemp -d)
trap 'rm -rf "$log" "$made"' EXIT
. tests/machine-code/compile.sh
enter_copy "$made/tree"
for stage in stage[0-9]*_*; do
  tools/toggles.sh list "$stage" | grep -v '^DEBUG_' >"$made/arms"
  while read -r name default values; do
    for value in $values; do
      [ "$value" != "$default" ] || continue
      also=$(beside "$stage" "$name=$value" </dev/null)
      # shellcheck disable=SC2086 # settings are words
      make -j2 "$stage" check race "$name=$value" $also TARGET=cpu \
        SHAPES="small odd" >"$log" 2>&1 </dev/null
      ok $? "$stage $name=$value${also:+ $also}: gates and races" "$log"
    done
  done <"$made/arms"
done
finish
