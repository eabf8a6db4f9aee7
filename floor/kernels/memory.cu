#include "common/device/interface/launch.cuh"
#include "floor/kernels.h"
#include "floor/kernels/stopwatch.cuh"

__global__ void __launch_bounds__(MEMORY_THREADS)
    fill_kernel(uint4 *out, int64_t count) {
  const int64_t stride = static_cast<int64_t>(gridDim.x) * MEMORY_THREADS;
  for (int64_t i = blockIdx.x * MEMORY_THREADS + threadIdx.x; i < count;
       i += stride) {
    const unsigned first = static_cast<unsigned>(4 * i);
    out[i] = make_uint4(first * FILL_FACTOR, (first + 1) * FILL_FACTOR,
                        (first + 2) * FILL_FACTOR, (first + 3) * FILL_FACTOR);
  }
}

//> read
// Four loads of 16 bytes are under way at once. __ldcg reads past the L1 cache,
// which would else hold a part of what is read again.
__global__ void __launch_bounds__(MEMORY_THREADS)
    read_kernel(const uint4 *in, int64_t count, int rounds, unsigned *out,
                floor_span *span) {
  const stopwatch start = stopwatch_start();
  const int64_t stride = static_cast<int64_t>(gridDim.x) * MEMORY_WORDS;
  unsigned sum = 0;
  //> read-loop
  for (int round = 0; round < rounds; round++)
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * MEMORY_WORDS +
                     threadIdx.x;
         i < count; i += stride) {
      uint4 word[4];
#pragma unroll
      for (int u = 0; u < 4; u++) word[u] = __ldcg(&in[i + u * MEMORY_THREADS]);
#pragma unroll
      for (int u = 0; u < 4; u++)
        sum += word[u].x + word[u].y + word[u].z + word[u].w;
    }
  //< read-loop
  out[blockIdx.x * MEMORY_THREADS + threadIdx.x] = sum;
  stopwatch_stop(start, span);
}
//< read

__global__ void __launch_bounds__(MEMORY_THREADS)
    copy_kernel(const uint4 *in, int64_t count, int rounds, uint4 *out,
                floor_span *span) {
  const stopwatch start = stopwatch_start();
  const int64_t stride = static_cast<int64_t>(gridDim.x) * MEMORY_WORDS;
  for (int round = 0; round < rounds; round++)
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * MEMORY_WORDS +
                     threadIdx.x;
         i < count; i += stride) {
      uint4 word[4];
#pragma unroll
      for (int u = 0; u < 4; u++) word[u] = __ldcg(&in[i + u * MEMORY_THREADS]);
#pragma unroll
      for (int u = 0; u < 4; u++) out[i + u * MEMORY_THREADS] = word[u];
    }
  stopwatch_stop(start, span);
}

extern "C" cudaError_t floor_fill(const floor_call *call, cudaStream_t stream) {
  LAUNCH(fill_kernel, call->blocks, MEMORY_THREADS, 0, stream,
         static_cast<uint4 *>(call->out), call->count);
  return cudaGetLastError();
}

extern "C" cudaError_t floor_read(const floor_call *call, cudaStream_t stream) {
  LAUNCH(read_kernel, call->blocks, MEMORY_THREADS, 0, stream,
         static_cast<const uint4 *>(call->in), call->count, call->rounds,
         static_cast<unsigned *>(call->out), call->span);
  return cudaGetLastError();
}

extern "C" cudaError_t floor_copy(const floor_call *call, cudaStream_t stream) {
  LAUNCH(copy_kernel, call->blocks, MEMORY_THREADS, 0, stream,
         static_cast<const uint4 *>(call->in), call->count, call->rounds,
         static_cast<uint4 *>(call->out), call->span);
  return cudaGetLastError();
}
