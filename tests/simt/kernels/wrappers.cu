#include <cuda_pipeline.h>

#include "common/device/ptx/e4m3.cuh"
#include "common/device/ptx/exp2.cuh"
#include "common/device/ptx/ldmatrix.cuh"
#include "common/device/ptx/mbarrier.cuh"
#include "common/device/ptx/mma.cuh"
#include "common/device/ptx/named_barrier.cuh"
#include "common/device/ptx/timer.cuh"
#include "tests/simt/kernels/wrappers.cuh"

/* The wrappers of common/device/ptx that all GPUs have, and those of 8.9. */

/* first = 1: codes that are NaN, too. */
template <bool HIGH>
__global__ void widen(const unsigned *in, unsigned *out, int nans) {
  for (int i = threadIdx.x; i < 8192; i += 32) {
    const unsigned x = nans ? in[i] : codes(in[i]);
    out[i] = HIGH ? widen_high(x) : widen_low(x);
  }
}
RUN(widen_low, LAUNCH(widen<false>, 1, 32, 0, 0, (unsigned *)memory,
                      results<unsigned>(memory), first))
RUN(widen_high, LAUNCH(widen<true>, 1, 32, 0, 0, (unsigned *)memory,
                       results<unsigned>(memory), first))

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
RUN(exp2_approx, LAUNCH(powers, 1, 32, 0, 0, (unsigned *)memory,
                        results<unsigned>(memory)))

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
RUN(ldmatrix_x4, LAUNCH(load_matrices<false>, 1, 32, 0, 0, (uint4 *)memory,
                        results<uint4>(memory)))
RUN(ldmatrix_x4_trans, LAUNCH(load_matrices<true>, 1, 32, 0, 0, (uint4 *)memory,
                              results<uint4>(memory)))

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
RUN(mma_m16n8k16, LAUNCH(multiply<false>, 1, 32, 0, 0, (unsigned *)memory,
                         results<float>(memory)))
RUN(mma_m16n8k32, LAUNCH(multiply<true>, 1, 32, 0, 0, (unsigned *)memory,
                         results<float>(memory)))

/* A try may say false at any time, and the executor's first three may. */
__device__ inline bool ended(uint64_t *barrier, int parity) {
  bool told = false;
  for (int i = 0; i < 4 && !told; i++)
    told = mbarrier_try_wait(barrier, parity);
  return told;
}

/* One thread: has a phase of 1 to 16 arrivals ended, after each of them? */
__global__ void phases(const unsigned *in, unsigned *out) {
  __shared__ uint64_t barrier[8];
  for (int n = 0; n < 8; n++) {
    const int count = 1 + in[n] % 16;
    mbarrier_init(&barrier[n], count);
    for (int i = 0; i < 2 * count; i++) {
      mbarrier_arrive(&barrier[n]);
      out[64 * n + i] = ended(&barrier[n], 0) + 2 * ended(&barrier[n], 1);
    }
  }
}
RUN(mbarrier_phases, LAUNCH(phases, 1, 1, 0, 0, (unsigned *)memory,
                            results<unsigned>(memory)))

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
RUN(handed_over, LAUNCH(handed_over, 1, 64, 0, 0, (uint4 *)memory,
                        results<uint4>(memory), first))

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
RUN(global_timer, LAUNCH(clock_goes_on, 1, 32, 0, 0, results<unsigned>(memory)))
