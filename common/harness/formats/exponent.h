#ifndef EXPONENT_H
#define EXPONENT_H

#include <stdint.h>
#include <string.h>

/* What the formats' conversions ask of a float's exponent: they run for each
 * element of each tensor, and libm's frexpf and ldexpf are calls. */

/* 2^power, for a power from -126 to 127. */
static inline float power_of_two(int power) {
  const uint32_t bits = (uint32_t)(power + 127) << 23;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* The power of two at or below a magnitude; -127 where that is below 2^-126. */
static inline int power_below(float magnitude) {
  uint32_t bits;
  memcpy(&bits, &magnitude, sizeof bits);
  return (int)(bits >> 23) - 127;
}

#endif
