#!/bin/sh
# The lists of phases, the kernels with stamps on the executor, what is written
# about them, and what goes wrong.
# takes: 30 s
set -u
. tests/lib.sh
folder=$(mktemp -d)
log=$folder/log
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES LOCKED SHAPES JSON
stages=$(find tools/timeline -name 'stage*.phases' | sort |
  sed 's|.*/||; s|\.phases||')

# ---- the lists ----------------------------------------------------------------

[ "$(echo "$stages" | wc -l)" -eq 4 ]
ok $? "four stages have a list" "$log"
stamp=$PWD/build/tools/stamp
for stage in $stages; do
  "$stamp" "$stage" >"$folder/stamped.cu" 2>"$log" &&
    diff "$stage/kernel.cu" "$folder/stamped.cu" >"$folder/diff"
  sed -n 's/^> *//p' "$folder/diff" | grep -vE '^stamp\(PHASE_[A-Za-z_]+\);$' \
    >"$folder/others"
  printf '%s\n' '#include "tools/timeline/stamp/stamps.cuh"' \
    'namespace stamped {' 'stamp_writer stamp;' '}  // namespace stamped' |
    cmp -s - "$folder/others" && ! grep -q '^<' "$folder/diff" &&
    [ "$(grep -c 'stamp(PHASE_' "$folder/diff")" -ge 15 ]
  ok $? "$stage: only stamps are added" "$folder/diff"
done

mkdir -p "$folder/tree/tools"
cp -R tools/timeline "$folder/tree/tools"
list=$folder/tree/tools/timeline/stamp/stage2_wmma_pv.phases
kernel=$folder/tree/stage2_wmma_pv/kernel.cu

# The code alone, without comments, white space and empty directives.
code_of() {
  "${CXX:-g++}" -x c++ -fpreprocessed -dD -E -P -w "$1" | tr -d ' \t\n'
}
for stage in $stages; do
  mkdir -p "$folder/tree/$stage"
  "$stamp" "$stage" >"$folder/stamped.cu"
  sed -e '/"/!{ s|  //.*||; s|(|( |g; s|^  |      |; s|, |,  /* a */|; }' \
    -e 's|^//> .*|// another line above\n\n&\n  // and one below|' \
    "$stage/kernel.cu" >"$folder/tree/$stage/kernel.cu"
  (cd "$folder/tree" && "$stamp" "$stage") >"$folder/tree/stamped.cu" 2>"$log" &&
    ! cmp -s "$folder/tree/stamped.cu" "$folder/stamped.cu" &&
    [ "$(code_of "$folder/tree/stamped.cu")" = \
      "$(code_of "$folder/stamped.cu")" ]
  ok $? "$stage: other comments, lines and blanks move no stamp" "$log"
done
cp stage2_wmma_pv/kernel.cu "$kernel"

# refuses NAME TEXT: the copy's list does not fit, and the tool says so
refuses() {
  ! (cd "$folder/tree" && "$stamp" stage2_wmma_pv) \
    >/dev/null 2>"$log" && grep -qF -- "$2" "$log" &&
    [ "$(grep -c '^timeline: tools/timeline/stamp/stage2_wmma_pv.phases: ' \
      "$log")" -eq 1 ]
  ok $? "$1" "$log"
  cp tools/timeline/stamp/stage2_wmma_pv.phases "$list"
  cp stage2_wmma_pv/kernel.cu "$kernel"
}
sed '/^\/\/[<>] scores$/d' stage2_wmma_pv/kernel.cu >"$kernel"
refuses "a region that the kernel no longer has" "'wait_barrier before scores: \
__syncthreads': stage2_wmma_pv/kernel.cu has no region 'scores'."
sed '/^\/\/< scores$/d' stage2_wmma_pv/kernel.cu >"$kernel"
refuses "one that is not closed" 'opens region scores, which is never closed.'
{ cat stage2_wmma_pv/kernel.cu; echo '//> load-q'; } >"$kernel"
refuses "one that is there twice" 'opens region load-q a second time.'
sed -i 's/: sums factor/: sums factors/' "$list"
refuses "code that fits nowhere" "There is no 'sums factors' in region \
p-times-v of stage2_wmma_pv/kernel.cu."
sed -i 's/2nd __syncthreads/__syncthreads/' "$list"
refuses "code that fits twice" "'__syncthreads' is in 2 statements of region \
store-output of stage2_wmma_pv/kernel.cu: say which, as in '1st __syncthreads'."
sed -i 's/2nd __syncthreads/3rd __syncthreads/' "$list"
refuses "a third of two" "There is no 3rd '__syncthreads' in region \
store-output of stage2_wmma_pv/kernel.cu, only 2."
echo 'softmax around scores' >>"$list"
refuses "a rule that is none" \
  "'softmax around scores': It is not PHASE before|after PLACE."
