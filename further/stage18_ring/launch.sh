#!/bin/sh
# launch.sh RANKS PROGRAM [ARGUMENT...]: starts the ranks on this machine, with
# what OpenMPI asks of a container, of root, and of more ranks than cores; other
# launchers pass that over. LAUNCHER="srun -n 8" in the environment starts them
# in another way.
set -uf # no word here is a pattern
ranks=$1
shift
if [ -n "${LAUNCHER:-}" ]; then
  # shellcheck disable=SC2086 # words
  exec $LAUNCHER "$@"
fi
threads=$(($(nproc) / ranks))
[ "$threads" -gt 0 ] || threads=1
export OMP_NUM_THREADS="${OMP_NUM_THREADS:-$threads}" \
  SIMT_THREADS="${SIMT_THREADS:-$threads}" \
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
  OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 \
  OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_plm_rsh_agent=true \
  OMPI_MCA_btl_vader_single_copy_mechanism=none \
  OMPI_MCA_orte_execute_quiet=1
exec mpirun -n "$ranks" "$@"
