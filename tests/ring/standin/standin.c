/* What the ring's bench for GPUs needs beyond the executor: cards of which
 * there is one a rank, and a link of no length. What it measures then is
 * nothing; what it writes is tested. */

#include <cuda_runtime_api.h>
#include <mpi.h>
#include <nccl.h>
#include <stdio.h>

#include "common/harness/launch.h"

bool standin_device(device_info *info, reason *why);

bool standin_device(device_info *info, reason *why) {
  (void)why;
  *info = (device_info){.name = "stand-in", .capability = 90,
                        .multiprocessors = 132};
  return true;
}

int ncclGetVersion(int *version) {
  *version = 22803;
  return 0;
}

cudaError_t cudaDeviceGetPCIBusId(char *bus, int size, int device) {
  int rank;
  (void)device;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(bus, (size_t)size, "%d", rank);
  return cudaSuccess;
}
