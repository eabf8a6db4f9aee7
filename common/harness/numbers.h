#ifndef HARNESS_NUMBERS_H
#define HARNESS_NUMBERS_H

#include <stdint.h>

/* E4M3: sign, 4 exponent bits (bias 7), 3 mantissa bits; no infinity, one NaN
 * code for each sign, largest value 448. Source: Micikevicius et al., "FP8
 * formats for deep learning", arXiv:2209.05433, table 1. */

#define E4M3_MAX 448.0f
enum { E4M3_NAN = 0x7F };

/* Rounds to nearest, ties to even; saturates to +-448; keeps the sign of zero.
 * NaN gives 0x7F. */
uint8_t e4m3_encode(float x);

/* Exact. The codes 0x7F and 0xFF give NaN. */
float e4m3_decode(uint8_t code);

/* IEEE 754 binary16, as bits. Encoding rounds to nearest, ties to even;
 * magnitudes from 65520 on become infinite; NaN gives 0x7FFF. */
uint16_t half_encode(float x);
float half_decode(uint16_t bits);

/* Counter-based: number `index` of stream `stream` depends on nothing else, so
 * threads may fill an array in any order. Mixing as in splitmix64 (Steele, Lea
 * and Flood, OOPSLA 2014, doi:10.1145/2660193.2660195). */
uint64_t random_bits(uint64_t seed, uint64_t stream, uint64_t index);

/* N(0, 1) by the Box-Muller transform. */
float random_normal(uint64_t seed, uint64_t stream, uint64_t index);

#endif
