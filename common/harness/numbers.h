#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

/* E4M3: sign, 4 exponent bits (bias 7), 3 mantissa bits; no infinity, one NaN
 * code for each sign, largest value 448. Source: Micikevicius et al., "FP8
 * formats for deep learning", arXiv:2209.05433, table 1. */

#define E4M3_MAX 448.0f
enum { E4M3_NAN = 0x7F };

/* Rounds to nearest, ties to even; saturates to +-448; keeps the sign of zero.
 * NaN gives 0x7F. */
uint8_t e4m3_encode(float x);

/* IEEE 754 binary16, as bits: rounded to nearest, ties to even; magnitudes from
 * 65520 on become infinite; NaN gives 0x7FFF. */

/* Two powers of two put the exponent right; only infinity and NaN then still
 * have the wrong one. */
static inline float half_decode(uint16_t half) {
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

static inline uint16_t half_encode(float value) {
  const uint16_t sign = signbit(value) ? 0x8000 : 0;
  const float size = fabsf(value);
  uint32_t bits;
  if (isnan(value)) return 0x7fff;
  if (size >= 65520.0f) return sign | 0x7c00;
  if (size < 0x1p-14f) return sign | (uint16_t)lrintf(size * 0x1p24f);
  memcpy(&bits, &size, sizeof bits);
  return sign | (uint16_t)round_bits(bits - (112u << 23), 13);
}

static inline float bfloat_decode(uint16_t bfloat) {
  const uint32_t bits = (uint32_t)bfloat << 16;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static inline uint16_t bfloat_encode(float value) {
  uint32_t bits;
  if (isnan(value)) return 0x7fff;
  memcpy(&bits, &value, sizeof bits);
  return (uint16_t)round_bits(bits, 16);
}

/* Exact: a half has one bit more of exponent, and a bias of 8 more. */
static inline float e4m3_decode(uint8_t code) {
  const uint32_t half = (code & 0x80u) << 8 | (code & 0x7Fu) << 7;
  return (code & 0x7F) == E4M3_NAN ? NAN : 256.0f * half_decode((uint16_t)half);
}

/* As in splitmix64 (Steele, Lea and Flood, OOPSLA 2014,
 * doi:10.1145/2660193.2660195). */
static inline uint64_t random_mix(uint64_t x) {
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
  x = (x ^ x >> 27) * 0x94D049BB133111EBu;
  return x ^ x >> 31;
}

/* Counter-based: number `index` of stream `stream` depends on nothing else, so
 * threads may fill an array in any order. */
uint64_t random_bits(uint64_t seed, uint64_t stream, uint64_t index);

/* N(0, 1) by the Box-Muller transform. */
float random_normal(uint64_t seed, uint64_t stream, uint64_t index);
