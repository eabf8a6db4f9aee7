#include "common/harness/device/device.h"

#include <cuda_runtime_api.h>
#include <stdio.h>

#include "common/simt/simt.h"

bool device_open(device_info *info, reason *why) {
  *info = (device_info){.is_gpu = false};
  snprintf(info->name, sizeof info->name, "CPU executor");
  snprintf(info->folder, sizeof info->folder, "cpu-executor");
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

bool device_is_lost(void) {
  return cudaDeviceSynchronize() != cudaSuccess;
}
