// What built-in functions make of numbers that the host's have other ideas of.
#include <cmath>
#include <cstdio>

#define EXPECT(what) (wrong += !(what))

__global__ void check(int *out, float nan, float minus) {
  int wrong = 0;
  EXPECT(__saturatef(nan) == 0);
  EXPECT(__saturatef(2 * -minus) == 1);
  EXPECT(isnan(__powf(minus, 2.0f)));
  EXPECT(__umul24(1u << 24 | 3, 5) == 15);
  EXPECT(__mul24(0x00ffffff, 7) == -7);
  EXPECT(__float2int_rd(-INFINITY) == -2147483647 - 1);
  EXPECT(__float2int_rn(3e9f) == 2147483647);
  EXPECT(__float2int_rz(nan) == 0);
  EXPECT(__float2uint_rn(minus) == 0);
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
