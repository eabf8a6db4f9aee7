#!/bin/sh
# An experiment of the chapter on mistakes: the mistake is still refused, and the
# chapter shows what the experiment prints now.
# for each tests/fooled/experiments/*.sh
# takes: 20 s
set -u
. tests/lib.sh
log=$(mktemp)
trap 'rm -f "$log" "$log".*' EXIT
name=$(basename "$1" .sh)
"$1" >"$log" 2>&1
code=$?
if [ $code -eq 3 ]; then
  skip "$name" "$(tail -n 1 "$log")"
  finish
  exit
fi
[ $code -eq 0 ] && grep -qx 'The mistake is refused.' "$log"
ok $? "$name" "$log"
sed -f book/refresh.sed "$log" >"$log.masked"
tail -n +2 "chapters/output/fooled-$name.txt" |
  diff - "$log.masked" >"$log.diff"
ok $? "  as chapter 9 shows it" "$log.diff"
finish
