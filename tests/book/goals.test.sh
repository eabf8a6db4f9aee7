#!/bin/sh
# The book's index of goals against make's own database, and the goals that
# `make` alone names against the index.
# shellcheck disable=SC1091,SC2154,SC2016
set -u
. "$(dirname "$0")/tap.sh"
cd "$here/../.." || exit 1
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES

sed -n '/^::: {.goals}/,/^:::$/s/^`\([^`]*\)`$/\1/p' chapters/back/goals.md |
  sort >"$scratch/index"
# What no reader types, and the stages, which the index has as one.
make -npq LOCKED=1 help 2>/dev/null | sed -n 's/^\.PHONY: *//p' | tr ' ' '\n' |
  grep -vE '^(need-.*|left-out|verbs|FORCE|under-lock|stage[0-9].*)$' | sort -u \
  >"$scratch/make"
{ cat "$scratch/make"; echo stageN; echo diff-stageN; } | sort >"$scratch/all"
[ "$(wc -l <"$scratch/make")" -gt 20 ]
ok $? "make's database has goals"
diff "$scratch/index" "$scratch/all" >"$scratch/said"
ok $? "the index has each of them, and no other" "$scratch/said"

grep -oE 'make [a-z0-9-]+( [a-z]+(, [a-z]+)*)?' tools/make/help.sh | sed 's/,//g
    s/stage[0-9]/stageN/' | tr ' ' '\n' | grep -vx make | sort -u \
  >"$scratch/help"
[ "$(wc -l <"$scratch/help")" -gt 12 ]
ok $? "make alone names goals"
grep -vxF -f "$scratch/index" "$scratch/help" | grep . >"$scratch/said"
ok $((! $?)) "all of which the index has" "$scratch/said"
finish
