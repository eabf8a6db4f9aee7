#!/bin/sh
# What nvcc makes of the kernels: they compile for every architecture and keep
# their budgets, a toggle changes the machine code, and the instructions that
# the chapters speak of are there. All toggles: tests/more/machine-code.more.sh.
# for each stage[0-9]*_* without stage.mk
# takes: 40 s
# drawn: 2
set -u
. tests/lib.sh
log=$(mktemp)
made=$(mktemp -d)
trap 'rm -rf "$log" "$made"' EXIT
cuda=$(tools/setup/cuda-home.sh 2>/dev/null) || cuda=''
if [ -z "$cuda" ]; then
  skip "machine code of every stage" "no nvcc 12.8 or newer; make setup"
  finish
  exit
fi

. tests/machine-code/compile.sh

enter_copy "$made/tree"
only_stage "$1"
make -j2 "$stage" resources >"$log" 2>&1
ok $? "$stage compiles for every architecture, within its budget" "$log"
one_of_each "$stage" >"$made/some"
toggles_of "$stage" <"$made/some"

# What the chapters say of the instructions.
disassembler=$(tools/setup/disassembler.sh)
sed "s/[[:space:]]*#.*//; /^$1 /!d" tests/machine-code/expected.list >"$made/list"
[ -s "$made/list" ]
ok $? "there are claims in expected.list"
while read -r _ arm code opcode sign wanted; do
  name="$stage $arm: $opcode $sign $wanted in $code"
  if [ "$code" != ptx ] && [ -z "$disassembler" ]; then
    skip "$name" "no nvdisasm; make setup"
    continue
  fi
  settings=$(tools/toggles/toggles.sh settings "$arm" </dev/null)
  if [ "$code" = ptx ]; then
    file=$made/$stage.$arm.ptx
    # shellcheck disable=SC2086 # settings are words
    [ -e "$file" ] || compile ptx "$file" "$stage" $settings
  else
    cubin_of "$stage" "$settings" </dev/null
    file=$arm_file
  fi
  verb=count
  [ "$code" != loop ] || verb=loop
  count=$(build/tools/instructions $verb "$file" "$opcode" 2>"$log") &&
    case $sign in
    '=') [ "$count" -eq "$wanted" ] ;;
    '>') [ "$count" -gt "$wanted" ] ;;
    *) false ;;
    esac
  code=$?
  echo "counted: $count" >>"$log"
  ok $code "$name" "$log"
done <"$made/list"

# The recorded results are of the machine code that nvcc makes of the source now.
ledger=$(sed -n 's/^results: *//p' chapters/book.yaml)/machine-code.json
recorded() {
  jq -e --arg stage "$stage" --arg key "$1" --arg value "$2" '.kernels[] |
    select(.stage == $stage and .arm == "default") |
    [.[$key]] | flatten | index($value)' "$ledger" >"$log"
}
# ptxas makes one of two codes of some kernels, now this, now that.
code_is_recorded() {
  for _ in 1 2 3 4 5; do
    code=$(tools/results/machine-code.sh "$stage" default 90a 2>"$log") || return
    ! recorded machine_code "$code" || return 0
  done
  return 1
}
name="$stage: its recorded machine code is what nvcc makes"
if [ -z "$disassembler" ]; then
  skip "$name" "no nvdisasm; make setup"
elif "$cuda/bin/nvcc" --version | grep -qF "$(jq -r .compiler "$ledger")"; then
  recorded kernel_hashes "$(tools/results/kernel-hash.sh "$stage")"
  ok $? "$stage: the record names this source" "$ledger"
  code_is_recorded
  ok $? "$name" "$log"
  [ "$stage" != stage0_scalar ] || { # once is enough to test the test
    echo '__global__ void planted(int *p) { *p = 1; }' >>"$stage/kernel.cu"
    code=$(tools/results/machine-code.sh "$stage" default 90a 2>"$log") &&
      ! recorded machine_code "$code"
    ok $? "  and of another kernel it is not"
  }
else
  skip "$name" "it was made by $(jq -r .compiler "$ledger")"
fi
[ "$stage" != stage1_cp_async ] || {
  ! compile ptx "$made/ptx" stage1_cp_async LOAD_BYTES=1 &&
    grep -q 'it needs LOAD_BYTES=16' "$log"
  ok $? "cp.async of single bytes is refused in one sentence"
}
finish
