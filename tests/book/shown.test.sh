#!/bin/sh
# Each command whose output a chapter shows is run again, in a copy of the tree,
# and must print what the chapter shows, timings masked. (Those of chapter 9 are
# run by tests/fooled, the gates by tests/goals/stages.test.lua.)
# takes: 40 s
set -u
. tests/lib.sh
copy=$(mktemp -d)
log=$copy/log
trap 'rm -rf "$copy"' EXIT
copy_tree "$copy"
rm -f "$copy"/chapters/output/fooled-*.txt "$copy"/chapters/output/*-check.txt
(cd "$copy" && book/refresh-output.sh) >"$log" 2>&1
ok $? "every command runs" "$log"
for shown in "$copy"/chapters/output/*.txt; do
  name=$(basename "$shown")
  if grep -q "^chapters/output/$name: this machine cannot" "$log"; then
    skip "$name" "this machine cannot do that"
    continue
  fi
  diff "chapters/output/$name" "$shown" >"$log.diff"
  ok $? "$(sed -n '1s/^\$ //p' "$shown")" "$log.diff"
done
finish
