#include <cuda_pipeline.h>

#include "common/device/interface/launch.cuh"
#include "common/device/ptx/named_barrier.cuh"
#include "tests/simt/kernels/kernels.h"

/* Each kernel is right with first = 0; other values plant a bug. */

__global__ void block_exchange(int *out, int bug) {
  __shared__ int tile[64];
  tile[threadIdx.x] = 0;
  __syncthreads();
  tile[threadIdx.x] = threadIdx.x; // @exchange-write
  if (bug == 0) __syncthreads();
  const int x = tile[63 - threadIdx.x]; // @exchange-read
  if (blockIdx.x == 0) out[threadIdx.x] = x;
}
RUN(block_exchange, 2, 64, (int *)memory, first)

/* Each half of the warp meets alone. first = 1: they exchange across. */
__global__ void half_warps(int *out, int bug) {
  __shared__ int tile[32];
  const int half = threadIdx.x / 16 * 16;
  tile[threadIdx.x] = threadIdx.x; // @half-write
  __syncwarp(0xffffu << half);
  out[threadIdx.x] = tile[threadIdx.x ^ (bug ? 31 : 15)]; // @half-read
}
RUN(half_warps, 1, 32, (int *)memory, first)

/* Neighbours in one word belong to different warps. first = 1: a thread reads
 * its neighbour's byte. */
__global__ void bytes(unsigned *out, int bug) {
  __shared__ __align__(4) unsigned char tile[128];
  const int place = threadIdx.x % 32 * 4 + threadIdx.x / 32;
  tile[place] = threadIdx.x; // @bytes-write
  if (bug == 0) __syncthreads();
  out[threadIdx.x] = tile[place ^ 1]; // @bytes-read
}
RUN(bytes, 1, 128, (unsigned *)memory, first)

__global__ void counter(int *out, int bug) {
  __shared__ int total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  atomicAdd(&total, 1); // @count
  if (bug == 0) __syncthreads();
  out[threadIdx.x] = total; // @count-read
}
RUN(counter, 1, 64, (int *)memory, first)

/* Double-buffered cp.async over `second` tiles of 64 16-byte units.
 *   1  reads before any wait    2  returns with copies under way
 *   3  writes to the destination */
__global__ void pipeline(const uint4 *tiles, uint4 *out, int bug, int count) {
  __shared__ __align__(16) uint4 buffer[2][64];
  const int t = threadIdx.x;
  uint4 sum = {};
  __pipeline_memcpy_async(&buffer[0][t], &tiles[t], 16); // @first-copy
  __pipeline_commit();
  for (int i = 0; i < count; i++) {
    if (bug == 3 && i == 0) buffer[0][t] = make_uint4(0, 0, 0, 0); // @scribble
    if (bug == 1 && i == 0) sum.x += buffer[0][t].x; // @early-read
    if (i + 1 < count || bug == 2) {
      const int next = i + 1 < count ? i + 1 : i;
      const uint4 *source = &tiles[next * 64 + t];
      __pipeline_memcpy_async(&buffer[1 - i % 2][t], source, 16); // @next-copy
      __pipeline_commit();
      __pipeline_wait_prior(1);
    } else {
      __pipeline_wait_prior(0);
    }
    __syncthreads();
    sum.x += buffer[i % 2][63 - t].x;
    __syncthreads();
  }
  out[t] = sum;
}
RUN_ON(MATRICES, pipeline, 1, 64, (const uint4 *)memory,
       (uint4 *)memory + 64 * second, first, second)

/* Every warp reads every word, then one writes: all readers must be known.
 * first = n > 0: warp n does not meet the others before the write. second: the
 * write is one of 1 or 4 bytes a lane. */
__global__ void reads_by_all(int *out, int apart, int bytes) {
  __shared__ __align__(4) char tile[128];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  int *words = (int *)tile;
  if (warp == 0) words[lane] = lane;
  __syncthreads();
  out[threadIdx.x] = words[31 - lane]; // @all-read
  if (apart == 0) named_barrier_sync(1, 128);
  if (apart > 0 && warp != apart) named_barrier_sync(1, 96);
  if (warp == 0 && bytes == 4) words[lane] = 1;  // @word-write
  if (warp == 0 && bytes == 1) tile[lane * 3] = 1; // @byte-write
}
RUN(reads_by_all, 1, 128, (int *)memory, first, second)

/* Blocks after one another reuse shared memory: nothing is left over. */
__global__ void sequence(int *out, int bug) {
  __shared__ int tile[64];
  if (bug == 0 || blockIdx.x % 2 == 0) tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  const int x = tile[63 - threadIdx.x]; // @left-over
  if (blockIdx.x == 7) out[threadIdx.x] = x;
}
RUN(sequence, 8, 64, (int *)memory, first)

/* A line of a function that is called twice, by another one. */
__device__ void put(int *tile, int value) {
  tile[threadIdx.x] = value; // @put
}
__device__ void put_two(int *tiles) {
  put(tiles, 1); // @put-one
  put(tiles + 32, 2);
}
__global__ void helpers(int *out, int bug) {
  __shared__ int tiles[64];
  put_two(tiles); // @put-two
  if (bug == 0) __syncwarp();
  const int other = 31 - threadIdx.x;
  out[threadIdx.x] = tiles[other]; // @read-one
  if (bug == 0) out[threadIdx.x] = tiles[32 + other];
}
RUN(helpers, 1, 32, (int *)memory, first)

/* Many threads store the same to one word, which is no mistake by itself.
 * first = 1: one of them stores something else. */
__global__ void same_value(int *out, int bug) {
  __shared__ int any;
  const int t = threadIdx.x;
  any = 0;
  __syncthreads();
  if (t > 3) any = bug && t == 9 ? 2 : 1; // @same-one
  __syncthreads();
  out[t] = any;
}
RUN(same_value, 1, 64, (int *)memory, first)
