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

# compile KIND OUTPUT STAGE [-DNAME=VALUE...]
compile() {
  kind=$1 output=$2 stage=$3
  shift 3
  "$cuda/bin/nvcc" -std=c++17 -O3 -I. -gencode arch=compute_90a,code=sm_90a \
    "$@" "-$kind" -o "$output" "$stage/kernel.cu" >"$log" 2>&1
}

make resources >"$log" 2>&1
ok $? "every stage compiles for every architecture, within its budget" "$log"

for stage in stage[0-9]*_*; do
  compile cubin "$made/default" "$stage"
  tools/toggles.sh list "$stage" >"$made/toggles"
  while read -r name default values; do
    [ -n "$name" ] || continue
    for value in $values; do
      [ "$value" != "$default" ] || continue
      also=''
      # Only the arm that waits can load byte by byte.
      [ "$name" != LOAD_BYTES ] || also=-DUSE_CP_ASYNC=0
      compile cubin "$made/base" "$stage" ${also:+"$also"}
      compile cubin "$made/other" "$stage" "-D$name=$value" ${also:+"$also"} &&
        ! cmp -s "$made/base" "$made/other"
      ok $? "$stage: $name=$value is other machine code" "$log"
    done
  done <"$made/toggles"
done

# has STAGE INSTRUCTION [DEFINES]: the PTX of that arm contains it.
has() {
  stage=$1 instruction=$2
  shift 2
  compile ptx "$made/ptx" "$stage" "$@" && grep -q "$instruction" "$made/ptx"
}
has stage0_scalar 'ld.global.v4'
ok $? "stage 0 loads 16 bytes at a time"
! has stage0_scalar 'wmma'
ok $? "stage 0 has no tensor-core instruction"
has stage0_scalar 'st.global.u64'
ok $? "stage 0 stores 8 bytes at a time"
has stage1_cp_async 'wmma.mma.sync'
ok $? "stage 1 has tensor-core instructions"
has stage1_cp_async 'cp.async.cg.shared'
ok $? "stage 1 has cp.async"
! has stage1_cp_async 'cp.async' -DUSE_CP_ASYNC=0
ok $? "stage 1 with USE_CP_ASYNC=0 has none"
has stage1_cp_async 'ld.global.u8' -DUSE_CP_ASYNC=0 -DLOAD_BYTES=1
ok $? "stage 1 with LOAD_BYTES=1 loads bytes"
! compile ptx "$made/ptx" stage1_cp_async -DLOAD_BYTES=1 &&
  grep -q 'it needs LOAD_BYTES=16' "$log"
ok $? "cp.async of single bytes is refused in one sentence"
finish
