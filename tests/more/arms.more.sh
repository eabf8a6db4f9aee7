#!/bin/sh
# Every arm that one toggle makes, with what it needs beside it, at every shape
# and seed that `check` and `race` know.
# for each stage[0-9]*_* without stage.mk
# takes: 300 s
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
  for verb in check race; do
    make "$stage" $verb "$setting" $also TARGET=cpu >"$log" 2>&1 </dev/null
    ok $? "$stage $setting${also:+ $also}: $verb at all shapes" "$log"
  done
done <"$folder/arms"
finish
