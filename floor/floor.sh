#!/bin/sh
# The ceilings of a GPU, and how near to its own each stage is:
#   floor.sh measure FOLDER COMMIT [SHAPE...]   on a GPU
#   floor.sh check                              the kernels on the CPU executor
#   floor.sh show [FOLDER [SHAPE...]]           the newest that is recorded
set -eu
verb=$1
shift

show() {
  place=${1:-}
  [ $# -eq 0 ] || shift
  file=$(tools/results/newest.py floor.json "$place") || {
    echo "floor needs a GPU, and no run of it is recorded." >&2
    exit 3
  }
  echo "No GPU was used: this is the newest recorded run, $file."
  floor/show.py "${file%/floor.json}" "$@"
}

case $verb in
show) show "$@" ;;
check)
  build/cpu/floor/program check
  echo "No GPU was used, so there are no timings: the executor predicts none."
  ;;
measure)
  folder=$1 commit=$2
  shift 2
  [ -n "$folder" ] || {
    device=$(build/gpu/floor/program folder) || exit
    folder=results/$device/$(date -u +%F)
  }
  tools/make/alone.sh build/gpu/floor/program measure --json "$folder" \
    --commit "$commit"
  floor/model.py --add "$folder/floor.json"
  floor/show.py "$folder" "$@"
  ;;
esac
