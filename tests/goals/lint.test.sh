#!/bin/sh
# Shell scripts, spelling, line lengths, and what the tree must not contain.
# takes: 10 s
set -u
. tests/lib.sh
log=$(mktemp)
trap 'rm -f "$log"' EXIT
files() { git ls-files -co --exclude-standard -- "$@"; }

if command -v shellcheck >/dev/null; then
  files '*.sh' .ci/run | xargs shellcheck -x >"$log" 2>&1
  ok $? "shellcheck" "$log"
else
  skip shellcheck "shellcheck is not installed; make setup"
fi
if command -v codespell >/dev/null; then
  files '*.md' '*.c' '*.h' '*.cu' '*.sh' '*.mk' '*.lua' '*.yaml' |
    xargs codespell -L "stage,warm,ois,nd" >"$log" 2>&1
  ok $? "codespell" "$log"
else
  skip codespell "codespell is not installed; make setup"
fi
files 'common/*.[ch]' 'floor/*' 'libfp8attention/*.[ch]' 'stage*' \
  'tests/*.[ch]' 'tools/*.[ch]' '*.lua' |
  xargs awk 'length > 80 { print FILENAME ":" FNR; bad = 1 }
    END { exit bad }' >"$log"
ok $? "no source line over 80 columns" "$log"
# Chapters have lines of their own; COMPARE.md is written by make compare.
files '*.md' | grep -v 'chapters/\|^results/COMPARE' |
  xargs awk 'FNR == 1 { code = 0 }
    /^ *```/ { code = !code }
    length > 80 && !code && !/^\|/ { print FILENAME ":" FNR; bad = 1 }
    END { exit bad }' >"$log"
ok $? "no line of a README over 80 columns, tables and code excepted" "$log"
! files | xargs grep -nIwE 'TODO|FIXME|XXX' -- 2>/dev/null |
  grep -v '^tests/goals/lint' >"$log"
ok $? "nothing is left to do in the sources" "$log"
finish
