#!/bin/sh
# Every experiment of the chapter on mistakes: the mistake is still refused.
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
done
finish
