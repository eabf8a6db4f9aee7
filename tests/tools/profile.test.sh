#!/bin/sh
# The decision rules on profiles with known answers, the newest recorded one,
# and the recorder with a stand-in for the profiler.
set -u
. tests/lib.sh
folder=$(mktemp -d)
log=$(mktemp)
trap 'rm -rf "$folder" "$log"' EXIT

# profile FILE SHAPE COUNTERS
profile() {
  printf '{"build_meta": {"schema_version": 1, "stage": "stage1_cp_async",
    "arm": "default", "kernel_hash": "%s", "profiler": "p"},
    "ncu": {"%s": {%s}}}' "${HASH:-0}" "$2" "$3" >"$1"
}
# says NAME TEXT COUNTERS
says() {
  profile "$folder/p.json" "${4:-mission}" "$3"
  build/tools/profile show "$folder/p.json" >"$log" 2>&1 && grep -qF -- "$2" "$log"
  ok $? "$1" "$log"
}
# of TENSOR DRAM SHARED
of() {
  printf '"tensor_pipe_pct": %s, "dram_pct": %s, "shared_pipe_pct": %s' "$@"
}
verdict() {
  says "tensor $2 %, DRAM $3 %, shared $4 %: $1" "verdict: $1" \
    "$(of "$2" "$3" "$4")"
  [ "$(sed -n 's/.*verdict: //p' "$log")" = "$1" ]
  ok $? "  and nothing else" "$log"
}
verdict compute-bound 50 49.9 70
verdict latency-bound 49.9 50 70
verdict memory-bound 10 70.1 10
verdict latency-bound 60 60 10
verdict memory-bound 60 90 10
verdict shared-memory-bound 10 10 70.1
verdict "compute-bound shared-memory-bound" 50 10 80
says "a rule that holds, though not all is recorded" \
  "verdict: shared-memory-bound as far as recorded" '"shared_pipe_pct": 84'
says "no verdict on a third of the figures" "verdict: none" \
  '"shared_pipe_pct": 12, "tensor_pipe_pct": 1'
says "the three longest waits, longest first" "2.00 for a barrier," \
  '"stall_wait": 1, "stall_barrier": 2, "stall_math": 0.5, "stall_lg": 0.1'
[ "$(sed -n 's/,$//; s/.* for //p' "$log" | paste -s -d ,)" = \
  "a barrier,a fixed delay,a busy pipe" ]
ok $? "three different ones, and no more" "$log"

# 4 x 1 x 8 x 512 x 512 x 64 operations in 1 us; 65536 HMMAs of 4096 each, with
# the pipe half busy; DRAM 100 bytes a cycle at 1 GHz.
counters='"duration_ns": 1000, "tensor_instructions": 65536,
  "tensor_pipe_pct": 50, "dram_read_bytes": 30000, "dram_write_bytes": 20000,
  "dram_bytes_per_cycle_peak": 100, "dram_hz": 1e9, "l2_sectors": 1000,
  "l2_sectors_per_cycle_peak": 10, "l2_hz": 1e9'
says "useful operations of a named shape" "536.87 TFLOP/s" "$counters"
says "tensor rate and what a busy pipe would reach" \
  "268.44 TFLOP/s of 536.9" "$counters"
says "DRAM rate and ceiling" "50.00 GB/s of 100.0" "$counters"
says "L2 rate and ceiling" "32.00 GB/s of 320.0" "$counters"
says "operations a byte" "10737.4 FLOP a DRAM byte" "$counters"
says "useful operations of a shape in numbers" "268.44 TFLOP/s" "$counters" \
  1,4,512,64
says "a causal mask leaves half" "134.22 TFLOP/s" "$counters" \
  1,4:2,512,64,causal
says "the other figures of what is no shape" "50.00 GB/s" "$counters" 1,4:3,512,64
! grep -q useful "$log"
ok $? "  without useful operations" "$log"
profile "$folder/p.json" 1,4,512,64 "$counters"
build/tools/profile roofline "$folder/p.json" >"$log" 2>&1 &&
  grep -q '"useful_flops": 268435456' "$log" &&
  grep -q '"dram_ceiling_gb_s": 100' "$log" && ! grep -q nan "$log"
ok $? "the same as JSON" "$log"

enter_copy "$folder/tree"
rm -rf results
make stage1 profile TARGET=cpu >"$log" 2>&1
[ $? -eq 2 ] && grep -q 'no profile of stage1_cp_async' "$log" &&
  grep -q 'Error 3' "$log"
