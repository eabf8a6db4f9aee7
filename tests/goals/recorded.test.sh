#!/bin/sh
# What the executor and the gates recorded under results/ is what they say now.
# takes: 12 s
set -u
. tests/lib.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

build/tests/impostors --json "$folder/impostors.json" &&
  cmp results/impostors.json "$folder/impostors.json" >"$folder/log" 2>&1
ok $? "results/impostors.json is what the gates say now" "$folder/log"

build/tests/impostors --errors "$folder/errors.json" &&
  tests/impostors/near.lua results/impostor-errors.json \
    "$folder/errors.json" >"$folder/log" 2>&1
ok $? "results/impostor-errors.json is what the gates measure now" "$folder/log"

build/tests/fragments --json "$folder/fragments.json" &&
  cmp results/fragments.json "$folder/fragments.json" >"$folder/log" 2>&1
ok $? "results/fragments.json is who holds what now" "$folder/log"

tests/device/drawn.lua results/fragments.json \
  chapters/figures/stage3-lanes.svg >"$folder/log" 2>&1
ok $? "chapters/figures/stage3-lanes.svg shows that" "$folder/log"

tests/device/layouts.sh >"$folder/layouts.json" &&
  cmp results/layouts.json "$folder/layouts.json" >"$folder/log" 2>&1
ok $? "results/layouts.json is where stage 2 puts K now" "$folder/log"

# Everything but when, by which compiler and from which commit.
counters() { sed -n '/^ "counters"/,$p' "$1"; }

for recorded in $(git ls-files -co --exclude-standard 'results/*.count.json' 2>/dev/null ||
  find results -name '*.count.json'); do
  name=$(basename "$recorded" .count.json)
  arm=$(tools/toggles/toggles.sh of-file "$name")
  "build/instrumented/$arm/program" count --json "$folder" >/dev/null 2>&1
  counters "$recorded" >"$folder/old"
  counters "$folder/$name.count.json" >"$folder/new"
  [ -s "$folder/old" ] && diff "$folder/old" "$folder/new" >"$folder/log"
  ok $? "$recorded is what the executor counts now" "$folder/log"
done

tools/readme/readme.lua --check >"$folder/log" 2>&1
ok $? "README.md shows what the results say" "$folder/log"
finish
