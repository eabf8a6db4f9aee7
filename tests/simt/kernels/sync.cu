#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "common/device/interface/launch.cuh"
#include "common/device/ptx/mbarrier.cuh"
#include "common/device/ptx/named_barrier.cuh"
#include "tests/simt/kernels/kernels.h"

/* Synchronisation beyond __syncthreads. Bugs are numbered by `first`. */

/* Warp 0 fills two buffers in turn, warp 1 empties them, and mbarriers say
 * which is full or empty.
 *   1  reports a buffer as full too early
 *   2  waits for one arrival more than there are
 *   3  waits for a parity of 2 */
__global__ void ring(int *out, int bug) {
  __shared__ uint64_t full[2], empty[2];
  __shared__ int buffer[2][32];
  const int lane = threadIdx.x % 32;
  if (threadIdx.x == 0)
    for (int i = 0; i < 2; i++) {
      mbarrier_init(&full[i], bug == 2 ? 33 : 32);
      mbarrier_init(&empty[i], 32);
    }
  __syncthreads();
  for (int i = 0; i < 8; i++) {
    const int slot = i % 2, parity = i / 2 % 2;
    if (threadIdx.x < 32) {
      if (i >= 2) mbarrier_wait(&empty[slot], parity ^ 1); // @refill
      if (bug == 1) mbarrier_arrive(&full[slot]);
      buffer[slot][lane] = i * 100 + lane;        // @fill
      if (bug != 1) mbarrier_arrive(&full[slot]);
    } else {
      mbarrier_wait(&full[slot], bug == 3 ? 2 : parity); // @wait
      const int x = buffer[slot][31 - lane];             // @drain
      if (blockIdx.x == 0) out[i * 32 + lane] = x;
      mbarrier_arrive(&empty[slot]);
    }
  }
}
RUN(ring, 2, 64, (int *)memory, first)

/* Warp 1 asks whether warp 0 has arrived. first = 1: only once; 2: a few times,
 * which in order 2 is not enough; 3: wrong where it is told so at once. */
__global__ void one_try(int *out, int bug) {
  __shared__ uint64_t barrier;
  __shared__ int tile[32];
  const int t = threadIdx.x;
  if (t == 0) mbarrier_init(&barrier, 32);
  __syncthreads();
  if (t < 32) {
    tile[t] = t; // @try-write
    mbarrier_arrive(&barrier);
  } else if (bug == 1) {
    (void)mbarrier_try_wait(&barrier, 0); // @try
    out[t] = tile[t - 32];                // @try-read
  } else if (bug == 2) {
    for (int i = 0; i < 6; i++) mbarrier_try_wait(&barrier, 0); // @tries
    out[t] = tile[t - 32];                                      // @tries-read
  } else if (bug == 3 && mbarrier_try_wait(&barrier, 0)) {
    tile[0] = t; // @at-once
  } else {
    while (!mbarrier_try_wait(&barrier, 0)) __nanosleep(20);
    out[t] = tile[t - 32];
  }
}
RUN(one_try, 1, 64, (int *)memory, first)

/* A word is cleared by many, and set by one.
 *   1  with nothing between lanes of a warp
 *   2  with a barrier that half of the warps are not in, and cleared again */
__global__ void cleared(int *out, int bug) {
  __shared__ int word[2];
  const int t = threadIdx.x;
  word[0] = 0; // @clear
  if (bug == 0) __syncthreads();
  if (bug == 2 && t < 64) {
    named_barrier_sync(1, 64);
    if (t == 0) word[0] = 0;
    __syncwarp();
  }
  if (t == 0) word[0] = 1; // @set-one
  __syncthreads();
  out[t] = word[0];
}
RUN(cleared, 1, 128, (int *)memory, first)

/* Two pairs of warps exchange over named barriers; a third one waits for all.
 *   0  each pair has its own   1  both pairs have the same
 *   2  no bug: the pairs use it one after the other */
__global__ void __launch_bounds__(128) pairs(int *out, int bug) {
  __shared__ int tile[128];
  const int t = threadIdx.x, pair = t / 64;
  tile[t] = t;
  named_barrier_sync(bug ? 1 : 1 + pair, 64); // @pair-meets
  const int x = tile[t ^ 32];
  named_barrier_sync(3, 128);
  tile[t] = x;
  __syncthreads();
  out[t] = tile[127 - t];
}
RUN(pairs, 1, 128, (int *)memory, first)

/* A named barrier takes whole warps, each by one instruction.
 *   0  no bug: one warp arrives, one waits
 *   1  half of each warp comes
 *   2  of one warp, one lane arrives and the others wait */
__global__ void __launch_bounds__(64) split_warps(int *out, int bug) {
  const int t = threadIdx.x;
  if (bug == 1) {
    if (t % 32 < 16) named_barrier_sync(1, 32); // @half-warps
  } else if (t == (bug == 2 ? 32 : 0) || (bug == 0 && t < 32)) {
    named_barrier_arrive(1, 64); // @one-lane
  } else {
    named_barrier_sync(1, 64); // @other-lanes
  }
  out[t] = t;
}
RUN(split_warps, 1, 64, (int *)memory, first)

/* Each block counts its threads, in words of global memory.
 *   0  with atomics                1  without, in one word
 *   2  the first block alone writes plainly, and others read */
__device__ int blocks_done;
__global__ void __launch_bounds__(32) blocks_meet(int *out, int bug) {
  if (threadIdx.x > 0) return;
  if (bug == 0) atomicAdd(&out[0], 1);
  if (bug == 1) blocks_done++; // @plain-count
  if (bug == 2 && blockIdx.x == 0) out[0] = 1; // @plain-write
  if (bug == 2 && blockIdx.x > 0) out[blockIdx.x] = out[0]; // @plain-read
}
RUN(blocks_meet, 4, 32, (int *)memory, first)

