#include "common/harness/device/device.h"

#include <cuda_runtime_api.h>
#include <stdio.h>

#include "common/simt/simt.h"

/* Seconds that a thread may go on without meeting another. */
enum { PATIENCE = 5 };

bool device_open(device_info *info, reason *why) {
  *info = (device_info){.is_gpu = false};
  snprintf(info->name, sizeof info->name, "CPU executor");
  snprintf(info->folder, sizeof info->folder, "cpu-executor");
  simt_set_patience(PATIENCE, 0);
  if (cudaMemGetInfo(&info->free_bytes, &info->total_bytes))
    return refuse(why, "The executor cannot read the free memory.");
  return true;
}

void device_set_multiprocessors(int count) {
  simt_set_multiprocessors(count);
}

bool device_multiprocessors_asked(void) {
  return simt_multiprocessors_asked();
}

void device_explain(void) {
  const simt_finding *found;
  if (simt_findings(&found)) simt_print_findings(stdout);
}

bool device_is_lost(void) {
  return cudaDeviceSynchronize() != cudaSuccess;
}
