#ifndef SCORES_CUH
#define SCORES_CUH

#include <cuda_fp8.h>

#include "common/device/ptx/exp2.cuh"
#include "floor/kernels.h"

// As in stage 12: four numbers become codes, the first in the lowest byte.
__device__ inline unsigned narrow_four(float a, float b, float c, float d) {
  const unsigned low =
      __nv_cvt_float2_to_fp8x2(make_float2(a, b), __NV_SATFINITE, __NV_E4M3);
  const unsigned high =
      __nv_cvt_float2_to_fp8x2(make_float2(c, d), __NV_SATFINITE, __NV_E4M3);
  return high << 16 | low;
}

//> scores
// What softmax does with each score of a tile: multiply-add, maximum,
// exponential, sum, half a conversion. In each round `shift` is another one, so
// that no round repeats the work of one before it, and everything is used.
__device__ inline score_result soften(const float *in, int rounds) {
  float s[SCORES], highest[4], sum[2] = {0.0f, 0.0f}, shift = 0.0f;
  unsigned codes = 0;
#pragma unroll
  for (int j = 0; j < SCORES; j++) s[j] = in[j];
#pragma unroll
  for (int j = 0; j < 4; j++) highest[j] = -INFINITY;
#pragma unroll 1
  for (int round = 0; round < rounds; round++) {
    float p[SCORES];
    //> score-work
#pragma unroll
    for (int j = 0; j < SCORES; j++) {
      const float x = fmaf(s[j], 2.0f, shift);
      highest[j % 4] = fmaxf(highest[j % 4], x);
      p[j] = exp2_approx(x);
      sum[j / 2 % 2] += p[j];
    }
#pragma unroll
    for (int j = 0; j < SCORES; j += 8)
#pragma unroll
      for (int r = j; r < j + 4; r += 2)
        codes ^= narrow_four(p[r], p[r + 1], p[r + 4], p[r + 5]);
    //< score-work
    shift = -1.0f - shift;
  }
  return {fmaxf(fmaxf(highest[0], highest[1]), fmaxf(highest[2], highest[3])),
          {sum[0], sum[1]},
          codes};
}
//< scores

#endif
