#include <cuda_pipeline.h>

#include "common/device/interface/launch.cuh"
#include "tests/simt/kernels/kernels.h"

/* One warp, one instruction of interest a kernel: its line is marked. */

/* first: floats from lane to lane; second: floats before the first one. */
__global__ void global_stride(float *out, int stride, int start) {
  out[start + threadIdx.x * stride] = 1.0f; // @global-stride
}
RUN(global_stride, 1, 32, (float *)memory, first, second)

/* All lanes load in each round, odd ones store too: the warp comes together
 * again for the next load. */
__global__ void divergent_loop(float *data, int rounds) {
  __shared__ float sums[32];
  for (int i = 0; i < rounds; i++) {
    const float x = data[i * 32 + threadIdx.x]; // @divergent-load
    if (threadIdx.x % 2) sums[threadIdx.x] = x;  // @divergent-store
  }
  const float sum = threadIdx.x % 2 ? sums[threadIdx.x] : 0;
  data[threadIdx.x] = sum; // @divergent-end
}
RUN(divergent_loop, 1, 32, (float *)memory, first)

/* More accesses than the log holds, and one lane is ahead from the start. */
__global__ void long_loop(float *data, int rounds) {
  float sum = 0;
  if (threadIdx.x == 5) sum = data[0];                         // @long-once
  for (int i = 0; i < rounds; i++) sum += data[threadIdx.x + i]; // @long-load
  __syncwarp();
  data[threadIdx.x] = sum;
}
RUN(long_loop, 1, 32, (float *)memory, first)

/* first: how many lanes copy; the others are filled with zeros. */
__global__ void async_copy(uint4 *data, int lanes) {
  __shared__ alignas(uint4) char bytes[32][16];
  auto *const tile = reinterpret_cast<uint4 *>(bytes);
  const int t = threadIdx.x, fill = t < lanes ? 0 : 16;
  __pipeline_memcpy_async(&tile[t], &data[t], 16, fill); // @async-copy
  __pipeline_commit();
  __pipeline_wait_prior(0);
  data[32 + t] = tile[t];
}
RUN_ON(MATRICES, async_copy, 1, 32, (uint4 *)memory, first)

__global__ void collectives(int *out) {
  int x = __shfl_xor_sync(0xffffffffu, (int)threadIdx.x, 1); // @shuffle
  x += __ballot_sync(0xffffffffu, threadIdx.x % 2) == 0xaaaaaaaau; // @ballot
  __syncwarp();                                              // @warp-sync
  __syncthreads();                                           // @barrier
  x += 100 * __syncthreads_count(threadIdx.x < 40);
  x += 10000 * __shfl_sync(0xffffffffu, (int)threadIdx.x, 3, 8);
  x += 1000000 * (__shfl_up_sync(0xffffffffu, (int)threadIdx.x, 2) == 9);
  x += 2000000 * (__shfl_down_sync(0xffffffffu, (int)threadIdx.x, 4) == 31);
  out[threadIdx.x + blockIdx.x * blockDim.x] = x;
}
RUN(collectives, first, 64, (int *)memory)

/* Two warps; how many each lane computes stands at the line. */
__global__ void flops(float *data) {
  const int t = threadIdx.x;
  const float x = data[t], y = data[64 + t];
  data[128 + t] = x * x + 1;                // 2
  data[192 + t] = y / (x - 3);              // 2
  data[256 + t] = x + sqrtf(y * y);         // 3
  data[320 + t] = fmaf(x, y, x);            // 2
  data[384 + t] = x * 0.1 + y;              // 2
  data[448 + t] = fmaxf(-y, x) + t / 3;     // 1
  for (int i = 0; i < t; i++) data[t] *= x; // t
}
RUN(flops, 1, 64, (float *)memory)
