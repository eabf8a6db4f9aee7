#include "common/harness/numbers.h"

uint8_t e4m3_encode(float x) {
  const uint8_t sign = signbit(x) ? 0x80 : 0;
  const float size = fminf(fabsf(x), E4M3_MAX);
  uint32_t bits;
  if (isnan(x)) return E4M3_NAN;
  /* rintf rounds ties to even in the default rounding mode. */
  if (size < 0x1p-6f) return sign | (uint8_t)rintf(size * 0x1p9f);
  memcpy(&bits, &size, sizeof bits);
  bits -= 120u << 23; /* a bias of 7 in place of 127 */
  const uint32_t steps = round_bits(bits, 20);
  return sign | (uint8_t)steps;
}

uint64_t random_bits(uint64_t seed, uint64_t stream, uint64_t index) {
  const uint64_t golden = 0x9E3779B97F4A7C15u;
  const uint64_t start =
      random_mix(random_mix((seed + 1) * golden) + stream * golden);
  return random_mix(start + (index + 1) * golden);
}

float random_normal(uint64_t seed, uint64_t stream, uint64_t index) {
  const uint64_t bits = random_bits(seed, stream, index);
  const double two_pi = 6.283185307179586;
  /* Two uniform numbers of 32 bits each; the first is never zero. */
  const double u = ((double)(bits >> 32) + 0.5) / 4294967296.0;
  const double w = (double)(bits & 0xFFFFFFFFu) / 4294967296.0;
  return (float)(sqrt(-2.0 * log(u)) * cos(two_pi * w));
}
