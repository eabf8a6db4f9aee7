#!/bin/sh
# The verbs of this stage, one after another, on ranks that launch.sh starts:
#   run.sh PROGRAMS VERBS gpu|cpu RANKS RESULTS_FOLDER [OPTION...]
# PROGRAMS is where they lie below build/cpu: the stage, or an arm of a lab of
# it. The exit code is that of the first verb that failed.
set -uf # no word here is a pattern
programs=$1 verbs=$2 target=$3 ranks=${4:-2} folder=$5
shift 5
stage=${programs%%/*} status=0
commit=${COMMIT:-$(git describe --always --dirty 2>/dev/null || echo unknown)}

case $ranks in
'' | *[!0-9]* | 0*)
  echo "RANKS is how many ranks are started, 1 or more, not '$ranks'." >&2
  exit 2 ;;
esac

# shellcheck disable=SC2317 # run calls it
launch() { further/stage18_ring/launch.sh "$ranks" "$@"; }

# Nobody measures on these GPUs at the same time.
# shellcheck disable=SC2317
launch_alone() {
  if [ "$target" = gpu ]; then
    tools/make/alone.sh further/stage18_ring/launch.sh "$ranks" "$@"
  else
    launch "$@"
  fi
}

# A launcher's own code is no verdict of a gate.
run() {
  "$@"
  code=$?
  case $code in 0 | 1 | 2 | 130) ;; *) code=3 ;; esac
  [ $status -ne 0 ] || status=$code
}

results_folder() {
  [ -n "$folder" ] && echo "$folder" && return
  device=$("build/$target/$programs/program" info --folder) &&
    echo "results/$device/$(date -u +%F)"
}

for verb in $verbs; do
  case $verb in
  check) run launch "build/$target/$programs/program" check "$@" ;;
  race) run launch "build/instrumented/$programs/program" race "$@" ;;
  bench)
    run launch_alone "build/$target/$programs/program" bench \
      --commit "$commit" --json "$(results_folder)" "$@" ;;
  resources)
    run tools/resources/resources.py table "$stage/default" ;;
  count | tune | profile | timeline | peers | compare)
    case $verb in
    count) why="its work is the library's, which 'make stage17 count' counts" ;;
    tune) why="it has no toggles; MULTIPROCESSORS and EXCHANGE are its arms" ;;
    profile) why="its work is the library's: 'make stage17 profile'" ;;
    timeline) why="its bench writes when each rank computed and exchanged" ;;
    peers) why="its peer is PyTorch's context parallel attention: 'make\
 ring-peer'" ;;
    compare) why="its bench compares one card with several" ;;
    esac
    echo "$stage has no $verb: $why." >&2
    run sh -c 'exit 3' ;;
  esac
done
exit $status
