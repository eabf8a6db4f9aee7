#include <cuda_pipeline.h>

#include "common/device/interface/launch.cuh"
#include "common/device/ptx/e4m3.cuh"
#include "common/device/ptx/exp2.cuh"
#include "common/device/ptx/ldmatrix.cuh"
#include "common/device/ptx/mbarrier.cuh"
#include "common/device/ptx/mma.cuh"
#include "common/device/ptx/named_barrier.cuh"
#include "common/device/ptx/timer.cuh"
#define FILLING RANDOM
#include "tests/simt/kernels/kernels.h"

/* The wrappers of common/device/ptx that all GPUs have, and those of 8.9, each on
 * random bits: its instruction on a GPU, its twin on the executor. Memory begins
 * with them. */
/* A random number of these is no NaN, nor infinite. */
__device__ inline unsigned codes(unsigned bits) { return bits & 0xfefefefe; }
__device__ inline unsigned halves(unsigned bits) { return bits & 0xbfffbfff; }
__device__ inline float whole(unsigned bits) { return (int)bits >> 24; }

/* Lines in any order, by lane. */
__device__ inline int line_of(int lane, int turn) {
  return (lane * 7 + turn) % 32;
}

/* first = 1: codes that are NaN, too. */
template <bool HIGH>
__global__ void widen(const unsigned *in, unsigned *out, int nans) {
  for (int i = threadIdx.x; i < 8192; i += 32) {
    const unsigned x = nans ? in[i] : codes(in[i]);
    out[i] = HIGH ? widen_high(x) : widen_low(x);
  }
}
RUN_OF(widen_low, widen<false>, 1, 32, (unsigned *)memory,
       results<unsigned>(memory), first)
RUN_OF(widen_high, widen<true>, 1, 32, (unsigned *)memory,
       results<unsigned>(memory), first)

/* To copy: a run that is called as its wrapper and judges it. Word i becomes i
 * where the result is right, and else the result.
 * This instruction leaves open how it rounds: 2 units in the last place of 2^x,
 * of the CUDA C++ Programming Guide; 0 below 2^-126. */
__global__ void powers(const unsigned *in, unsigned *out) {
  const float edges[8] = {0.0f,   -0.0f,   INFINITY, -INFINITY,
                          1e-40f, -1e-40f, -126.0f,  128.0f};
  for (int i = threadIdx.x; i < 8192; i += 32) {
    const float x = i < 8 ? edges[i] : (int)in[i] * 0x1p-23f;
    const float y = exp2_approx(x);
    const double right = exp2((double)x);
    const bool close = right >= 0x1p-126 && right < 0x1p128
                           ? fabs(y - right) <= right * 0x1p-22
                           : y == (right > 1.0 ? INFINITY : 0.0f);
    out[i] = close ? i : __float_as_uint(y);
  }
}
RUN_OF(exp2_approx, powers, 1, 32, (unsigned *)memory,
       results<unsigned>(memory))

template <bool TRANSPOSED>
__global__ void load_matrices(const uint4 *in, uint4 *out) {
  __shared__ __align__(16) uint4 lines[32];
  const int lane = threadIdx.x;
  for (int turn = 0; turn < 64; turn++) {
    lines[lane] = in[32 * turn + lane];
    __syncwarp();
    unsigned r[4];
    if (TRANSPOSED)
      ldmatrix_x4_trans(r, &lines[line_of(lane, turn)]);
    else
      ldmatrix_x4(r, &lines[line_of(lane, turn)]);
    out[32 * turn + lane] = make_uint4(r[0], r[1], r[2], r[3]);
    __syncwarp();
  }
}
RUN_OF(ldmatrix_x4, load_matrices<false>, 1, 32, (uint4 *)memory,
       results<uint4>(memory))
RUN_OF(ldmatrix_x4_trans, load_matrices<true>, 1, 32, (uint4 *)memory,
       results<uint4>(memory))

/* 64 products; the sums begin with small whole numbers. */
template <bool CODES> __global__ void multiply(const unsigned *in, float *out) {
  for (int turn = 0; turn < 64; turn++) {
    const int place = (32 * turn + threadIdx.x) * 4;
    unsigned word[6];
    float d[4];
    for (int i = 0; i < 6; i++) {
      const unsigned bits = in[(place + i * 1031) % 8192];
      word[i] = CODES ? codes(bits) : halves(bits);
    }
    for (int i = 0; i < 4; i++) d[i] = whole(in[place + i]);
    const unsigned a[4] = {word[0], word[1], word[2], word[3]};
    if (CODES)
      mma_m16n8k32(d, a, word[4], word[5]);
    else
      mma_m16n8k16(d, a, word[4], word[5]);
    for (int i = 0; i < 4; i++) out[place + i] = d[i];
  }
}
RUN_OF(mma_m16n8k16, multiply<false>, 1, 32, (unsigned *)memory,
       results<float>(memory))
RUN_OF(mma_m16n8k32, multiply<true>, 1, 32, (unsigned *)memory,
       results<float>(memory))

/* A warp copies, and another one uses it: first = 0, mbarriers and cp.async; 1,
 * named barriers of random numbers. */
__global__ void handed_over(const uint4 *in, uint4 *out, int named) {
  __shared__ uint64_t full, empty;
  __shared__ __align__(16) uint4 lines[32];
  const int lane = threadIdx.x % 32;
  const bool copies = threadIdx.x < 32;
  if (threadIdx.x == 0) {
    mbarrier_init(&full, 32);
    mbarrier_init(&empty, 32);
  }
  for (int i = 0; named && i < 2; i++) /* who only arrives goes on */
    if (copies)
      named_barrier_arrive(8 + i, 64);
    else
      named_barrier_sync(9 - i, 64);
  __syncthreads();
  for (int turn = 0; turn < 32; turn++) {
    const int fills = 1 + in[turn].x % 7, empties = 8 + in[turn].y % 8;
    if (copies && named) {
      if (turn) named_barrier_sync(8 + in[turn - 1].y % 8, 64);
      lines[lane] = in[32 * turn + lane];
      named_barrier_arrive(fills, 64);
    } else if (copies) {
      if (turn) mbarrier_wait(&empty, (turn - 1) % 2);
      __pipeline_memcpy_async(&lines[lane], &in[32 * turn + lane], 16);
      mbarrier_arrive_after_copies(&full);
    } else {
      if (named)
        named_barrier_sync(fills, 64);
      else
        mbarrier_wait(&full, turn % 2);
      out[32 * turn + lane] = lines[31 - lane];
      if (!named)
        mbarrier_arrive(&empty);
      else if (turn < 31)
        named_barrier_arrive(empties, 64);
    }
  }
}
RUN(handed_over, 1, 64, (uint4 *)memory, results<uint4>(memory), first)

/* The clock goes on, and never back. */
__global__ void clock_goes_on(unsigned *out) {
  const uint64_t first = global_timer();
  uint64_t last = first;
  bool back = false;
  for (int i = 0; i < 1 << 20 && last == first; i++) {
    const uint64_t now = global_timer();
    back |= now < last;
    last = now;
  }
  out[threadIdx.x] = 2 * (last > first) + back;
}
RUN_OF(global_timer, clock_goes_on, 1, 32, results<unsigned>(memory))
