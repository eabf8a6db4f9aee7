#ifndef MULTIPLY_H
#define MULTIPLY_H

#include <stdint.h>

/* sum[row][column] += a[row][k] * b[k][column]: 64 rows, 32 deep, columns a
 * multiple of 8. */
enum { PRODUCT_ROWS = 64, PRODUCT_DEPTH = 32, PRODUCT_COLUMNS = 256 };
void multiply_tiles(float *sum, float (*a)[PRODUCT_DEPTH], const float *b,
                    uint32_t columns);

/* d[row][column] += a[row * depth + k] * b[k * 8 + column]: 16 rows and 8
 * columns. */
void multiply_fragments(float (*d)[8], const float *a, const float *b,
                        unsigned depth);

/* The value of each E4M3 code. */
extern const float *const multiply_e4m3;

#endif