/* Warps exchange through global memory. first = 1: without a barrier. */
__global__ void global_exchange(int *out, int bug) {
  const int t = threadIdx.x;
  out[t] = t; // @global-write
  if (bug == 0) __syncthreads();
  out[64 + t] = out[63 - t]; // @global-read
}
RUN(global_exchange, 1, 64, (int *)memory, first)

/* Warp 1 reads the tile where warp 0 has not said yet that it is busy. */
__global__ void first_come(int *out) {
  __shared__ int busy, tile[32];
  const int t = threadIdx.x;
  if (t == 0) busy = 0;
  __syncthreads();
  if (t < 32) {
    tile[t] = t; // @first-write
    atomicExch(&busy, 1);
  } else if (atomicAdd(&busy, 0) == 0) {
    out[t] = tile[t - 32]; // @first-read
  }
}
RUN(first_come, first, 64, (int *)memory)

/* Threads count themselves in, with fences.
 *   0  no bug: they wait until all have come
 *   1  nobody waits, of two warps   2  of one */
__global__ void counted_in(int *out, int bug) {
  __shared__ int came, tile[64];
  const int t = threadIdx.x, other = bug == 2 ? t ^ 1 : t ^ 32;
  if (t == 0) came = 0;
  __syncthreads();
  tile[t] = t; // @counted-write
  __threadfence_block();
  atomicAdd(&came, 1);
  while (bug == 0 && atomicAdd(&came, 0) < 64) {}
  __threadfence_block();
  out[t] = tile[other]; // @counted-read
}
RUN(counted_in, 1, 64, (int *)memory, first)

/* Each half of the warp reduces alone: 9 results of lane l go to out[9 l]. */
__global__ void reductions(int *out) {
  const int lane = threadIdx.x, x = lane * 3 - 40;
  const unsigned mask = lane < 16 ? 0x0000ffffu : 0xffff0000u;
  int *mine = out + 9 * lane;
  mine[0] = __reduce_add_sync(mask, x);
  mine[1] = __reduce_min_sync(mask, x);
  mine[2] = __reduce_max_sync(mask, x);
  mine[3] = __reduce_add_sync(mask, (unsigned)x);
  mine[4] = __reduce_min_sync(mask, (unsigned)x);
  mine[5] = __reduce_max_sync(mask, (unsigned)x);
  mine[6] = __reduce_and_sync(mask, 0x1000u + lane);
  mine[7] = __reduce_or_sync(mask, 1u << lane);
  mine[8] = __reduce_xor_sync(mask, 1u << lane % 5);
}
RUN(reductions, 1, 32, (int *)memory)

/* By any distance, of which a GPU takes five bits: 3 results of each lane. */
__global__ void far_shuffles(int *out) {
  const int t = threadIdx.x;
  for (int d = -40; d < 80; d += 3, out += 96) {
    out[t] = __shfl_up_sync(0xffffffffu, t, d, 16);
    out[32 + t] = __shfl_down_sync(0xffffffffu, t, d);
    out[64 + t] = __shfl_xor_sync(0xffffffffu, t, d, 8);
  }
}
RUN(far_shuffles, 1, 32, (int *)memory)

/* Every operation on 4 and 8 bytes, on words that begin as the host says. */
__global__ void every_atomic(unsigned *word, unsigned long long *wide) {
  const unsigned t = threadIdx.x;
  atomicAdd(&word[0], t);
  atomicMin(&word[1], t);
  atomicMax(&word[2], t);
  atomicMin((int *)&word[3], -(int)t);
  atomicMax((int *)&word[4], (int)t - 10);
  atomicAnd(&word[5], ~(1u << t % 32));
  atomicOr(&word[6], 1u << t % 32);
  atomicXor(&word[7], 1u << t % 8);
  if (t == 7) atomicExch(&word[8], 70u);
  atomicCAS(&word[9], 0u, 9u);
  atomicAdd((float *)&word[10], 0.25f);
  atomicAdd(&wide[0], 1ull << 32);
  atomicMax(&wide[1], (unsigned long long)t << 40);
  if (t == 9) atomicExch(&wide[2], 1ull << 50);
  atomicCAS(&wide[3], 0ull, 1ull << 60);
  atomicAdd((double *)&wide[4], 0.5);
}
RUN(every_atomic, 4, 64, (unsigned *)memory, (unsigned long long *)memory + 8)

/* Two numbers at once; 2049 is between two halves, 257 between two bfloats. */
__global__ void pair_atomics(__half2 *halves, __nv_bfloat162 *bfloats,
                             float2 *floats) {
  if (threadIdx.x == 0) {
    *halves = __floats2half2_rn(2048.0f, 1.0f);
    *bfloats = __floats2bfloat162_rn(256.0f, -1.0f);
  }
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(halves, __floats2half2_rn(1.0f, 0.5f));
  if (threadIdx.x == 0) atomicAdd(bfloats, __floats2bfloat162_rn(1.0f, 0.5f));
#if !defined __CUDA_ARCH__ || __CUDA_ARCH__ >= 900
  atomicAdd(floats, float2{1.0f, 0.25f});
#endif
}
RUN(pair_atomics, 1, 64, (__half2 *)memory, (__nv_bfloat162 *)memory + 1,
    (float2 *)memory + 1)

/* Each lane adds `first` ones. */
__global__ void many_atomics(int *out, int count) {
  for (int i = 0; i < count; i++) atomicAdd(out, 1);
}
RUN(many_atomics, 1, 32, (int *)memory, first)
