#include "common/harness/numbers.h"

/* What the conversions ask of a float's exponent: they run for each element of
 * each tensor, and libm's frexpf and ldexpf are calls. */

/* 2^power, for a power from -126 to 127. */
static float power_of_two(int power) {
  const uint32_t bits = (uint32_t)(power + 127) << 23;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* The power of two at or below a magnitude; -127 where that is below 2^-126. */
static int power_below(float magnitude) {
  uint32_t bits;
  memcpy(&bits, &magnitude, sizeof bits);
  return (int)(bits >> 23) - 127;
}

uint8_t e4m3_encode(float x) {
  if (isnan(x)) return E4M3_NAN;
  const uint8_t sign = signbit(x) ? 0x80 : 0;
  const float magnitude = fminf(fabsf(x), E4M3_MAX);
  const int lowest = -6; /* the exponent of the smallest normal value */
  int power = power_below(magnitude);
  if (power < lowest) power = lowest;
  /* rintf rounds ties to even in the default rounding mode. */
  int steps = (int)rintf(magnitude * power_of_two(3 - power));
  if (steps == 16) {
    steps = 8;
    power++;
  }
  if (steps < 8) return (uint8_t)(sign | steps); /* subnormal */
  return (uint8_t)(sign | (power + 7) << 3 | (steps - 8));
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
