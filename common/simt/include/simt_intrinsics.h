#pragma once

/* Built-in functions that the stages do without, and programs and labs do
 * not. */

#include <limits>

/* ---- atomics ---- */

SIMT_INLINE unsigned atomicSub(unsigned *at, unsigned x) {
  return atomicAdd(at, 0u - x);
}
SIMT_INLINE int atomicSub(int *at, int x) { return atomicAdd(at, -x); }
SIMT_INLINE unsigned atomicInc(unsigned *at, unsigned limit) {
  unsigned old = *(volatile unsigned *)at, seen;
  while ((seen = atomicCAS(at, old, old >= limit ? 0u : old + 1)) != old)
    old = seen;
  return old;
}
SIMT_INLINE unsigned atomicDec(unsigned *at, unsigned limit) {
  unsigned old = *(volatile unsigned *)at, seen;
  while ((seen = atomicCAS(at, old, old == 0 || old > limit ? limit
                                                            : old - 1)) != old)
    old = seen;
  return old;
}

/* ---- warps ---- */

// Bit by bit: 0.0f and -0.0f are two values, and NaN is one.
template <class T>
SIMT_INLINE bool simt_same_bits(T a, T b) {
  uint64_t x = 0, y = 0;
  __builtin_memcpy(&x, &a, sizeof a);
  __builtin_memcpy(&y, &b, sizeof b);
  return x == y;
}
template <class T>
SIMT_INLINE unsigned __match_any_sync(unsigned mask, T value) {
  unsigned same = 0;
  for (unsigned lane = 0; lane < 32; lane++)
    if (mask >> lane & 1)
      same |= unsigned{simt_same_bits(simt_shuffle_value(mask, value, lane),
                                      value)} << lane;
  return same;
}
template <class T>
SIMT_INLINE unsigned __match_all_sync(unsigned mask, T value, int *all) {
  const T first = simt_shuffle_value(mask, value, __builtin_ctz(mask));
  *all = __all_sync(mask, simt_same_bits(value, first));
  return *all ? mask : 0;
}

/* ---- arithmetic ---- */

SIMT_INLINE float __fadd_rn(float a, float b) { return a + b; }
SIMT_INLINE float __fsub_rn(float a, float b) { return a - b; }
SIMT_INLINE float __fmul_rn(float a, float b) { return a * b; }
SIMT_INLINE float __fdiv_rn(float a, float b) { return a / b; }
SIMT_INLINE float __fsqrt_rn(float a) { return sqrtf(a); }
SIMT_INLINE float __frsqrt_rn(float a) { return 1 / sqrtf(a); }
SIMT_INLINE double __dadd_rn(double a, double b) { return a + b; }
SIMT_INLINE double __dmul_rn(double a, double b) { return a * b; }
SIMT_INLINE double __fma_rn(double a, double b, double c) {
  return fma(a, b, c);
}
SIMT_INLINE double rsqrt(double a) { return 1 / sqrt(a); }
SIMT_INLINE float __saturatef(float x) { return x > 1 ? 1 : x > 0 ? x : 0; }
SIMT_INLINE float normcdff(float x) { return 0.5f * erfcf(-x * 0.70710678f); }
#define __sinf(...) sinf(__VA_ARGS__)
#define __cosf(...) cosf(__VA_ARGS__)
#define __tanf(...) tanf(__VA_ARGS__)
#define __powf(x, y) exp2f((y) * log2f(x))
#define __log10f(...) log10f(__VA_ARGS__)
#define __exp10f(...) exp10f(__VA_ARGS__)
#define __sincosf(x, s, c) sincosf(x, s, c)
/* The C library's would store by a pointer, and nobody would see it. */
SIMT_INLINE void simt_sincosf(float x, float *s, float *c) {
  *s = sinf(x);
  *c = cosf(x);
}
#define sincosf(x, s, c) simt_sincosf(x, s, c)
SIMT_INLINE float simt_modff(float x, float *whole) {
  *whole = truncf(x);
  return copysignf(__builtin_isinf(x) ? 0.0f : x - *whole, x);
}
#define modff(x, whole) simt_modff(x, whole)
SIMT_INLINE float simt_frexpf(float x, int *exponent) {
  *exponent = x != 0 && __builtin_isfinite(x) ? ilogbf(x) + 1 : 0;
  return scalbnf(x, -*exponent);
}
#define frexpf(x, exponent) simt_frexpf(x, exponent)
SIMT_INLINE unsigned __umul24(unsigned a, unsigned b) {
  return (a & 0xFFFFFF) * (b & 0xFFFFFF);
}
SIMT_INLINE int simt_low24(int x) { return (int)((unsigned)x << 8) >> 8; }
SIMT_INLINE int __mul24(int a, int b) {
  return (int)((unsigned)simt_low24(a) * (unsigned)simt_low24(b));
}
SIMT_INLINE int __mulhi(int a, int b) { return (int)((int64_t)a * b >> 32); }
SIMT_INLINE unsigned __umulhi(unsigned a, unsigned b) {
  return (unsigned)((uint64_t)a * b >> 32);
}
SIMT_INLINE long long __mul64hi(long long a, long long b) {
  return (long long)((__int128)a * b >> 64);
}
SIMT_INLINE unsigned long long __umul64hi(unsigned long long a,
                                          unsigned long long b) {
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}
SIMT_INLINE int __popcll(unsigned long long x) {
  return __builtin_popcountll(x);
}
SIMT_INLINE int __clzll(long long x) { return x ? __builtin_clzll(x) : 64; }
SIMT_INLINE int __ffsll(long long x) { return __builtin_ffsll(x); }
SIMT_INLINE unsigned __brev(unsigned x) {
  unsigned y = 0;
  for (int i = 0; i < 32; i++) y |= (x >> i & 1) << (31 - i);
  return y;
}
SIMT_INLINE unsigned __funnelshift_l(unsigned low, unsigned high, unsigned n) {
  return (unsigned)((((uint64_t)high << 32 | low) << (n & 31)) >> 32);
}
SIMT_INLINE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned n) {
  return (unsigned)(((uint64_t)high << 32 | low) >> (n & 31));
}
/* The nearest there is; of a NaN 0, or the highest bit alone where either type
 * has 64 bits (so on an H100). */
