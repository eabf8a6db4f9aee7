#!/bin/sh
# What nvcc makes of the kernels: they compile for every architecture and keep
# their budgets, every toggle changes the machine code, and the instructions
# that the chapters speak of are there.
set -u
. tests/lib.sh
log=$(mktemp)
made=$(mktemp -d)
trap 'rm -rf "$log" "$made"' EXIT
cuda=$(tools/cuda-home.sh 2>/dev/null) || cuda=''
if [ -z "$cuda" ]; then
  skip "machine code of every stage" "no nvcc 12.8 or newer; make setup"
  finish
  exit
fi

# compile KIND OUTPUT STAGE [NAME=VALUE...]
compile() {
  kind=$1 output=$2 stage=$3
  shift 3
  for setting in "$@"; do
    shift
    set -- "$@" "-D$setting"
  done
  "$cuda/bin/nvcc" -std=c++17 -O3 -I. -gencode arch=compute_90a,code=sm_90a \
    "$@" "-$kind" -o "$output" "$stage/kernel.cu" >"$log" 2>&1
}

make resources >"$log" 2>&1
ok $? "every stage compiles for every architecture, within its budget" "$log"

# beside STAGE NAME=VALUE: the other toggles that this setting needs, if the
# kernel rules it out alone: one of them, else two.
beside() {
  tools/toggles.sh allowed "$1" "$2" 2>/dev/null && return
  tools/toggles.sh list "$1" | while read -r other default values; do
    for value in $values; do
      [ "$value" = "$default" ] || [ "$other" = "${2%%=*}" ] ||
        echo "$other=$value"
    done
  done >"$made/others"
  while read -r one; do
    tools/toggles.sh allowed "$1" "$2" "$one" 2>/dev/null && echo "$one" &&
      return
  done <"$made/others"
  while read -r one; do
    while read -r two; do
      tools/toggles.sh allowed "$1" "$2" "$one" "$two" 2>/dev/null &&
        echo "$one $two" && return
    done <"$made/others"
  done <"$made/others"
  return 1
}

# Setting by setting, against the same arm without it: against the default where
# what it needs beside it is ruled out without it.
for stage in stage[0-9]*_*; do
  tools/toggles.sh list "$stage" >"$made/toggles"
  while read -r name default values; do
    for value in $values; do
      [ "$value" != "$default" ] || continue
      also=$(beside "$stage" "$name=$value" </dev/null) ||
        { ok 1 "$stage: $name=$value is allowed beside something"; continue; }
      # shellcheck disable=SC2086 # settings are words
      set -- $also
      base=$*
      tools/toggles.sh allowed "$stage" "$@" 2>/dev/null || base=''
      # shellcheck disable=SC2086
      compile cubin "$made/base" "$stage" $base &&
        compile cubin "$made/other" "$stage" "$name=$value" "$@" &&
        ! cmp -s "$made/base" "$made/other"
      ok $? "$stage: $name=$value${also:+ beside $also} is other machine code" \
        "$log"
    done
  done <"$made/toggles"
done

# What the chapters say of the instructions.
disassembler=$(tools/disassembler.sh)
sed 's/[[:space:]]*#.*//; /^$/d' tests/machine-code/expected.list >"$made/list"
[ -s "$made/list" ]
ok $? "there are claims in expected.list"
while read -r stage arm code opcode sign wanted; do
  name="$stage $arm: $opcode $sign $wanted in $code"
  if [ "$code" != ptx ] && [ -z "$disassembler" ]; then
    skip "$name" "no nvdisasm; make setup"
    continue
  fi
  kind=$code
  [ "$code" = ptx ] || kind=cubin
  file=$made/$stage.$arm.$kind
  settings=
  [ "$arm" = default ] || settings=$(echo "$arm" | tr .- ' =')
  # shellcheck disable=SC2086 # settings are words
  [ -e "$file" ] || compile $kind "$file" "$stage" $settings
  verb=count
  [ "$code" != loop ] || verb=loop
  count=$(tools/evidence.sh $verb "$file" "$opcode" 2>"$log") &&
    case $sign in
    '=') [ "$count" -eq "$wanted" ] ;;
    '>') [ "$count" -gt "$wanted" ] ;;
    *) false ;;
    esac
  code=$?
  echo "counted: $count" >>"$log"
  ok $code "$name" "$log"
done <"$made/list"
! compile ptx "$made/ptx" stage1_cp_async LOAD_BYTES=1 &&
  grep -q 'it needs LOAD_BYTES=16' "$log"
ok $? "cp.async of single bytes is refused in one sentence"
finish
