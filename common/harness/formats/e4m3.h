#ifndef E4M3_H
#define E4M3_H

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

#endif
