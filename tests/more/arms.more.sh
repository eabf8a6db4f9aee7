#!/bin/sh
# Every arm that one toggle makes, with what it needs beside it, at every shape
# and seed that `check` and `race` know, on normal inputs and on large logits.
# All other inputs are the default arm's, in gates.test.lua.
# for each stage[0-9]*_* without stage.mk
# takes: 100 s
set -u
. tests/lib.sh
folder=$(mktemp -d)
log=$folder/log
trap 'rm -rf "$folder"' EXIT
enter_sources "$folder/tree"
only_stage "$1"
tools/toggles/toggles.sh others "$stage" >"$folder/arms"
ok $? "the arms of $stage are known"
while read -r setting; do
  case $setting in DEBUG_*) continue ;; esac # it prints
  also=$(tools/toggles/toggles.sh beside "$stage" "$setting" </dev/null)
  # shellcheck disable=SC2086 # settings are words
  make "$stage" check "$setting" $also TARGET=cpu \
    DISTRIBUTIONS="normal large-logits" >"$log" 2>&1 </dev/null
  ok $? "$stage $setting${also:+ $also}: check at all shapes" "$log"
  # shellcheck disable=SC2086
  make "$stage" race "$setting" $also TARGET=cpu >"$log" 2>&1 </dev/null
  ok $? "$stage $setting${also:+ $also}: race at all shapes" "$log"
done <"$folder/arms"
finish
