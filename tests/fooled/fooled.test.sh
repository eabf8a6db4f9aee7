#!/bin/sh
# Every experiment of the chapter on mistakes: the mistake is still refused, and
# the chapter shows what the experiment prints now.
set -u
. tests/lib.sh
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for script in tests/fooled/*.sh; do
  name=$(basename "$script" .sh)
  case $name in lib | run | *.test) continue ;; esac
  "$script" >"$log" 2>&1
  code=$?
  if [ $code -eq 3 ]; then
    skip "$name" "$(tail -n 1 "$log")"
    continue
  fi
  [ $code -eq 0 ] && grep -qx 'The mistake is refused.' "$log"
  ok $? "$name" "$log"
  sed -f book/refresh.sed "$log" >"$log.masked"
  tail -n +2 "chapters/output/fooled-$name.txt" |
    diff - "$log.masked" >"$log.diff"
  ok $? "  as chapter 9 shows it" "$log.diff"
  rm -f "$log.masked" "$log.diff"
done
finish
