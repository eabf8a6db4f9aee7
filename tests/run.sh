#!/bin/sh
# Runs test programs that print TAP, one after another, and adds them up:
#   run.sh PROGRAM...
# Prints each failure with what the program said about it, each skip with its
# reason, and last the line `N passed, N failed, N skipped`.
set -u
export CMOCKA_MESSAGE_OUTPUT=TAP
passed=0 failed=0 skipped=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

for program in "$@"; do
  started=$(date +%s)
  "$program" >"$log" 2>&1 </dev/null
  code=$?
  good=$(grep -c '^ok ' "$log")
  bad=$(grep -c '^not ok ' "$log")
  skips=$(grep -ci '^ok .*# skip' "$log")
  planned=$(sed -n 's/^1\.\.\([0-9]*\).*/\1/p' "$log" | awk '{ n += $1 }
    END { print n + 0 }')
  # A program that dies, or runs fewer tests than it planned, has failed.
  if [ $((good + bad)) -ne "$planned" ] || [ "$planned" -eq 0 ]; then
    echo "$program: ran $((good + bad)) tests of $planned, exit code $code"
    bad=$((bad + 1))
  elif [ "$bad" -eq 0 ] && [ $code -ne 0 ]; then
    echo "$program: all tests passed, but its exit code was $code"
    bad=1
  fi
  passed=$((passed + good - skips))
  failed=$((failed + bad))
  skipped=$((skipped + skips))
  if [ "$bad" -gt 0 ]; then
    echo "FAILED  $program"
    grep -v '^ok ' "$log" | tail -n 60 | sed 's/^/    /'
  else
    echo "passed  $program: $((good - skips)) in $(($(date +%s) - started)) s"
  fi
  grep -i '^ok .*# skip' "$log" | sed 's/^ok [0-9]* *-* */skipped /'
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ $((passed + skipped)) -gt 0 ]
