#include "common/harness/launch.h"

#include <cuda_runtime_api.h>
#include <stdio.h>

#include "common/harness/timing.h"
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

bool timing_run(launch_function *const *arms, int arm_count,
                const attention_args *args, const timing_options *options,
                arm_timing *timings, reason *why) {
  (void)arms, (void)args, (void)options;
  for (int i = 0; i < arm_count; i++) timings[i] = (arm_timing){0};
  return refuse(why, "The CPU executor predicts no GPU's time: bench needs a "
                     "GPU.");
}

void timing_free(arm_timing *timing) { *timing = (arm_timing){0}; }

cudaError_t empty_launch(const attention_args *args, cudaStream_t stream) {
  (void)args, (void)stream;
  return cudaSuccess;
}

void clocks_begin(void) {}
void clocks_end(clock_log *log) { *log = (clock_log){0}; }
