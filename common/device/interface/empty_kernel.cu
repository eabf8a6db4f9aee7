#include "common/device/interface/attention.h"
#include "common/device/interface/launch.cuh"

/* What a launch costs when the kernel does nothing: the floor of every
 * latency that the harness prints. */
__global__ void empty_kernel() {}

extern "C" cudaError_t empty_launch(const attention_args *args,
                                    cudaStream_t stream) {
  (void)args;
  LAUNCH(empty_kernel, 1, 32, 0, stream);
  return cudaGetLastError();
}
