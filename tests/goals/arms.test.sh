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
  tools/toggles.sh others "$stage" | grep -v '^DEBUG_' >"$made/arms"
  while read -r setting; do
    also=$(beside "$stage" "$setting" </dev/null)
    # shellcheck disable=SC2086 # settings are words
    make -j2 "$stage" check race "$setting" $also TARGET=cpu \
      SHAPES="small odd" >"$log" 2>&1 </dev/null
    ok $? "$stage $setting${also:+ $also}: gates and races" "$log"
  done <"$made/arms"
done
finish