template <class T, class F> SIMT_INLINE T simt_saturated(F number) {
  using limits = std::numeric_limits<T>;
  const double x = number;
  if (x != x)
    return sizeof(T) + sizeof(F) > 8 ? (T)(1ull << (8 * sizeof(T) - 1)) : 0;
  return x <= (double)limits::min()   ? limits::min()
         : x >= (double)limits::max() ? limits::max()
                                      : (T)x;
}
#define SIMT_ROUNDED(name, T, to, wide)                                        \
  SIMT_INLINE to name##_rn(T x) { return simt_saturated<to>(rint(wide(x))); }  \
  SIMT_INLINE to name##_rd(T x) { return simt_saturated<to>(floor(wide(x))); } \
  SIMT_INLINE to name##_ru(T x) { return simt_saturated<to>(ceil(wide(x))); }
#define SIMT_TO_INTEGER(name, T, to)                                           \
  SIMT_ROUNDED(name, T, to, T)                                                 \
  SIMT_INLINE to name##_rz(T x) { return simt_saturated<to>(x); }
SIMT_TO_INTEGER(__float2int, float, int)
SIMT_TO_INTEGER(__float2uint, float, unsigned)
SIMT_TO_INTEGER(__float2ll, float, long long)
SIMT_TO_INTEGER(__float2ull, float, unsigned long long)
SIMT_TO_INTEGER(__double2int, double, int)
SIMT_TO_INTEGER(__double2uint, double, unsigned)
SIMT_TO_INTEGER(__double2ll, double, long long)
SIMT_TO_INTEGER(__double2ull, double, unsigned long long)
SIMT_INLINE float __double2float_rn(double x) { return (float)x; }
SIMT_INLINE float __ll2float_rn(long long x) { return (float)x; }
SIMT_INLINE float __ull2float_rn(unsigned long long x) { return (float)x; }
SIMT_INLINE double __int2double_rn(int x) { return x; }
SIMT_INLINE double __uint2double_rn(unsigned x) { return x; }
SIMT_INLINE float __int2float_rn(int x) { return (float)x; }
SIMT_INLINE float __uint2float_rn(unsigned x) { return (float)x; }
SIMT_INLINE long long __double_as_longlong(double x) {
  return simt_bits<long long>(x);
}
SIMT_INLINE double __longlong_as_double(long long x) {
  return simt_bits<double>(x);
}
SIMT_INLINE int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 32; i += 8) c += (int8_t)(a >> i) * (int8_t)(b >> i);
  return c;
}
SIMT_INLINE unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 32; i += 8) c += (a >> i & 255) * (b >> i & 255);
  return c;
}

/* ---- memory ---- */

#define __ldcs(...) simt_load_global(__VA_ARGS__)
#define __ldca(...) simt_load_global(__VA_ARGS__)
#define __ldlu(...) simt_load_global(__VA_ARGS__)
template <class T> SIMT_INLINE T __ldcv(const T *at) {
  simt_use_global(at, 0);
  return *(const volatile T *)at;
}
template <class T> SIMT_INLINE void simt_store_global(T *at, T x) {
  simt_use_global(at, 0);
  *at = x;
}
#define __stcs(address, x) simt_store_global(address, x)
#define __stcg(address, x) simt_store_global(address, x)
#define __stwb(address, x) simt_store_global(address, x)
#define __stwt(address, x) simt_store_global(address, x)
#define __builtin_assume(x) ((void)0)
#define __builtin_assume_aligned(p, n) (p)

/* ---- what CUDA's headers have of 16-bit numbers for nvcc alone: through
 * floats, or double for what must be rounded once ---- */

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

SIMT_ROUNDED(__half2int, __half, int, __half2float)
SIMT_ROUNDED(__half2uint, __half, unsigned, __half2float)
SIMT_ROUNDED(__half2short, __half, short, __half2float)
SIMT_ROUNDED(__half2ushort, __half, unsigned short, __half2float)

SIMT_MATH_OF_16_BITS(__half, __half2, __half2float, __float2half, __double2half)
