#!/bin/sh
# Runs test programs that print TAP, JOBS at a time (as many as the machine has
# cores), and adds them up:
#   [JOBS=1] tests/run.sh PROGRAM...
# Prints each failure with what the program said about it, each skip with its
# reason, and last the line `N passed, N failed, N skipped`. A script with a line
# "# alone: REASON" runs after the others, with nothing beside it.
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
jobs=${JOBS:-$(nproc)}
unset JOBS

touch "$folder/counts" "$folder/alone" "$folder/together"
for program in "$@"; do
  where=together
  case $program in *.sh) ! grep -q '^# alone: ' "$program" || where=alone ;; esac
  echo "$program" >>"$folder/$where"
done
xargs -P "$jobs" -I '{}' tests/run-one.sh '{}' "$folder/counts" \
  <"$folder/together"
xargs -I '{}' tests/run-one.sh '{}' "$folder/counts" <"$folder/alone"

awk -v programs=$# '{ passed += $1; failed += $2; skipped += $3 }
  END {
    if (NR < programs) print programs - NR " of " programs " programs gave no result"
    failed += programs - NR
    printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
    exit failed > 0 || passed + skipped == 0
  }' "$folder/counts"
