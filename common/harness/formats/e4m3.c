#include "common/harness/formats/e4m3.h"

#include <math.h>

#include "common/harness/formats/exponent.h"

float e4m3_decode(uint8_t code) {
  const int exponent = code >> 3 & 15, mantissa = code & 7;
  if ((code & 0x7F) == E4M3_NAN) return NAN;
  const float normal = (1.0f + mantissa / 8.0f) * power_of_two(exponent - 7);
  const float subnormal = (float)mantissa * power_of_two(-9);
  const float magnitude = exponent ? normal : subnormal;
  return code & 0x80 ? -magnitude : magnitude;
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
