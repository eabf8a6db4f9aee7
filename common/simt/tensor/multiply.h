#ifndef MULTIPLY_H
#define MULTIPLY_H

#include <stdint.h>

/* sum[row][column] += a[row][k] * b[k][column], k from 0 to depth - 1: rows a
 * multiple of 4, columns of 8. */
void multiply_tiles(float *sum, const float *a, const float *b, uint32_t rows,
                    uint32_t depth, uint32_t columns);

/* The most that a product of a warpgroup has; its columns vary. */
enum { PRODUCT_ROWS = 64, PRODUCT_DEPTH = 32, PRODUCT_COLUMNS = 256 };

/* The value of each E4M3 code. */
extern const float *const multiply_e4m3;

#endif
