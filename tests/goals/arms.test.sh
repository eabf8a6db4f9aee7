#!/bin/sh
# Every arm that one toggle makes, with what it needs beside it, on the
# executor: what was asked for is what was built, its gates pass, and it has no
# race. A change for one arm may break another.
# for each stage[0-9]*_*
# takes: 25 s
set -u
. tests/lib.sh
log=$(mktemp)
made=$(mktemp -d)
trap 'rm -rf "$log" "$made"' EXIT
enter_copy "$made/tree"
only_stage "$1"
tools/toggles/toggles.sh others "$stage" >"$made/arms"
ok $? "the arms of $stage are known"
while read -r setting; do
  also=$(tools/toggles/toggles.sh beside "$stage" "$setting" </dev/null)
  name="$stage $setting${also:+ $also}"
  verbs="check race"
  case $setting in DEBUG_*) verbs= ;; esac # it prints
  # shellcheck disable=SC2086 # settings and verbs are words
  make -j2 "$stage" $verbs "$setting" $also TARGET=cpu \
    SHAPES="small odd" >"$log" 2>&1 </dev/null
  ok $? "$name: ${verbs:-build}" "$log"
  # shellcheck disable=SC2086
  arm=$(tools/toggles/toggles.sh arm "$stage" "$setting" $also)
  "build/cpu/$stage/$arm/program" info >"$log" 2>&1 </dev/null
  code=$?
  for asked in "$setting" $also; do
    grep -qE "(^| )$asked( |\$)" "$log" || code=1
  done
  ok $code "  says that it was built so" "$log"
  [ -z "$also" ] || {
    ! make "$stage" "$setting" TARGET=cpu >"$log" 2>&1 </dev/null &&
      grep -q '#error "USE\|#error "[A-Z][a-z]' "$log"
    ok $? "  and alone says what it needs" "$log"
  }
done <"$made/arms"
finish
