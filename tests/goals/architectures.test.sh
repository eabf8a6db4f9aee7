#!/bin/sh
# A stage that names architectures is built for those, and for others refused in
# one sentence, or left out where all stages are asked for.
set -u
. tests/lib.sh
copy=$(mktemp -d)
log=$(mktemp)
trap 'rm -rf "$copy" "$log"' EXIT
enter_copy "$copy"
rm -rf stage*
for line in "stage1_all:" "stage2_one:// architectures: 90a" \
  "stage3_two:// architectures: 90a 120"; do
  mkdir "${line%%:*}"
  printf '%s\n// stage_support\n' "${line#*:}" >"${line%%:*}/kernel.cu"
  echo 'int main(void) { return 0; }' >"${line%%:*}/driver.c"
done

# refused NAME STAGE COMMAND...: in a sentence, exit 3, and no kernel is built
refused() {
  name=$1 stage=$2 needs=$3
  shift 3
  ends "$name" 2 "$stage needs compute capability $needs; this build is for" "$@"
  grep -q 'Error 3' "$log" && ! grep -q "building build/gpu" "$log"
  ok $? "  exit 3, before any kernel is built" "$log"
}
for stage in stage2 stage2_one; do
  for verb in '' check bench profile tune peers; do
    # shellcheck disable=SC2086 # no verb is no word
    refused "$stage $verb for another GPU" stage2_one "9.0 (ARCH=90a)" \
      make $stage $verb TARGET=gpu ARCH=80
  done
done
refused "two architectures" stage3_two "9.0 or 12.0 (ARCH=90a or 120)" \
  make stage3 bench TARGET=gpu ARCH=80
refused "ARCH=90 is not 90a" stage2_one "9.0 (ARCH=90a)" \
  make stage2 check TARGET=gpu ARCH=90
refused "machine code" stage2_one "9.0 (ARCH=90a)" \
  make build/gpu/stage2_one/default/sm_89.cubin

refused "to be timed beside another" stage2_one "9.0 (ARCH=90a)" \
  make stage1 bench AGAINST=stage2 TARGET=gpu ARCH=80

# What make would do: these kernels are empty.
for verb in check bench profile tune peers; do
  ends "all stages $verb" 0 "stage2_one is left out: it needs compute" \
    make -n $verb TARGET=gpu ARCH=120
  grep -q 'run-verbs.*stage1_all.*stage3_two' "$log" &&
    ! grep -q 'build/gpu/stage2\|stage3_two is left out' "$log"
  ok $? "  and the others do it" "$log"
done
for verb in "bench TARGET=cpu ARCH=80" "count TARGET=gpu ARCH=80" \
  "bench TARGET=gpu ARCH=90a"; do
  # shellcheck disable=SC2086 # words
  ends "all stages $verb" 0 "stage2_one/default stage3_two/default" \
    make -n $verb
  ! grep -q 'is left out' "$log"
  ok $? "  has none left out" "$log"
done
make -n resources ARCH=80 >"$log" 2>&1
for file in stage1_all:80 stage1_all:120 stage2_one:90a stage3_two:120; do
  grep -q "cubin.*build/gpu/${file%:*}/default/sm_${file#*:}.cubin" "$log"
  ok $? "resources has $file"
done
! grep -q 'gpu/stage2_one/default/sm_[^9]\|stage3_two/default/sm_[^91]' "$log"
ok $? "  and no machine code for others" "$log"
finish
