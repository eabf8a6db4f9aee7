#!/bin/sh
# Runs one test program that prints TAP, says how that went, and adds the line
# "PASSED FAILED SKIPPED" to a file:  run-one.sh PROGRAM COUNTS
set -u
export CMOCKA_MESSAGE_OUTPUT=TAP
program=$1 counts=$2
log=$(mktemp)
trap 'rm -f "$log"' EXIT

started=$(date +%s)
"$program" >"$log" 2>&1 </dev/null
code=$?
good=$(grep -c '^ok ' "$log")
bad=$(grep -c '^not ok ' "$log")
skips=$(grep -ci '^ok .*# skip' "$log")
planned=$(sed -n 's/^1\.\.\([0-9]*\).*/\1/p' "$log" | awk '{ n += $1 }
  END { print n + 0 }')
# A program that dies, or runs fewer tests than it planned, has failed.
why=
if [ $((good + bad)) -ne "$planned" ] || [ "$planned" -eq 0 ]; then
  why="ran $((good + bad)) tests of $planned, exit code $code"
  bad=$((bad + 1))
elif [ "$bad" -eq 0 ] && [ $code -ne 0 ]; then
  why="all tests passed, but its exit code was $code"
  bad=1
fi
seconds=$(($(date +%s) - started))
# In one piece: others print at the same time.
said=$(
  [ -z "$why" ] || echo "$program: $why"
  if [ "$bad" -gt 0 ]; then
    echo "FAILED  $program"
    grep -v '^ok ' "$log" | tail -n 60 | sed 's/^/    /'
  else
    echo "passed  $program: $((good - skips)) in $seconds s"
  fi
  grep -i '^ok .*# skip' "$log" | sed 's/^ok [0-9]* *-* */skipped /'
)
printf '%s\n' "$said"
echo "$((good - skips)) $bad $skips" >>"$counts"
