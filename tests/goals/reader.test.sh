#!/bin/sh
# The goals as a reader types them, in a copy of the tree: what they print, the
# sentence for each wrong input, and what they leave behind.
# takes: 25 s
set -u
. tests/lib.sh
copy=$(mktemp -d)
log=$(mktemp)
trap 'rm -rf "$copy" "$log"' EXIT
enter_copy "$copy"

ends "make alone lists the goals" 0 "make stage1 bench" make
ends "make stage1 builds" 0 "built build/cpu/stage1_cp_async" \
  make stage1 TARGET=cpu
ends "stage1 bench, two goals in one command" 0 "no timings" \
  make stage1 bench TARGET=cpu SHAPES=small
ends "bench leaves a result" 0 '"kernel_hash"' \
  cat results/cpu-executor/*/stage1_cp_async.count.json
ends "stages and a verb under -j" 0 "stage0_scalar on CPU executor" \
  make -j stage0 stage1 check TARGET=cpu SHAPES=small SEEDS="0 1"
ends "a toggle" 0 "USE_CP_ASYNC=0 LOAD_BYTES=16" \
  make stage1 check TARGET=cpu USE_CP_ASYNC=0 SHAPES=small
ends "two toggles and DEBUG_PRINT" 0 "keys from 0: m" \
  make stage1 check TARGET=cpu DEBUG_PRINT=1 SHAPES=small SEEDS=0
ends "the difference between stages" 0 "wmma::mma_sync" make diff-stage1
ends "the first stage has none" 2 "first stage" make diff-stage0
ends "a full folder name" 0 "built" make stage0_scalar TARGET=cpu

ends "unknown stage" 2 "There is no stage9; the stages here:" make stage9
ends "unknown verb" 2 "There is no goal 'bnech'" make stage1 bnech
ends "unknown toggle" 2 "stage1_cp_async has no toggle 'USE_CPASYNC'; it has:" \
  make stage1 bench USE_CPASYNC=0
ends "toggle of another stage" 2 "stage0_scalar has no toggle 'USE_CP_ASYNC'" \
  make stage0 check USE_CP_ASYNC=0
ends "toggle value" 2 "USE_CP_ASYNC of stage1_cp_async cannot be '2'" \
  make stage1 check USE_CP_ASYNC=2
ends "a toggle in the environment" 2 "The environment sets USE_CP_ASYNC, which" \
  env USE_CP_ASYNC=0 make stage1 check
ends "target" 2 "TARGET is gpu or cpu" make stage1 check TARGET=tpu

program=build/cpu/stage1_cp_async/default/program
for case in "missoin:is no shape" "1,8,512:is no shape" "0,8,512,64:at least 1" \
  "1,8,-4,64:at least 1" "1,8,2147483648,64:too large" \
  "65535,65535,2147483647,64:elements" "1,8,abc,64:is no shape" \
  "1,70000,64,64:65535"; do
  ends "shape ${case%%:*}" 2 "${case#*:}" $program check --shape "${case%%:*}"
done
ends "shape 1,8,64,128, which the stage does not take" 3 "takes D = 64" \
  $program check --shape 1,8,64,128
ends "too much memory" 3 "GiB" $program check --shape 64,64,1048576,64
ends "seeds" 2 "A seed must be" $program check --seeds 0,x
ends "iters" 2 "--iters must be" $program bench --iters 3
ends "distribution" 2 "There is no distribution 'uniform'" \
  $program check --distribution uniform
ends "verb of the program" 2 "There is no verb 'benhc'" $program benhc
ends "target of the program" 3 "built for the cpu" $program check --target gpu
ends "bench without a GPU" 3 "predicts no GPU's time" $program bench
ends "count without instrumentation" 3 "without instrumentation" $program count
ends "help" 0 "Exit status: 0 pass" $program --help

counter=build/instrumented/stage0_scalar/default/program
ends "results folder cannot be made" 3 "Cannot write /proc/x" \
  $counter count --shape small --json /proc/x
# A file may grow to 1 KiB only: as on a full disk, writing fails half-way.
mkdir full
echo old >full/stage0_scalar.count.json
ends "disk full" 3 "Cannot write full/stage0_scalar.count.json" bash -c \
  "trap '' XFSZ; (ulimit -f 1; exec $counter count --shape small --json full) \
    2>&1 | cat; exit \${PIPESTATUS[0]}"
[ "$(cat full/*.json)" = old ] && [ "$(ls -A full)" = stage0_scalar.count.json ]
ok $? "the old result is whole, and nothing lies beside it"

rm -rf results # the recorded runs, which compare would find
mkdir -p results/a/2026-01-01
result=results/a/2026-01-01/stage1_cp_async.json
make_results() {
  printf '{"build_meta": {"schema_version": %s, "stage": "%s", "arm": "x",
    "compiler": "c", "device": {"name": "%s", "driver": "1"}},
    "correctness": {"all_passed": true},
    "perf": {"small": {"event": {"p50_us": %s, "noise_us": 0.5}}}}' \
    "$1" "$2" "$3" "$4"
}
make_results 1 stage0_scalar A 20.0 >results/a/2026-01-01/stage0_scalar.json
make_results 1 stage1_cp_async A 10.0 >$result
ends "compare" 0 "50.0 %     2.00x" make stage0 stage1 compare
make_results 1 stage1_cp_async A 20.4 >$result
ends "compare within the noise" 0 "no difference" make stage0 stage1 compare
make_results 1 stage1_cp_async B 10.0 >$result
ends "compare two devices" 2 "do not compare: name" make stage0 stage1 compare
make_results 9 stage1_cp_async A 10.0 >$result
ends "another schema version" 2 "schema version 9" make stage0 stage1 compare
make_results 1 stage1_cp_async A 10.0 | head -c 60 >$result
ends "a truncated result" 2 "not valid JSON: line" make stage0 stage1 compare
echo hello >$result
ends "not JSON" 2 "not valid JSON: line 1" make stage0 stage1 compare
ends "compare one stage" 2 "needs two stages" make stage1 compare
rm -r results/a

if nvidia-smi -L >/dev/null 2>&1; then
  skip "TARGET=gpu without a GPU" "there is a GPU here"
else
  ends "TARGET=gpu without a GPU" 2 "No NVIDIA" make stage0 check TARGET=gpu
fi
rm -f .deps # a link to the toolkit that setup installed
ends "no headers" 2 "make setup" env CUDA_HOME=/none PATH=/usr/bin:/bin \
  make stage0 TARGET=cpu CUDA_HOME=/none
empty=$(mktemp -d)
for tool in sh env make find sort sed awk grep tr cut dirname basename cat head \
  mkdir rm mv cp flock true date uname test bash ls wc; do
  ln -s "$(command -v $tool)" "$empty/$tool" 2>/dev/null
done
ends "no pandoc" 2 "pandoc" env PATH="$empty" make book
rm -r "$empty"

# Two makes at once in one tree: the second waits for the first.
rm -rf build/cpu/stage0_scalar
make stage0 TARGET=cpu >"$log.1" 2>&1 &
make stage0 TARGET=cpu >"$log.2" 2>&1
first=$?
wait $! && [ $first -eq 0 ]
ok $? "two makes at once" "$log.2"
rm -f "$log.1" "$log.2"

# In a tree where nothing is built: what would be done, and that it is not.
copy_sources fresh
look() { (cd fresh && "$@"); }
ends "make -n in a fresh tree" 0 "run-verbs.sh 'check' 'cpu' 'stage1_cp_async/" \
  look make -n stage1 check TARGET=cpu
! grep -qE 'Error|Waiting' "$log"
ok $? "  without a word of errors or locks" "$log"
ends "make -n with a toggle" 0 "'stage1_cp_async/USE_CP_ASYNC-0'" \
  look make -n stage1 check TARGET=cpu USE_CP_ASYNC=0
ends "make -n of no goal" 0 "tools/make/help.sh" look make -n
look make -q stage1 >"$log" 2>&1
[ $? -eq 1 ] && [ ! -s "$log" ]
ok $? "make -q in a fresh tree: exit 1, without a word" "$log"
[ ! -e fresh/build/cpu ] && [ ! -e fresh/build/.lock ]
ok $? "neither builds or locks anything" "$log"

# A tree that was built before its files moved.
echo 'build/tools/compare: tools/compare.c' >build/tools/compare.d
: >build/cpu/harness/results.o
ends "what was built before files moved is built anew" 0 "is built anew" \
  make build/tools/compare
[ ! -e build/cpu/harness/results.o ] && [ -x build/tools/compare ]
ok $? "  all of it" "$log"
make build/tools/compare >"$log" 2>&1 && ! grep -q 'built anew' "$log"
ok $? "  and once" "$log"

# One digit of a scale makes check fail.
sed 's|args.k_scale\[head\] \* args.softmax_scale;|& // |
  s|args.q_scale\[head\] \* args.k_scale|1.01f * &|' stage0_scalar/kernel.cu >k
! cmp -s k stage0_scalar/kernel.cu && mv k stage0_scalar/kernel.cu
ends "a scale that is one percent off fails check" 2 "rel_rms" \
  make stage0 check TARGET=cpu SHAPES=small
finish
