#!/bin/sh
# race.sh gpu|cpu STAGE/ARM [OPTION...]: the executor's race checks, and on a
# GPU the same questions put to compute-sanitizer.
set -u
target=$1 arm=$2
shift 2
"build/trace/$arm/program" race "$@" || exit
[ "$target" = gpu ] || exit 0
sanitizer=$(command -v compute-sanitizer) || {
  echo "compute-sanitizer is not here: the GPU itself was not checked."
  exit 0
}
for tool in memcheck racecheck synccheck initcheck; do
  echo "compute-sanitizer $tool"
  "$sanitizer" --tool "$tool" --error-exitcode 1 \
    "build/gpu/$arm/program" check --brief --seeds 0 "$@" | tail -n 3 || exit 1
done
