#!/bin/sh
# The list of what every barrier and wait is for: it is of these kernels, it has
# every one of them, and none of them is idle. (remove.lua made it.)
set -u
. tests/lib.sh
list=tests/races/removed.list
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# What `make carry` keeps: which kernels have the same machine code.
carried=$(sed -n 's/^results: //p' chapters/book.yaml)/machine-code.json

# same STAGE HASH HASH: they are one kernel, or in all arms one machine code
same() {
  [ "$2" = "$3" ] || jq -e --arg stage "$1" --arg a "$2" --arg b "$3" '
    [.kernels[] | select(.stage == $stage).kernel_hashes] |
    length > 0 and all(contains([$a, $b]))' "$carried" >/dev/null
}
for stage in $(tools/source/ladder.sh); do
  same "$stage" "$(tools/results/kernel-hash.sh "$stage")" \
    "$(sed -n "s/^# kernel $stage //p" $list)"
  ok $? "$stage: the list is of this kernel (tests/races/remove.lua)"
  build/tests/plant sites "$stage/kernel.cu" >"$log"
  grep "^$stage|" $list | cut -d '|' -f 2 | diff "$log" - >"$log.diff" &&
    [ -s "$log" ]
  ok $? "$stage: and has every barrier, wait, arrival, fence and commit" "$log.diff"
  rm -f "$log.diff"
done
! grep -v '^#' $list | awk -F '|' 'NF != 4 || $NF == "" || $NF == "redundant" ||
  $NF == "in no arm" { print; found = 1 } END { exit !found }' >"$log"
ok $? "the executor names what is wrong without each, or the list says why not" \
  "$log"
grep -v '^stage1[0-9]' $list | grep '|redundant: ' | cut -d '|' -f 1-2 >"$log"
printf '%s|put-down: __pipeline_wait_prior\n' stage8_split_keys stage9_any_head |
  diff "$log" - >"$log.diff"
ok $? "two are redundant, and chapter 10 says so" "$log.diff"
rm -f "$log.diff"
grep -q 'wait for copies is not needed' chapters/10-*.md
ok $? "  in these words"
! grep '^stage1[0-9].*|redundant: ' $list | grep -vE \
  -e '^stage14.*\|last-values: await_turn\|USE_PING_PONG=1\|redundant: turns' \
  -e '^stage14.*\|last-values: release\|default\|redundant: no tile comes' \
  -e '^stage14.*\|in-turn: (1st|2nd) wgmma_wait\|.*\|redundant: the other wait' \
  -e '^stage1[67].*\|combine: 2nd named_barrier_sync\|default\|redundant: a block' \
  >"$log"
ok $? "from stage 10 on only stage 14's last wait for a turn is, its last slots \
given back, each of two waits in a row, and the last barrier of stages 16 and \
17" "$log"
[ "$(grep -vc '^#' $list)" -gt 120 ]
ok $? "it is no empty list"
finish
