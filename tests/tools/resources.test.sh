#!/bin/sh
# What ptxas says, read and held against a budget.
set -u
. tests/lib.sh
folder=$(mktemp -d)
log=$folder/log
trap 'rm -rf "$folder"' EXIT
resources=$PWD/build/tools/resources
mkdir -p "$folder/common/harness" "$folder/build/gpu/stage9_x/default"
cd "$folder" || exit 1
cat >common/harness/settings.json <<'JSON'
{"budgets": {"stage9_x": {"registers": 80, "shared_bytes": 4096,
  "stack_bytes": 0, "spill_bytes": 0}}}
JSON
cubin=build/gpu/stage9_x/default/sm_90a.cubin
: >$cubin
# report REGISTERS SHARED STACK STORES LOADS: of two functions
report() {
  cat >$cubin.ptxas <<END
ptxas info    : Compiling entry function 'one' for 'sm_90a'
ptxas info    : Function properties for one
    $3 bytes stack frame, $4 bytes spill stores, $5 bytes spill loads
ptxas info    : Used $1 registers, used 1 barriers, $2 bytes smem, 400 bytes cmem[0]
ptxas info    : Function properties for two
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 20 registers, 64 bytes smem
END
}
report 72 4096 0 0 0
ends "the most of two functions" 0 \
  "registers=72 shared_bytes=4096 stack_bytes=0 spill_bytes=0" \
  "$resources" read $cubin.ptxas
ends "registers as they are allotted" 0 72 "$resources" allotted $cubin.ptxas
ends "within its budget" 0 "stage9_x/default sm_90a" "$resources" table \
  stage9_x/default
! grep -q 'over budget' "$log"
ok $? "  and nothing is over it" "$log"
report 81 4096 16 8 4
ends "registers, eight at a time" 0 88 "$resources" allotted $cubin.ptxas
ends "spills are stores and loads" 0 "stack_bytes=16 spill_bytes=12" \
  "$resources" read $cubin.ptxas
ends "over it: each limit is named" 1 \
  "over budget: registers=80 over budget: stack_bytes=0 over budget: spill" \
  "$resources" table stage9_x/default
echo 'nvcc fatal' >$cubin.ptxas
ends "no report" 1 "No resource report in $cubin.ptxas" "$resources" table \
  stage9_x/default
report 1 1 0 0 0
echo '{}' >common/harness/settings.json
ends "no budget" 1 "has no budget for stage9_x" "$resources" table \
  stage9_x/default
ends "an unknown verb" 2 "no verb 'within'" "$resources" within x
ends "no verb" 2 "Give a verb" "$resources"
finish
