#!/bin/sh
# The elite search on a stage whose best is known, with stand-ins for make, the
# programs and a clock that slows down from run to run; and on the executor.
# takes: 60 s
set -u
. tests/lib.sh
folder=$(mktemp -d)
log=$(mktemp)
trap 'rm -rf "$folder" "$log"' EXIT
enter_copy "$folder/tree"
# The executor: real programs, nothing timed.
make stage1 tune TARGET=cpu SHAPES=small SEEDS=0 JSON=out >"$log" 2>&1
ok $? "make stage1 tune on the executor" "$log"
result=out/stage1_cp_async.tune.json
trials() { grep -c "\"state\": \"$1\"" $result; }
# is EXPRESSION: jq's, true of the result
is() { jq -e "$1" $result >/dev/null; }
grep -q 'nothing is ranked' "$log" && grep -q '"ranked": false' $result &&
  ! grep -q _us $result
ok $? "it ranks nothing, and says so" "$log"
[ "$(trials green)" = 6 ] && [ "$(trials 'ruled out')" = 2 ]
ok $? "each combination went through the gates" $result
make stage1 tune TARGET=cpu USE_CP_ASYNC=0 >"$log" 2>&1
[ $? -eq 2 ] && grep -q 'searches the toggles itself' "$log"
ok $? "a toggle beside tune is an error" "$log"

# The same with a clock, which only stand-ins have here.
export ARCH=90a CC=gcc CXX=g++ FAKE="$folder"
mkdir stage9_fake bin
cat >stage9_fake/kernel.cu <<'END'
// toggle A: 0 1
#ifndef A
#define A 0
#endif
// toggle B: 0 1
#ifndef B
#define B 0
#endif
// toggle E: 0 1 2
#ifndef E
#define E 0
#endif
// toggle TILE: 32 64 (detail)
#ifndef TILE
#define TILE 32
#endif
// toggle C: 0 1 (detail)
#ifndef C
#define C 0
#endif
// toggle DEBUG_PRINT: 0 1
#ifndef DEBUG_PRINT
#define DEBUG_PRINT 0
#endif
#if A && TILE == 64
#error "A=1 needs TILE=32"
#endif
END
sed 's/"stage0_scalar": {/"stage9_fake": {"registers": 128, "shared_bytes": 1},\
  &/' common/harness/settings.json >settings && mv settings common/harness/settings.json
echo fake >build/toolchain

# B alone is wrong; with A it changes nothing; E=2 takes too many registers.
cat >bin/make <<'END'
#!/bin/sh
echo "$*" >>"$FAKE/made"
for file in "$@"; do
  case $file in build/*) mkdir -p "${file%/*}" ;; *) continue ;; esac
  arm=${file%/*} arm=${arm##*/}
  case $file in
  *.cubin)
    registers=64
    case $arm in *E-2*) registers=200 ;; esac
    echo "ptxas info : Used $registers registers" >"$file.ptxas"
    case $arm in A-1.B-1*) arm=$(echo "$arm" | sed 's/\.B-1//') ;; esac
    echo "code of $arm" >"$file" ;;
  */program) cp bin/program "$file" ;;
  */kernel.o) cp bin/host.o "$file" ;;
  *) : >"$file" ;;
  esac
done
END
cat >bin/program <<'END'
#!/bin/sh
verb=$1 arm=$(dirname "$0") arm=${arm##*/}
echo "$verb $arm" >>"$FAKE/calls"
if [ "$verb" = check ]; then
  case $arm in # it fails
  B-1*) exit 1 ;; esac
  exit 0
fi
[ "$arm" != "${STOP_AT:-}" ] || exit 130
arms=$arm
while [ $# -gt 0 ]; do
  case $1 in
  --json) json=$2 ;;
  --against) other=$(dirname "$2"); arms="$arms ${other##*/}" ;;
  esac
  shift
