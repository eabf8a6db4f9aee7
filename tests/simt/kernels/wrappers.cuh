#ifndef WRAPPERS_CUH
#define WRAPPERS_CUH

#include "common/device/interface/launch.cuh"
#define FILLING RANDOM
#include "tests/simt/kernels/kernels.h"

/* The wrappers of common/device/ptx, each on random bits: its instruction on a
 * GPU, its twin on the executor. Memory begins with them. */
/* A random number of these is no NaN, nor infinite. */
__device__ inline unsigned codes(unsigned bits) { return bits & 0xfefefefe; }
__device__ inline unsigned halves(unsigned bits) { return bits & 0xbfffbfff; }
__device__ inline float whole(unsigned bits) { return (int)bits >> 24; }

/* Lines in any order, by lane. */
__device__ inline int line_of(int lane, int turn) {
  return (lane * 7 + turn) % 32;
}

#endif
