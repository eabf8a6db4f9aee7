#include "common/harness/formats/half.h"

#include <math.h>

#include "common/harness/formats/exponent.h"

/* By hand: on x86-64 clang has _Float16 from version 15 on, and Debian 12 has
 * version 14. */

float half_decode(uint16_t bits) {
  const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  float magnitude;
  if (exponent == 31)
    magnitude = mantissa ? NAN : INFINITY;
  else if (exponent)
    magnitude = (1024.0f + (float)mantissa) * power_of_two(exponent - 25);
  else
    magnitude = (float)mantissa * power_of_two(-24);
  return bits & 0x8000 ? -magnitude : magnitude;
}

uint16_t half_encode(float x) {
  if (isnan(x)) return 0x7FFF;
  const uint16_t sign = signbit(x) ? 0x8000 : 0;
  const float magnitude = fabsf(x);
  if (magnitude >= 65520.0f) return sign | 0x7C00;
  const int lowest = -14; /* the exponent of the smallest normal value */
  int power = power_below(magnitude);
  if (power < lowest) power = lowest;
  int steps = (int)rintf(magnitude * power_of_two(10 - power));
  if (steps == 2048) {
    steps = 1024;
    power++;
  }
  if (steps < 1024) return (uint16_t)(sign | steps);
  return (uint16_t)(sign | (power + 15) << 10 | (steps - 1024));
}
