#include "common/device/interface/attention.h"
#include "common/device/interface/launch.cuh"
#include "floor/kernels.h"

// Nothing, by as many threads as stage 15's wide block has, and with all the
// shared memory that a block can have.
__global__ void __launch_bounds__(512, 1) full_kernel() {}

extern "C" cudaError_t floor_full_launch(const attention_args *args,
                                         cudaStream_t stream) {
  (void)args;
  int device = 0, blocks = 0, bytes = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (!error)
    error = cudaDeviceGetAttribute(&blocks, cudaDevAttrMultiProcessorCount,
                                   device);
  if (!error)
    error = cudaDeviceGetAttribute(
        &bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  if (!error)
    error = cudaFuncSetAttribute(
        reinterpret_cast<const void *>(full_kernel),
        cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  if (error) return error;
  LAUNCH(full_kernel, blocks, 512, bytes, stream);
  return cudaGetLastError();
}
