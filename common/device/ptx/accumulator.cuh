#ifndef ACCUMULATOR_CUH
#define ACCUMULATOR_CUH

/* Which element of a 16 x 16 WMMA accumulator of floats a lane holds as x[i].
 * CUDA leaves this open. It has been the same since sm_80, and tests/device
 * compares every element, here and on any GPU that runs it. */

__host__ __device__ inline int accumulator_row(int lane, int i) {
  return lane / 4 + i / 2 % 2 * 8;
}

__host__ __device__ inline int accumulator_column(int lane, int i) {
  return lane % 4 * 2 + i % 2 + i / 4 * 8;
}

#endif
