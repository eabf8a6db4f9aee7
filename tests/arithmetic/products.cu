#include "tests/arithmetic/products.h"

#include "common/device/interface/launch.cuh"
#include "common/device/ptx/mma.cuh"
#include "common/device/ptx/tma.cuh"
#include "common/device/ptx/wgmma.cuh"
#include "tests/device/maps.cuh"

constexpr int THREADS = 128, CHUNKS = ROW_BYTES / 16, WORDS = ROW_BYTES / 4;

/* Element i of n of a thread's sums: of wgmma, or of mma side by side. */
__device__ inline int place_of(int n, int i) {
  const element at = held_of_d(threadIdx.x % 32, i);
  return (threadIdx.x / 32 * 16 + at.row) * TILE + 8 * n + at.column;
}

/* Register i of A. */
__device__ inline unsigned word_of_a(const unsigned *a, int i) {
  const element at = held_of_a(threadIdx.x % 32, i, 0, 4);
  return a[(threadIdx.x / 32 * 16 + at.row) * WORDS + at.column / 4];
}

__device__ inline void load_sums(float (&sum)[8][4], const float *from) {
  for (int i = 0; i < 32; i++)
    sum[i / 4][i % 4] = from[blockIdx.x * TILE * TILE + place_of(i / 4, i % 4)];
}

__device__ inline void store_sums(float *to, const float (&sum)[8][4]) {
  for (int i = 0; i < 32; i++)
    to[blockIdx.x * TILE * TILE + place_of(i / 4, i % 4)] = sum[i / 4][i % 4];
}

template <bool A_IN_REGISTERS>
__global__ void by_wgmma(const uint4 *a, const uint4 *b, float *sums,
                         int steps) {
  __shared__ __align__(1024) uint4 tile_a[TILE * 4], tile_b[TILE * 4];
  const int row = threadIdx.x / CHUNKS, chunk = threadIdx.x % CHUNKS;
  const int place = row * 4 + (chunk ^ row / 2 % 4);
  float sum[8][4];
  load_sums(sum, sums);
  for (int step = 0; step < steps; step++) {
    const int first = (blockIdx.x * steps + step) * TILE * CHUNKS;
    unsigned left[4];
    for (int i = 0; i < 4; i++)
      left[i] = word_of_a(reinterpret_cast<const unsigned *>(a + first), i);
    tile_a[place] = a[first + threadIdx.x];
    tile_b[place] = b[first + threadIdx.x];
    fence_async_proxy();
    __syncthreads();
    wgmma_fence(sum);
    if (A_IN_REGISTERS)
      wgmma_m64k32(sum, left, wgmma_tile_at<64>(tile_b, 0), true);
    else
      wgmma_m64k32(sum, wgmma_tile_at<64>(tile_a, 0),
                   wgmma_tile_at<64>(tile_b, 0), true);
    wgmma_commit();
    wgmma_wait<0>(sum);
    __syncthreads();
  }
  store_sums(sums, sum);
}

template <bool CODES>
__global__ void by_mma(const unsigned *a, const unsigned *b, float *sums,
                       int steps) {
  const int lane = threadIdx.x % 32;
  float sum[8][4];
  load_sums(sum, sums);
  for (int step = 0; step < steps; step++) {
    const int first = (blockIdx.x * steps + step) * TILE * WORDS;
    unsigned left[4];
    for (int i = 0; i < 4; i++) left[i] = word_of_a(a + first, i);
    for (int n = 0; n < 8; n++) {
      const element at = held_of_b(lane, 0, 0, 4);
      const element next = held_of_b(lane, 1, 0, 4);
      const unsigned *right = b + first + (8 * n + at.column) * WORDS;
      if (CODES)
        mma_m16n8k32(sum[n], left, right[at.row / 4], right[next.row / 4]);
      else
        mma_m16n8k16(sum[n], left, right[at.row / 4], right[next.row / 4]);
    }
  }
  store_sums(sums, sum);
}

cudaError_t products_launch(instruction i, const void *a, const void *b,
                            float *sum, int blocks, int steps) {
  const auto *chunks_a = static_cast<const uint4 *>(a);
  const auto *chunks_b = static_cast<const uint4 *>(b);
  const auto *words_a = static_cast<const unsigned *>(a);
  const auto *words_b = static_cast<const unsigned *>(b);
  switch (i) {
  case WGMMA_TILES:
    LAUNCH((by_wgmma<false>), blocks, THREADS, 0, 0, chunks_a, chunks_b, sum,
           steps);
    break;
  case WGMMA_REGISTERS:
    LAUNCH((by_wgmma<true>), blocks, THREADS, 0, 0, chunks_a, chunks_b, sum,
           steps);
    break;
  case MMA_CODES:
    LAUNCH((by_mma<true>), blocks, THREADS, 0, 0, words_a, words_b, sum, steps);
    break;
  default:
    LAUNCH((by_mma<false>), blocks, THREADS, 0, 0, words_a, words_b, sum,
           steps);
  }
  return cudaGetLastError();
}
