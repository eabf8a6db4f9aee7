#!/bin/sh
# race.sh gpu|cpu STAGE/ARM [OPTION...]: the executor's race checks, and on a
# GPU the same questions put to compute-sanitizer.
set -u
target=$1 arm=$2
shift 2
"build/instrumented/$arm/program" race "$@" || exit
[ "$target" = gpu ] || exit 0
PATH=$PATH:$(tools/setup/cuda-home.sh 2>/dev/null)/bin
command -v compute-sanitizer >/dev/null || {
  echo "compute-sanitizer is not here: the GPU itself was not checked."
  exit 0
}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
trap 'exit 130' INT TERM HUP
case " $* " in
*" --shape "*) ;;
*) set -- --shape small --shape odd --shape 1,2,17,64 "$@" ;;
esac
for tool in memcheck racecheck synccheck initcheck; do
  compute-sanitizer --tool $tool --error-exitcode 1 \
    "build/gpu/$arm/program" check --brief --seeds 0 "$@" >"$log" 2>&1 || {
    cat "$log"
    exit 1
  }
  echo "compute-sanitizer $tool: $(grep 'SUMMARY' "$log" | sed 's/=* *//')"
done
