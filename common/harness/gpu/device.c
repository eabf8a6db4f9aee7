#include "common/harness/launch.h"

#include <ctype.h>

static void explain(cudaError_t status, const device_info *info, reason *why) {
  if (status == cudaErrorNoDevice)
    refuse(why, "No NVIDIA GPU was found.");
  else if (status == cudaErrorInsufficientDriver && info->driver == 0)
    refuse(why, "No NVIDIA driver was found.");
  else if (status == cudaErrorInsufficientDriver)
    refuse(why,
           "The driver supports CUDA %d.%d, and this program was built with "
           "%d.%d: install a newer driver, or build with an older toolkit.",
           info->driver / 1000, info->driver % 1000 / 10, info->runtime / 1000,
           info->runtime % 1000 / 10);
  else
    refuse(why, "The GPU cannot be used: %s.", cudaGetErrorString(status));
}

bool device_open(device_info *info, reason *why) {
  *info = (device_info){.is_gpu = true};
  cudaDriverGetVersion(&info->driver);
  cudaRuntimeGetVersion(&info->runtime);
  int count = 0;
  cudaError_t status = cudaGetDeviceCount(&count);
  struct cudaDeviceProp properties;
  if (!status) status = cudaSetDevice(0);
  if (!status) status = cudaGetDeviceProperties(&properties, 0);
  if (!status) status = cudaMemGetInfo(&info->free_bytes, &info->total_bytes);
  if (status) {
    explain(status, info, why);
    return false;
  }
  snprintf(info->name, sizeof info->name, "%.120s", properties.name);
  size_t i = 0;
  for (; info->name[i] && i + 1 < sizeof info->folder; i++) {
    const unsigned char c = (unsigned char)info->name[i];
    info->folder[i] = isalnum(c) ? (char)tolower(c) : '-';
  }
  info->folder[i] = '\0';
  info->capability = properties.major * 10 + properties.minor;
  info->multiprocessors = properties.multiProcessorCount;
  if (info->capability >= 80) return true;
  return refuse(why,
                "%s has compute capability %d.%d; these kernels need 8.0 or "
                "newer.",
                info->name, properties.major, properties.minor);
}

void device_set_multiprocessors(int count) {
  (void)count;
}

void device_input(const void *memory) { (void)memory; }

bool device_multiprocessors_asked(void) {
  return false;
}

void device_explain(void) {}

bool instruments_ready(reason *why) {
  return refuse(why, "count and race run on the CPU executor; this program was "
                     "built for a GPU.");
}

int instruments_run(const stage_object *object, const case_list *list,
                    const char *order, json_t *counters, reason *why) {
  (void)object, (void)list, (void)order, (void)counters, (void)why;
  return EXIT_IMPOSSIBLE;
}
