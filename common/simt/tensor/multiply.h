#ifndef MULTIPLY_H
#define MULTIPLY_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* How a tensor core adds the products of one instruction and C. A product's
 * label is the sum of its operands' exponents, C's its exponent. Each addend is
 * cut toward zero so many bits below the largest label; then the sum is exact,
 * and is cut toward zero to so many significant bits. See README.md, "The
 * numbers". */
typedef struct {
  float least_normal; /* of the operands' format: a subnormal has its exponent,
                         and a zero has none */
  uint32_t below, kept;
} multiply_rule;

extern const multiply_rule multiply_by_wgmma; /* E4M3, depth 32 */
extern const multiply_rule multiply_by_mma;   /* halves, depth 16 */

/* sum[row][column] += a[row][k] * b[k][column], all k from 0 to depth - 1 at
 * once: rows a multiple of 4, columns of 8, at most those below. What is not
 * finite gives infinity or the NaN 0x7fffffff. */
void multiply_tiles(const multiply_rule *rule, float *sum, const float *a,
                    const float *b, uint32_t rows, uint32_t depth,
                    uint32_t columns);

/* Every NaN that a GPU computes has the same bits. */
static inline float multiply_one_nan(float x) {
  const uint32_t nan = 0x7fffffff;
  if (isnan(x)) memcpy(&x, &nan, sizeof x);
  return x;
}

/* The most that a product of a warpgroup has; its columns vary. */
enum { PRODUCT_ROWS = 64, PRODUCT_DEPTH = 32, PRODUCT_COLUMNS = 256 };

/* The value of each E4M3 code. */
extern const float *const multiply_e4m3;

#endif
