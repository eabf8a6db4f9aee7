#!/usr/bin/env python3
"""launch.py RANKS PROGRAM [ARGUMENT...]: starts the ranks on this machine, with
what OpenMPI asks of a container, of root, and of more ranks than cores; other
launchers pass that over. LAUNCHER="srun -n 8" in the environment starts them
in another way."""

import os
import sys

SETTINGS = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_plm_rsh_agent": "true",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    "OMPI_MCA_orte_execute_quiet": "1",
}


def main(ranks, *command):
    if launcher := os.environ.get("LAUNCHER", "").split():
        command = *launcher, *command
    else:
        threads = str(max(1, len(os.sched_getaffinity(0)) // int(ranks)))
        for name in "OMP_NUM_THREADS", "SIMT_THREADS":
            os.environ[name] = os.environ.get(name) or threads
        os.environ.update(SETTINGS)
        command = "mpirun", "-n", ranks, *command
    try:
        os.execvp(command[0], command)
    except OSError as reason:
        sys.exit(f"{command[0]} cannot be started: {reason.strerror}.")


if __name__ == "__main__":
    main(*sys.argv[1:])
