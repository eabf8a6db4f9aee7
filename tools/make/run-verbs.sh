#!/bin/sh
# Runs the verbs of one make command, one after another, on the programs that
# make has just built:
#   run-verbs.sh VERBS gpu|cpu ARMS AGAINST_ARMS RESULTS_FOLDER [OPTION...]
# An arm is STAGE/ARM, as its folder under build/ is called. The exit code is
# that of the first verb that failed: 1 gate, 2 usage, 3 not possible here.
set -uf # no word here is a pattern
verbs=$1 target=$2 arms=$3 against=$4 folder=$5
shift 5
status=0
# COMMIT names the source where git cannot.
commit=${COMMIT:-$(git describe --always --dirty 2>/dev/null || echo unknown)}

run() {
  "$@"
  code=$?
  [ $status -ne 0 ] || status=$code
  return $code
}

# Who works on a GPU waits for whoever does: they would disturb each other's times.
run_alone() {
  if [ "$target" = gpu ]; then
    run tools/make/alone.sh "$@"
  else
    run "$@"
  fi
}

# find_where PROGRAM: `where` is results/<device>/<date>, unless JSON= named another.
find_where() {
  where=$folder
  [ -z "$where" ] || return 0
  device=$("$1" info --folder) || run sh -c 'exit 3' || return
  where=results/$device/$(date -u +%F)
}

resources() {
  tools/resources/resources.py read "build/gpu/$1/sm_$ARCH.cubin.ptxas"
}

bench_on_gpu() {
  arm=$1
  shift
  set -- "$@" --resources "$(resources "$arm")"
  for other in $against; do
    [ "$other" = "$arm" ] || set -- "$@" \
      --against "build/gpu/$other/kernel.so" --resources "$(resources "$other")"
  done
  run_alone "build/gpu/$arm/program" bench \
    --commit "$commit" --json "$where" "$@"
}

bench_on_cpu() {
  arm=$1
  shift
  find_where "build/instrumented/$arm/program" || return
  run "build/cpu/$arm/program" check --brief "$@" || return
  run "build/instrumented/$arm/program" count --commit "$commit" \
    --json "$where" "$@" || return
  echo "No GPU was used, so there are no timings: the executor predicts none."
}

# compare BASE CANDIDATE
compare() {
  run tools/compare/compare.py ${GATE:+"--gate=$GATE"} --recorded="$folder" "$1" "$2"
}

# What is selected as candidate, AGAINST as base; or two stages; or, where
# nothing is selected, all that is recorded.
compare_all() {
  if [ -n "$against" ]; then
    for candidate in $arms; do
      for base in $against; do
        [ "$base" = "$candidate" ] ||
          compare "$base" "$candidate"
      done
    done
  elif [ -z "${PICKED:-}" ] && [ -z "${GATE:-}" ]; then
    run tools/compare/compare.py --page="$folder"
  elif [ $# -eq 2 ]; then
    compare "$1" "$2"
  else
    echo "compare needs two stages, or one and AGAINST, as in:" \
      "make stage0 stage1 compare" >&2
    run sh -c 'exit 2'
  fi
}

# All arms in one process, and the shapes behind them.
peers() {
  if [ "$target" = gpu ]; then
    find_where "build/gpu/$1/program" || return
    # shellcheck disable=SC2086 # shapes are words without blanks
    run_alone tools/peers/start.py run "$where" "$commit" "$@" $against -- \
      ${SHAPES:-}
  else
    # shellcheck disable=SC2086 # shapes are words without blanks
    run tools/peers/start.py show "$folder" ${SHAPES:-}
  fi
}

for verb in $verbs; do
  # shellcheck disable=SC2086 # arms are words without blanks
  case $verb in
  compare) compare_all $arms ;;
  peers) peers $arms ;;
  resources)
    run tools/resources/resources.py table $arms
    run tools/resources/instructions.py table $arms
    ;;
  esac
  for arm in $arms; do
    case $target-$verb in
    gpu-bench | gpu-profile | gpu-tune | gpu-timeline)
      find_where "build/gpu/$arm/program" || continue ;;
    esac
    case $verb in
    check) run_alone "build/$target/$arm/program" check "$@" ;;
    bench)
      if [ "$target" = gpu ]; then
        bench_on_gpu "$arm" "$@"
      else
        bench_on_cpu "$arm" "$@"
      fi
      ;;
    count)
      run "build/instrumented/$arm/program" count --commit "$commit" \
        ${folder:+--json "$folder"} "$@"
      ;;
    profile)
      if [ "$target" = gpu ]; then
        # shellcheck disable=SC2086 # shapes are words without blanks
        run_alone tools/profile/profile.py record "$arm" "$where" ${SHAPES:-}
      else
        run tools/profile/profile.py read "$arm" "$folder"
      fi
      ;;
    tune)
      if [ "${arm#*/}" != default ]; then
        echo "tune searches the toggles itself: leave them out." >&2
        run sh -c 'exit 2'
      elif [ "$target" = gpu ]; then
        run env COMMIT="$commit" tools/tune/tune.py gpu "${arm%%/*}" "$where" "$@"
      else
        run tools/tune/tune.py cpu "${arm%%/*}" "${folder:-build/tune}" "$@"
      fi
      ;;
    timeline)
      # Asked of all stages, it is about those that have a list of phases.
      if [ -z "${PICKED:-}" ] && ! grep -qs '^phases' \
        "${arm%%/*}/stage.toml" "further/${arm%%/*}/stage.toml"; then
        continue
      elif [ "$target" = gpu ]; then
        run_alone env COMMIT="$commit" tools/timeline/timeline.sh gpu "$arm" \
          "$where" "$@"
      else
        run tools/timeline/timeline.sh cpu "$arm" "$folder" "$@"
      fi
      ;;
    race) run_alone tools/race/race.py "$target" "$arm" "$@" ;;
    esac
  done
done
exit $status
