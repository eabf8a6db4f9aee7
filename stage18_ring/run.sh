#!/bin/sh
# The verbs of this stage, one after another, on ranks that mpirun starts:
#   run.sh VERBS gpu|cpu RANKS RESULTS_FOLDER [OPTION...]
# LAUNCHER="srun -n 8" in the environment starts them in another way. The exit
# code is that of the first verb that failed.
set -uf # no word here is a pattern
verbs=$1 target=$2 ranks=${3:-2} folder=$4
shift 4
stage=stage18_ring status=0
commit=${COMMIT:-$(git describe --always --dirty 2>/dev/null || echo unknown)}

case $ranks in
'' | *[!0-9]* | 0*)
  echo "RANKS is how many ranks are started, 1 or more, not '$ranks'." >&2
  exit 2 ;;
esac

# launch PROGRAM ARGUMENT...: on this machine, with what OpenMPI asks of a
# container, of root, and of more ranks than cores; others pass it over.
# shellcheck disable=SC2317 # run calls it
launch() {
  if [ -n "${LAUNCHER:-}" ]; then
    # shellcheck disable=SC2086 # words
    $LAUNCHER "$@"
    return
  fi
  threads=$(($(nproc) / ranks))
  [ "$threads" -gt 0 ] || threads=1
  OMP_NUM_THREADS=${OMP_NUM_THREADS:-$threads} \
    SIMT_THREADS=${SIMT_THREADS:-$threads} \
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
    OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 \
    OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_plm_rsh_agent=true \
    OMPI_MCA_btl_vader_single_copy_mechanism=none \
    OMPI_MCA_orte_execute_quiet=1 \
    mpirun -n "$ranks" "$@"
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
  device=$("build/$target/$stage/program" info --folder) &&
    echo "results/$device/$(date -u +%F)"
}

for verb in $verbs; do
  case $verb in
  check) run launch "build/$target/$stage/program" check "$@" ;;
  race) run launch "build/instrumented/$stage/program" race "$@" ;;
  bench)
    run launch "build/$target/$stage/program" bench --commit "$commit" \
      --json "$(results_folder)" "$@" ;;
  resources)
    run build/tools/resources table $stage/default ;;
  count | tune | profile | timeline | peers | compare)
    case $verb in
    count) why="its work is the library's, which 'make stage17 count' counts" ;;
    tune) why="it has no toggles; MULTIPROCESSORS and EXCHANGE are its arms" ;;
    profile) why="its work is the library's: 'make stage17 profile'" ;;
    timeline) why="its bench writes when each rank computed and exchanged" ;;
    peers) why="its peer, PyTorch's context parallel attention, is\
 tools/context_parallel/context_parallel.sh" ;;
    compare) why="its bench compares one card with several" ;;
    esac
    echo "$stage has no $verb: $why." >&2
    run sh -c 'exit 3' ;;
  esac
done
exit $status
