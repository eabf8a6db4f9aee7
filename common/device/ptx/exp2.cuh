#ifndef EXP2_CUH
#define EXP2_CUH

#include <cmath>

//> exp2
/* 2^x by one instruction of the special-function unit; results below 2^-126
 * are 0. PTX ISA, "ex2". */
__device__ inline float exp2_approx(float x) {
#ifdef SIMT
  const float result = exp2f(x);
  return result < 1.17549435e-38f ? 0.0f : result;
#else
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
#endif
}
//< exp2

#endif
