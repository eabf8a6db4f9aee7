#!/bin/sh
# Masks, shared K/V heads and D = 128 from the command line to the verdict, with
# a kernel that takes them, and with that kernel broken.
# takes: 40 s
set -u
. tests/lib.sh
copy=$(mktemp -d)
log=$(mktemp)
trap 'rm -rf "$copy" "$log"' EXIT
enter_copy "$copy"
mkdir stage9_variants
cp tests/variants/kernel.cu tests/variants/driver.c stage9_variants

check() {
  make stage9 check TARGET=cpu SEEDS=0 "$@"
}

ends "all that is checked by default" 0 "1,4:2,333,64,causal" check
variants=$(grep -cE '^[0-9,:]+(,128|,causal) +6 .*passed$|^2,4:2.*passed$' "$log")
[ "$variants" -eq 8 ] && grep -q '^mission  .*passed$' "$log"
ok $? "  with every variant and the plain shapes" "$log"
ends "stages 0 to 5 have their plain shapes alone" 0 "2,3,513,64" \
  make stage1 check TARGET=cpu SEEDS=0 DISTRIBUTIONS=normal
! grep -qE 'causal|:|,128 ' "$log"
ok $? "  and no other" "$log"
ends "shapes by hand" 0 "1,6:2,70,128,causal     1 " check \
  SHAPES="small 1,6:2,70,128,causal" DISTRIBUTIONS=normal
ends "counters are named as typed" 0 "1,2:1,40,64,causal" \
  make stage9 count TARGET=cpu SHAPES=1,2:1,40,64,causal JSON=out
grep -q '"1,2:1,40,64,causal"' out/stage9_variants.count.json
ok $? "  in the result too" "$log"
ends "race, by default" 0 "1,4:2,97,64,causal: 0 findings" \
  make stage9 race TARGET=cpu

program=build/cpu/stage9_variants/default/program
for case in "2 2,8:3,64,64:a multiple of its 3" "2 2,8:0,64,64:at least 1" \
  "2 1,1,2147483648,64,causal:too large" "2 1,1,64,64,causal,:is no shape" \
  "3 1,1,64,96:D = 64 or 128, not 96" "2 9999,9999,2147483647,128:elements"; do
  shape=${case%:*}
  ends "shape ${shape#* }" "${case%% *}" "${case##*:}" \
    $program check --shape "${shape#* }"
  [ "$(wc -l <"$log")" -eq 1 ]
  ok $? "  in one sentence" "$log"
done
make check TARGET=cpu SHAPES=1,2:1,33,64,causal >"$log" 2>&1
[ "$(grep -c '^stage[0-5].* takes no causal mask, which shape 1' "$log")" -eq 6 ] &&
  grep -q '^1,2:1,33,64,causal .*passed$' "$log"
ok $? "of all stages, those that cannot say so" "$log"

# break_it NAME SED-SCRIPT SHAPE [GATE]: with this change the check fails.
break_it() {
  sed "$2" tests/variants/kernel.cu >stage9_variants/kernel.cu
  ! cmp -s tests/variants/kernel.cu stage9_variants/kernel.cu
  ok $? "$1: it changes the kernel"
  ends "$1: the gates see it" 2 "$4" check SHAPES="$3" DISTRIBUTIONS=normal
}
break_it "a mask one key too wide" \
  's/row + 1 : s/min(row + 2, s) : s/' 1,2,33,64,causal "rel_rms"
break_it "the diagonal masked" 's/row + 1 : s/row : s/' 1,2,33,64,causal "finite"
break_it "heads of a group apart" 's|blockIdx.y / group|blockIdx.y % a.kv_heads|' \
  1,4:2,33,64 "rel_rms"
break_it "V's scale of the head" 's/v_scale\[kv_head\]/v_scale[0]/' 1,4:2,33,128 \
  "rel_rms"
break_it "a mask on all shapes" 's/a.causal ?/true ?/' small "rel_rms"
break_it "a kernel that says nothing of masks" 's/TAKES_CAUSAL | //' \
  1,2,33,64,causal "This stage takes no causal mask"
break_it "a kernel that says nothing of shared heads" 's/ | TAKES_GROUPED//' \
  1,4:2,33,64 "This stage takes K and V of their own for every head"

# What was written before kernels said what they take.
break_it "a kernel that says nothing" '/stage_support/,/P_FP32/d' small \
  "stage9_variants/kernel.cu has no stage_support"
finish
