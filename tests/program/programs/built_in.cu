// What built-in functions make of numbers that the host's have other ideas of.
#include <cmath>
#include <cstdio>
#include <cuda_fp16.h>

#define EXPECT(what) (wrong += !(what))

__global__ void check(int *out, float nan, float minus) {
  int wrong = 0;
  EXPECT(__saturatef(nan) == 0);
  EXPECT(__saturatef(2 * -minus) == 1);
  EXPECT(isnan(__powf(minus, 2.0f)));
  EXPECT(__umul24(1u << 24 | 3, 5) == 15);
  EXPECT(__mul24(0x00ffffff, 7) == -7);
  EXPECT(__mul64hi(-1, 5) == -1);
  EXPECT(__umul64hi(~0ull, 1ull << 40) == (1ull << 40) - 1);
  EXPECT(__float2int_rd(-INFINITY) == -2147483647 - 1);
  EXPECT(__float2int_rn(3e9f) == 2147483647);
  EXPECT(__float2int_rz(nan) == 0);
  EXPECT(__float2uint_rn(minus) == 0);
  EXPECT(__float2ll_rn(2.5f) == 2);
  EXPECT(__double2ll_ru(9.3e18) == 0x7fffffffffffffff);
  EXPECT(__float2ll_rz(nan) == -0x7fffffffffffffff - 1);
  EXPECT(__double2int_rz(nan) == -2147483647 - 1);
  EXPECT(__double2uint_rn(nan) == 0x80000000);
  EXPECT(__half2int_rd(__float2half(2.5f * minus)) == -3);
  EXPECT(__half2short_rn(__float2half(60000.0f)) == 32767);
  float whole, sine, cosine;
  EXPECT(modff(2.75f * minus, &whole) == -0.75f && whole == -2);
  EXPECT(modff(INFINITY, &whole) == 0 && whole == INFINITY);
  sincosf(minus, &sine, &cosine);
  EXPECT(sine < -0.84f && cosine > 0.54f);
  int exponent;
  EXPECT(frexpf(12 * minus, &exponent) == -0.75f && exponent == 4);
  EXPECT(frexpf(1e-44f, &exponent) == 0.875f && exponent == -146);
  EXPECT(frexpf(0 * minus, &exponent) == 0 && exponent == 0);
  EXPECT(__dp4a(0xff000001u, 0x01000002u, 0u) == 257);
  const unsigned char low = 1, high = 2;
  EXPECT(sizeof min(low, high) == sizeof(int));
  *out = wrong;
}

int main() {
  int *out;
  cudaMallocManaged(&out, sizeof *out);
  check<<<1, 1>>>(out, NAN, -1.0f);
  cudaDeviceSynchronize();
  printf("%d wrong\n", *out);
  return *out != 0;
}
