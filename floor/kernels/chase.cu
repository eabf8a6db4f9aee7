#include "common/device/interface/launch.cuh"
#include "floor/kernels.h"
#include "floor/kernels/stopwatch.cuh"

__global__ void chase_fill_kernel(const unsigned *next, int64_t count,
                                  int64_t step, char *out) {
  const int64_t node =
      static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (node < count)
    *reinterpret_cast<char **>(out + node * step) = out + next[node] * step;
}

//> chase
// Each load needs the address that the one before brings.
__global__ void chase_kernel(const char *at, int rounds, const char **out,
                             floor_span *span) {
  const stopwatch start = stopwatch_start();
#pragma unroll 1
  for (int round = 0; round < rounds; round++)
#pragma unroll
    for (int u = 0; u < CHASE_UNROLL; u++)
      at = reinterpret_cast<const char *>(
          __ldcg(reinterpret_cast<const unsigned long long *>(at)));
  *out = at;
  stopwatch_stop(start, span);
}
//< chase

extern "C" cudaError_t floor_chase_fill(const floor_call *call,
                                        cudaStream_t stream) {
  const unsigned blocks = static_cast<unsigned>((call->count + 255) / 256);
  LAUNCH(chase_fill_kernel, blocks, 256, 0, stream,
         static_cast<const unsigned *>(call->in), call->count, call->step,
         static_cast<char *>(call->out));
  return cudaGetLastError();
}

extern "C" cudaError_t floor_chase(const floor_call *call,
                                   cudaStream_t stream) {
  LAUNCH(chase_kernel, 1, 1, 0, stream, static_cast<const char *>(call->in),
         call->rounds, static_cast<const char **>(call->out), call->span);
  return cudaGetLastError();
}