done
echo "$arms" >>"$FAKE/timed"
runs=$(grep -c . "$FAKE/timed")
for arm in $arms; do
  time=100
  case .$arm. in *.A-1.*E-1.*) time=70 ;; *.A-1.*) time=90 ;;
  *.E-1.*) time=95 ;; esac
  case .$arm. in *.C-1.*) time=$((time + 3)) ;; esac
  case .$arm. in *.TILE-64.*) time=$((time - 20)) ;; esac
  name=stage9_fake.$arm
  [ "$arm" != default ] || name=stage9_fake
  printf '{"build_meta": {"schema_version": 1}, "perf": {"mission": {"graph":
    {"p50_us": %d, "noise_us": 5.0}}}}' $((time * (10 + runs) / 10)) \
    >"$json/$name.json"
done
END
chmod +x bin/make bin/program
echo 'int launch(void) { return 1; }' | gcc -c -x c -o bin/host.o -
mkdir -p toolkit/bin
tune() {
  MAKE=$PWD/bin/make build/tools/tune gpu stage9_fake out >"$log" 2>&1
}
result=out/stage9_fake.tune.json
if ! tools/setup/cuda-home.sh >/dev/null 2>&1; then
  skip "the search" "no nvcc 12.8 or newer; make setup"
else
  STOP_AT=A-1
  export STOP_AT
  tune
  [ $? -eq 3 ] && grep -q 'timing A-1 failed' "$log" && [ ! -e $result ]
  ok $? "a search that is interrupted leaves no result" "$log"
  unset STOP_AT
  tune && grep -q 'going on.*: 6 trials' "$log"
  ok $? "it goes on where it was" "$log"
  [ "$(grep -c '^check default' "$folder/calls")" = 1 ]
  ok $? "what was done is not done again" "$folder/calls"
  is '.tune.keep == 3'
  ok $? "the result is JSON" $result
  jq -r '[.tune.elite[].arm] | join(" ")' $result >"$log"
  [ "$(cat "$log")" = "A-1.E-1 A-1.E-1.C-1 E-1.TILE-64 default" ]
  ok $? "the elite, best first, though the clock slows down" "$log"
  is '.tune.elite[] | select(.arm == "A-1.E-1").saved_pct == 30'
  ok $? "with what it saves against the default, from one run"
  tail -n 1 "$folder/timed" | grep -qx \
    "A-1.E-1 A-1.E-1.C-1 E-1.TILE-64 default"
  ok $? "that run times all of them in turn" "$folder/timed"
  ! grep -qE '(^| )(A-1\.)?B-1' "$folder/timed" && [ "$(trials 'gates failed')" = 2 ]
  ok $? "what fails its gates is not timed" "$folder/timed"
  ! grep -q 'E-2' "$folder/calls" && [ "$(trials 'over budget')" = 4 ]
  ok $? "what is over its budget is not even run" "$folder/calls"
  [ "$(trials 'same code')" = 2 ] &&
    is '.tune.trials[] | select(.arm == "A-1.B-1")
      | .state == "same code" and .against == "A-1"'
  ok $? "the same machine code is one kernel, and timed once" $result
  [ "$(trials 'ruled out')" = 4 ] && ! grep -q 'A-1.*TILE-64' "$folder/made"
  ok $? "what the kernel rules out is not built" "$folder/made"
  ! grep -q DEBUG_PRINT $result && ! grep -qE '"arm": "(TILE|C)-' $result
  ok $? "details are tried on the best only, and prints not at all" $result
  awk 'NR > 1 && NF < 2 { bad = 1 } END { exit bad }' "$folder/timed"
  ok $? "every candidate is timed in turn with the best so far" "$folder/timed"
  [ ! -e build/tune/stage9_fake.gpu ]
  ok $? "the next search is a new one"
  sed -i 's/#define A 0/#define A 1/; s/A-1/A-0/' stage9_fake/kernel.cu
  sed -i '/B-1.) exit 1/s/B-1./default/' bin/program
  ! tune && grep -q 'by default does not pass' "$log"
  ok $? "a stage that fails its own gates is not searched" "$log"
fi

finish