sed -i '/^begin/d' "$list"
refuses "a list without a beginning" "one 'open' and one 'begin'"
"$stamp" stage1_cp_async 2>"$log"
[ $? -eq 2 ] && grep -q 'has no list' "$log"
ok $? "a stage without a list" "$log"

# ---- on the executor ----------------------------------------------------------

# Of each warp: events in turn B, E, in order, end to end, with a known name.
check_trace() {
  sed -n 's/,$//; s/.*"ph":"\([BE]\)".*"pid":\([0-9]*\),"tid":\([0-9]*\),"ts":\([0-9.-]*\).*/\1 \2.\3 \4/p' \
    "$1" | awk '
    { warp = $2; n[warp]++
      if ($1 != (n[warp] % 2 ? "B" : "E")) { print "unbalanced", $0; bad = 1 }
      if (n[warp] > 1 && $3 < last[warp]) { print "goes back", $0; bad = 1 }
      if ($1 == "B" && n[warp] > 1 && $3 != last[warp]) {
        print "a gap", $0; bad = 1 }
      last[warp] = $3 }
    END { for (w in n) { warps++; if (n[w] % 2) { print "open", w; bad = 1 } }
      exit bad || warps != wanted }' wanted="$2"
}
lua() { tools/setup/pandoc.sh lua "$@"; }
tools/setup/pandoc.sh 2>/dev/null && has_lua=yes || has_lua=
# is_json NAME FILE: by the book's strict reader
is_json() {
  if [ -z "$has_lua" ]; then
    skip "$1" "pandoc is not installed; make setup"
    return
  fi
  FILE=$2 lua -e 'package.path = "book/lib/?.lua"
    local f = io.open(os.getenv "FILE") local v, what, line = require("data.json").decode(f:read "a")
    if not v then print(what, line) os.exit(1) end' >"$log" 2>&1
  ok $? "$1" "$log"
}
for stage in $stages; do
  program=build/cpu/$stage/default/timeline
  warps=16
  [ "$stage" != stage5_warp_spec ] || warps=24
  "$program" --shape 1,1,128,64 --json "$folder" --trace "$folder" >"$log" 2>&1
  ok $? "$stage: gates pass, and the output is the plain kernel's" "$log"
  trace=$folder/$stage.1,1,128,64.trace.json
  is_json "$stage: the trace is JSON" "$trace"
  check_trace "$trace" $warps >"$log"
  ok $? "$stage: the events of the trace lie end to end" "$log"
  missing=
  for phase in Q_load KV_prefetch dequant WMMA_QK softmax PV_accum store_O \
    wait_copy wait_barrier; do
    grep -q "\"B\",\"name\":\"$phase\"" "$trace" || missing="$missing $phase"
  done
  echo "missing:$missing" >"$log"
  [ -z "$missing" ]
  ok $? "$stage: every phase is in the trace" "$log"
done
sed '0,/"ph":"E"/{/"ph":"E"/d}' "$trace" >"$folder/broken"
! check_trace "$folder/broken" 24 >"$log"
ok $? "the check of traces sees a missing end" "$log"

summary=$folder/stage5_warp_spec.timeline.json
is_json "the summary is JSON" "$summary"
grep -q '"producers"' "$summary" &&
  ! grep -qE 'share_pct|_cycles"|overlap|overhead' "$summary"
ok $? "of executor steps the summary gives no share and no time" "$summary"
if [ -n "$has_lua" ]; then
  for run in 1 2; do
    tools/timeline/draw.lua "$summary" "$folder/$run.svg" >"$log" 2>&1
  done
  cmp "$folder/1.svg" "$folder/2.svg" &&
    grep -q '>producer 5<' "$folder/1.svg" &&
    grep -q 'steps from step' "$folder/1.svg" &&
    ! grep -q style= "$folder/1.svg"
  ok $? "the drawing, twice the same" "$log"
