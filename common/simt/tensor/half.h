#ifndef HALF_H
#define HALF_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Numbers of 16 bits, as a GPU converts them. */

/* Two powers of two put the exponent right; only infinity and NaN then still
 * have the wrong one. */
static inline float half_to_float(uint16_t half) {
  uint32_t bits = (uint32_t)(half & 0x7fff) << 13;
  float value;
  memcpy(&value, &bits, sizeof value);
  value *= 0x1p112f;
  memcpy(&bits, &value, sizeof bits);
  if ((half & 0x7c00) == 0x7c00) bits |= 0x7f800000;
  bits |= (uint32_t)(half & 0x8000) << 16;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* The upper bits of a float without its lowest `dropped`, to nearest even. */
static inline uint32_t round_bits(uint32_t bits, unsigned dropped) {
  return (bits + (1u << (dropped - 1)) - 1 + (bits >> dropped & 1)) >> dropped;
}

static inline uint16_t half_from_float(float value) {
  const uint16_t sign = signbit(value) ? 0x8000 : 0;
  const float size = fabsf(value);
  uint32_t bits;
  if (isnan(value)) return 0x7fff;
  if (size >= 65520.0f) return sign | 0x7c00;
  if (size < 0x1p-14f) return sign | (uint16_t)lrintf(size * 0x1p24f);
  memcpy(&bits, &size, sizeof bits);
  return sign | (uint16_t)round_bits(bits - (112u << 23), 13);
}

static inline float bfloat_to_float(uint16_t bfloat) {
  const uint32_t bits = (uint32_t)bfloat << 16;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static inline uint16_t bfloat_from_float(float value) {
  uint32_t bits;
  if (isnan(value)) return 0x7fff;
  memcpy(&bits, &value, sizeof bits);
  return (uint16_t)round_bits(bits, 16);
}

#endif
