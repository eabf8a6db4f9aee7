#!/bin/sh
# Sums of tensor cores: two builds of the executor leave the same bits, a build
# with a rule changed does not, and a recorded sample is held against them.
# takes: 60 s
set -u
. tests/lib.sh
copy=$(mktemp -d) log=$(mktemp)
trap 'rm -rf "$copy" "$log"' EXIT
has_gpu=false
if [ -x build/tests/arithmetic/run-gpu ] && nvidia-smi -L >/dev/null 2>&1; then
  has_gpu=true
fi
enter_copy "$copy"
programs=build/tests/arithmetic rules=common/simt/tensor/multiply.c
sample=tests/arithmetic/sample.txt

# run FILE: builds the executor as its sources are now
run() {
  make TARGET=cpu $programs/run $programs/compare >"$log" 2>&1 &&
    $programs/run "$1" >>"$log" 2>&1
}

# planted NAME SOURCE OLD NEW: a rule is changed, and that is noticed
planted() {
  cp "$2" kept
  sed -i "s/$3/$4/" "$2"
  ! cmp -s kept "$2" && run changed
  ok $? "$1: built and run" "$log"
  ends "  and noticed" 1 "output " $programs/compare first changed
  cp kept "$2"
}

if $has_gpu; then
  ends "the GPU of this machine leaves the same bits" 0 "bit by bit" \
    make arithmetic
else
  skip "the GPU of this machine leaves the same bits" \
    "there is none of compute capability 9.0"
fi
if [ -f $sample ]; then
  ends "the executor leaves the bits of the sample" 0 "bit by bit" \
    make arithmetic TARGET=cpu
else
  ends "without a sample, a sentence says so" 2 "no sample" \
    make arithmetic TARGET=cpu
fi

run first
ok $? "the executor runs all inputs" "$log"
ends "  over a million" 0 "All 1310720 are the same" \
  $programs/compare first first json
grep -q '"chain": 0' json/arithmetic.json
ok $? "  and a result says so" json/arithmetic.json

sed -i 's/__builtin_cpu_supports("avx2")/0/' $rules
run plain
ok $? "a build without AVX2" "$log"
ends "  leaves the same bits" 0 "bit by bit" $programs/compare first plain
cp "$OLDPWD/$rules" $rules

planted "wgmma keeps one bit less of an addend" $rules \
  '0x1p-6f, 13' '0x1p-6f, 12'
planted "wgmma keeps one bit more of a sum" $rules '13, 14' '13, 15'
planted "subnormal codes have smaller exponents" $rules 0x1p-6f 0x1p-7f
planted "mma keeps one bit less of an addend" $rules '25, 24' '24, 24'
planted "mma keeps one bit less of a sum" $rules '25, 24' '25, 23'
planted "subnormal halves have smaller exponents" $rules 0x1p-14f 0x1p-15f
planted "zeros have labels" $rules 'finite & (x != 0)' 'finite'
planted "mma of codes begins with the last two of four" \
  common/simt/tensor/matrix.c 'upper = i \/ 2 % 2' 'upper = 1 - i \/ 2 % 2'
planted "NaNs differ" common/simt/tensor/multiply.h 0x7fffffff 0x7fc00000

# make itself says 2 of whatever failed.
$programs/compare --record first >$sample
make TARGET=cpu $programs/run >"$log" 2>&1
ends "a sample that is recorded passes" 0 "bit by bit" \
  make arithmetic TARGET=cpu JSON=json
sed -i '7s/ [^ ]*$//' $sample
ends "a sample that lacks a number is refused" 2 "record it again" \
  make arithmetic TARGET=cpu
$programs/compare --record first |
  awk 'NR == 7 { $NF = $NF == "00000000" ? "00000001" : "00000000" } 1' >$sample
ends "a sample of other bits fails" 2 "some" make arithmetic TARGET=cpu
grep -q '^wgmma_tiles, c_zero, output 3: there' "$log"
ok $? "  and the output is named" "$log"
finish