else
  skip "the drawing, twice the same" "pandoc is not installed; make setup"
fi

# ---- what goes wrong ----------------------------------------------------------

program=build/cpu/stage2_wmma_pv/default/timeline
# says CODE TEXT ARGUMENT...
says() {
  code=$1 text=$2
  shift 2
  "$program" "$@" >"$log" 2>&1
  [ $? -eq "$code" ] && grep -qF -- "$text" "$log"
  ok $? "exit $code: $text" "$log"
}
says 2 "'nonsense' is no shape" --shape nonsense
says 2 "must be a whole number from 1" --blocks 0
mkdir "$folder/closed"
touch "$folder/file"
says 3 "Cannot write $folder/file/x/" --shape small --trace "$folder/file/x"
says 3 "$folder/file/x" --shape small --json "$folder/file/x"

# Copies of the tree in which the list names a phase for another one, and in
# which a stamp changes what is computed, by too little for the gates.
copy_tree "$folder/copy"
cd "$folder/copy" || exit 1
sed -i 's/^PV_accum/softmax /' tools/timeline/stamp/stage2_wmma_pv.phases
make stage2 timeline TARGET=cpu >"$log" 2>&1
[ $? -eq 2 ] && grep -q 'never in PV_accum: the list of phases does not fit' "$log"
ok $? "a phase that no stamp names" "$log"
cd "$OLDPWD" || exit 1
cp tools/timeline/stamp/stage2_wmma_pv.phases "$folder/copy/tools/timeline/stamp"
cd "$folder/copy" || exit 1
sed -i 's/stamp_writer stamp;/& args.softmax_scale *= 1.00001f;/' \
  tools/timeline/stamp/stamp.c
make stage2 timeline TARGET=cpu >"$log" 2>&1
[ $? -eq 2 ] && grep -q 'With stamps the kernel computes something else' "$log"
ok $? "stamps that change the output" "$log"
cd "$OLDPWD" || exit 1

# ---- the goal -----------------------------------------------------------------

# In the copy: check-all holds the lock of this tree.
cp tools/timeline/stamp/stamp.c "$folder/copy/tools/timeline/stamp"
cd "$folder/copy" || exit 1
make stage1 timeline TARGET=cpu >"$log" 2>&1
[ $? -eq 2 ] && grep -q 'no list of phases' "$log" && grep -q 'Error 2' "$log"
ok $? "make: a stage without a list is an error" "$log"
mkdir -p "$folder/recorded"
cp "$summary" "$folder/recorded"
make stage5 timeline TARGET=cpu JSON="$folder/recorded" >"$log" 2>&1 &&
  grep -q 'newest recorded timeline' "$log" && grep -q 'and no time' "$log" &&
  ! grep -q 'has changed' "$log"
ok $? "make: without a GPU, what is recorded and the executor's order" "$log"
sed -i 's/"kernel_hash": "./"kernel_hash": "0/' "$folder/recorded"/*.json
make stage5 timeline TARGET=cpu JSON="$folder/recorded" >"$log" 2>&1 &&
  grep -q 'has changed' "$log"
ok $? "make: a kernel that changed since is told" "$log"

if nvidia-smi -L >/dev/null 2>&1; then
  make stage5 timeline SHAPES=1,1,128,64 ITERS=50 JSON="$folder/gpu" >"$log" 2>&1
  ok $? "stage 5 on the GPU" "$log"
  summary=$folder/gpu/stage5_warp_spec.timeline.json
  is_json "its summary is JSON" "$summary"
  grep -q overhead_pct "$summary" &&
    grep -q share_pct "$summary" && grep -q stamped_resources "$summary"
  ok $? "with shares, and what the stamps cost" "$log"
  check_trace "build/timeline/stage5_warp_spec.1,1,128,64.trace.json" 24 \
    >"$log"
  ok $? "and a trace whose events lie end to end" "$log"
else
  skip "stage 5 on the GPU" "no NVIDIA GPU here"
fi
finish
