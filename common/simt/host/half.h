#ifndef SIMT_HALF_H
#define SIMT_HALF_H

/* What CUDA's headers have of 16-bit numbers for nvcc alone: through floats, or
 * double for what must be rounded once. */

#define SIMT_MATH_OF_16_BITS(T, PAIR, to_float, from_float, from_double)       \
  SIMT_OF_16_BITS(T, PAIR, to_float, from_float, hexp, h2exp, expf(x))         \
  SIMT_OF_16_BITS(T, PAIR, to_float, from_float, hexp2, h2exp2, exp2f(x))      \
  SIMT_OF_16_BITS(T, PAIR, to_float, from_float, hlog, h2log, logf(x))         \
  SIMT_OF_16_BITS(T, PAIR, to_float, from_float, hlog2, h2log2, log2f(x))      \
  SIMT_OF_16_BITS(T, PAIR, to_float, from_float, hsqrt, h2sqrt, sqrtf(x))      \
  SIMT_OF_16_BITS(T, PAIR, to_float, from_float, hrsqrt, h2rsqrt, rsqrtf(x))   \
  SIMT_OF_16_BITS(T, PAIR, to_float, from_float, hrcp, h2rcp, 1 / x)           \
  SIMT_OF_16_BITS(T, PAIR, to_float, from_float, hsin, h2sin, sinf(x))         \
  SIMT_OF_16_BITS(T, PAIR, to_float, from_float, hcos, h2cos, cosf(x))         \
  SIMT_OF_16_BITS(T, PAIR, to_float, from_float, htanh, h2tanh, tanhf(x))      \
  SIMT_OF_16_BITS(T, PAIR, to_float, from_float, hfloor, h2floor, floorf(x))   \
  SIMT_OF_16_BITS(T, PAIR, to_float, from_float, hceil, h2ceil, ceilf(x))      \
  SIMT_OF_16_BITS(T, PAIR, to_float, from_float, hrint, h2rint, rintf(x))      \
  SIMT_OF_16_BITS(T, PAIR, to_float, from_float, htrunc, h2trunc, truncf(x))   \
  SIMT_INLINE T __hfma(T a, T b, T c) {                                        \
    return from_double((double)to_float(a) * to_float(b) + to_float(c));       \
  }                                                                            \
  SIMT_INLINE PAIR __hfma2(PAIR a, PAIR b, PAIR c) {                           \
    return PAIR(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));                 \
  }
#define SIMT_OF_16_BITS(T, PAIR, to_float, from_float, name, of_two, result)   \
  SIMT_INLINE T name(T number) {                                               \
    const float x = to_float(number);                                          \
    return from_float(result);                                                 \
  }                                                                            \
  SIMT_INLINE PAIR of_two(PAIR p) { return PAIR(name(p.x), name(p.y)); }

SIMT_MATH_OF_16_BITS(__half, __half2, __half2float, __float2half,
                     __double2half)
SIMT_MATH_OF_16_BITS(__nv_bfloat16, __nv_bfloat162, __bfloat162float,
                     __float2bfloat16, __double2bfloat16)

#endif