ok $? "nothing recorded: exit 3" "$log"
mkdir -p results/a/2026-01-01 results/a/2026-01-02 results/b/2025-12-31
name=stage1_cp_async.ncu.json
HASH=$(tools/results/kernel-hash.sh stage1_cp_async) # of profile, from here on
profile results/a/2026-01-02/$name mission "$(of 60 10 10)"
profile results/a/2026-01-01/$name mission "$(of 10 90 10)"
profile results/b/2025-12-31/$name mission "$(of 10 90 10)"
make stage1 profile TARGET=cpu >"$log" 2>&1 && grep -q 'No GPU was used' "$log" &&
  grep -q 'verdict: compute-bound' "$log" && ! grep -q 'has changed' "$log"
ok $? "without a GPU, the newest recorded profile" "$log"
make stage1 profile TARGET=cpu USE_KV_LUT=1 >"$log" 2>&1
[ $? -eq 2 ] && grep -q 'USE_KV_LUT-1 is recorded' "$log"
ok $? "the arm's own, not another's" "$log"
HASH=1 profile results/a/2026-01-02/$name mission "$(of 60 10 10)"
make stage1 profile TARGET=cpu >"$log" 2>&1 && grep -q 'has changed' "$log"
ok $? "a kernel that changed since is told" "$log"

# A stand-in for ncu: knows all metrics but those in UNKNOWN, counts 10 of each.
mkdir -p bin build/gpu/stage1_cp_async/default
cat >bin/ncu <<'END'
#!/bin/sh
[ "$1" != --version ] || { echo "Version 1"; exit; }
echo "==PROF== Connected"
[ -z "${FORBIDDEN:-}" ] || { echo "==ERROR== ERR_NVGPUCTRPERM"; exit 1; }
while [ "$1" != --metrics ]; do shift; done
for metric in $(echo "$2" | tr , ' '); do
  case " ${UNKNOWN:-} " in *" $metric "*)
    echo "==ERROR== Failed to find metric $metric"; exit 9 ;; esac
done
[ -z "${NOTHING:-}" ] || exit 0
for metric in $(echo "$2" | tr , ' '); do
  value=1,000
  [ "$metric" != launch__waves_per_multiprocessor ] || value=n/a
  printf '"0","1","attention_kernel","%s","unit","%s"\n' "$metric" "$value"
done
END
cat >build/gpu/stage1_cp_async/default/program <<'END'
#!/bin/sh
printf 'stage1 X=1 on GPU Z, compute capability 9.0\nkernel hash  abc\n'
END
chmod +x bin/ncu build/gpu/stage1_cp_async/default/program
record() {
  PATH=$PWD/bin:$PATH build/tools/profile record stage1_cp_async/default out "$@" \
    >"$log" 2>&1
}
record mission 1,4,512,64
ok $? "a profile is recorded and read" "$log"
file=out/$name
grep -q '"verdict": "memory-bound shared-memory-bound"' $file &&
  grep -q '"name": "GPU Z"' $file && grep -q '"stall_misc": 1000' $file &&
  ! grep -q 'n/a' $file && build/tools/profile show $file >"$log" &&
  grep -q '^1,4,512,64:' "$log"
ok $? "with the device, each metric as a number, and the roofline" $file
[ "$(grep -c '"stall_' $file)" -eq $((2 * $(grep -c '^stall_' \
  tools/profile/metrics.list))) ]
ok $? "every stall reason at both shapes" $file
optional=$(sed -n 's/^dram_pct ?//p' tools/profile/metrics.list)
UNKNOWN=$optional record mission && grep -q "does not know it: $optional" \
  "$log" && ! grep -q '"dram_pct"' $file && grep -q as.far.as.recorded $file
ok $? "an unknown metric that may be missing is left out and told" "$log"
cp $file old.json
! UNKNOWN=gpu__time_duration.sum record mission && cmp -s old.json $file
ok $? "another unknown metric is an error, and the old profile stays" "$log"
! NOTHING=1 record mission && grep -q 'counted nothing' "$log"
ok $? "a profiler that saw no kernel" "$log"
! FORBIDDEN=1 record mission && grep -q administrator "$log" &&
  [ "$(ls -A out)" = $name ]
ok $? "not permitted: what to ask, and nothing left behind" "$log"
finish
