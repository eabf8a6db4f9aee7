#!/bin/sh
# Two results beside each other: what compares, the gate, the page.
set -u
. tests/lib.sh
here=$PWD
folder=$(mktemp -d)
log=$(mktemp)
trap 'rm -rf "$folder" "$log"' EXIT

# result FILE [KEY=VALUE...]: a recorded result with these differences
result() (
  file=$1 name=A driver=1 compiler=c flags='nvcc -O3 -DX=1' dims='[1,8,512,64]'
  flush=false passed=true us=20.0 noise=0.5 shape=mission stage=stage0_one
  arm=default long=100.0 method=graph
  shift
  for change in "$@"; do eval "${change%%=*}=\${change#*=}"; done
  cat >"$file" <<END
{"build_meta": {"schema_version": 1, "stage": "$stage", "arm": "$arm",
  "compiler": "$compiler", "flags": "$flags", "run": "1",
  "device": {"name": "$name", "driver": "$driver", "runtime": "13.0"}},
 "perf": {
  "$shape": {"shape": $dims, "flush_l2": $flush,
   "event": {"p50_us": 20.0, "noise_us": 0.5},
   "$method": {"p50_us": $us, "noise_us": $noise}},
  "long": {"shape": [1,8,2048,64], "flush_l2": $flush,
   "event": {"p50_us": $long, "noise_us": 0.5}, "graph": null}},
 "correctness": {"all_passed": $passed}}
END
)
base=$folder/base.json candidate=$folder/candidate.json

# says NAME EXIT-CODE TEXT OPTIONS [KEY=VALUE...]: of the candidate so changed
says() {
  name=$1 wanted=$2 text=$3 options=$4
  shift 4
  result "$candidate" "$@"
  # shellcheck disable=SC2086 # several options
  build/tools/compare $options "$base" "$candidate" >"$log" 2>&1
  code=$?
  [ $code -eq "$wanted" ] && grep -qF -- "$text" "$log"
  ok $? "$name" "$log"
}
result "$base"
says "twenty to ten" 0 "50.0 %     2.00x" "" us=10.0
says "within the noise of one" 0 "no difference" "" us=19.6
says "within the noise of the other" 0 "graph       20.00      19.00     1.50   \
no difference" "" us=19.0 noise=1.5
says "beyond the noise" 0 "5.0 %" "" us=19.0
says "another device" 2 "name is 'A' in one and 'B'" "" name=B
says "another driver" 2 "driver is '1' in one and '2'" "" driver=2
says "another compiler" 2 "compiler is 'c' in one and 'd'" "" compiler=d
says "other flags" 2 "flags is" "" "flags=nvcc -O2 -DX=1"
says "another toggle is what an arm is" 0 "no difference" "" \
  "flags=nvcc -DX=0 -O3"
says "another shape of that name" 2 "shape of mission is '[1,8,512,64]'" "" \
  "dims=[1,8,512,128]"
masked='[1,8,512,64], "causal": true'
says "a mask in one of them" 2 "causal of mission is 'absent' in one and 'true'" \
  "" "dims=$masked"
says "other K/V heads" 2 "kv_heads of mission is 'absent' in one and '2'" "" \
  'dims=[1,8,512,64], "kv_heads": 2'
result "$base" "dims=$masked"
says "a mask in both" 0 "no difference" "" "dims=$masked"
result "$base"
says "one cold, one warm" 2 "flush_l2 of mission" "" flush=true
says "a wrong kernel" 2 "stage0_one default has no passed gates" "" passed=false
says "a shape in one only" 0 "small: timed in the candidate only" "" shape=small
says "no graph in one" 0 "event       20.00      20.00" "" method=none

says "gate met" 0 "10.00 % at mission (graph), 10.00 % wanted: met" --gate=10 \
  us=18.0
says "gate missed" 1 "9.50 % at mission (graph), 10.00 % wanted: missed" \
  --gate=10 us=18.1
says "a saving within the noise is none" 1 "0.00 % at mission" --gate=1 us=19.6
says "gate by events where there is no graph" 1 "at mission (event)" --gate=1 \
  method=none
says "gate met, slower elsewhere" 1 "regression: 1 row above is slower" \
  --gate=10 us=10 long=100.6
says "slower within the noise is no regression" 0 "met" --gate=10 us=10 \
  long=100.4
says "without a gate a regression is only shown" 0 "-10.0 %" "" us=22
says "a gate without mission" 2 "not timed in both" --gate=10 shape=small
says "no number" 2 "A gate is a percentage" --gate=ten
says "a page says why there is no table" 0 "do not compare: name" --markdown \
  name=B
says "a page takes no wrong kernel" 2 "no passed gates" --markdown passed=false

# The page: neighbours by number, arms under their default, cold with cold.
place=$folder/results/device/2026-01-02
mkdir -p "$place" "$folder/results/device/2026-01-01"
for name in stage0_one stage1_two stage10_ten stage1_two.X-0 stage1_two.cold \
  stage1_two.X-0.cold stage2_lost.X-0; do
  result "$place/$name.json" "stage=$name"
done
result "$folder/results/device/2026-01-01/stage0_one.json"
echo '{}' >"$place/stage0_one.count.json"
echo '{}' >"$place/stage1_two.ncu.json"
build/tools/compare --page="$folder/results" >"$log" 2>&1
ok $? "the page is written" "$log"
page=$folder/results/COMPARE.md
grep '^##' "$page" >"$log"
cat >"$folder/wanted" <<'END'
## device/2026-01-02
### stage1_two against stage0_one
### stage1_two against stage1_two X=0
### stage1_two, cold against stage1_two X=0, cold
### stage10_ten against stage1_two
END
diff "$folder/wanted" "$log" >"$log.diff"
ok $? "it has each pair of neighbours once" "$log.diff"
cp "$page" "$folder/first"
build/tools/compare --page="$folder/results" >"$log" 2>&1
cmp -s "$folder/first" "$page"
ok $? "a second time it is the same"
echo '{' >"$place/stage0_one.json"
! build/tools/compare --page="$folder/results" >"$log" 2>&1 &&
  cmp -s "$folder/first" "$page" && [ ! -e "$page.new" ]
ok $? "a file that is not JSON leaves the old page as it was" "$log"
rm -r "$place"
! build/tools/compare --page="$folder/results" >"$log" 2>&1 && grep -q bench "$log"
ok $? "nothing recorded is an error that says what to do" "$log"
rm -f "$log.diff"

# What a reader types.
enter_copy "$folder/tree"
place=results/nvidia-h200/2026-11-21/stage1
make stage1 compare JSON=$place AGAINST="stage0 USE_CP_ASYNC=0" >"$log" 2>&1
ok $? "one stage against another and against its own arm" "$log"
[ "$(grep -c '^base .*\(stage0_scalar default\|USE_CP_ASYNC-0\),' "$log")" = 2 ]
ok $? "the other is the base" "$log"
! make stage1 compare JSON=$place AGAINST=USE_CP_ASYNC=0 GATE=10 >"$log" 2>&1 &&
  grep -q 'missed' "$log"
ok $? "GATE=10" "$log"
make compare >"$log" 2>&1 && cmp "$here/results/COMPARE.md" results/COMPARE.md
ok $? "results/COMPARE.md is what the results say" "$log"
finish
