#ifndef FAST_EXP_CUH
#define FAST_EXP_CUH

/* e^x for x <= 0 without the special-function unit, relative error below
 * 1.1e-4 down to x = -87, tested over the whole range by tests/device. Below
 * that, -infinity included, the result is at most 2^-126.
 *
 * x log2(e) = n + f with n whole and f in [-1/2, 1/2]. Adding 1.5 * 2^23 leaves
 * n in the low bits of the sum. The polynomial is 2^f, and 1 at
 * f = 0: a row whose maximum stays is multiplied by e^0 at every step. */
__host__ __device__ inline float fast_exp(float x) {
  const float y = fmaxf(x * 1.4426950408889634f, -126.0f);
  const float rounded = y + 12582912.0f;
  const float f = y - (rounded - 12582912.0f);
  float power = 0.05500876f;
  power = power * f + 0.24221139f;
  power = power * f + 0.69328302f;
  power = power * f + 1.0f;
#ifdef __CUDA_ARCH__
  return __int_as_float(__float_as_int(power) +
                        (__float_as_int(rounded) << 23));
#else
  unsigned bits, n;
  memcpy(&bits, &power, sizeof bits);
  memcpy(&n, &rounded, sizeof n);
  bits += n << 23;
  memcpy(&power, &bits, sizeof power);
  return power;
#endif
}

#endif
