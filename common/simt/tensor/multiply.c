/* The arithmetic of wgmma and mma. A product of two E4M3 values, or of two
 * halves, is exact in a float, so only the order of the sums matters: k goes
 * up. */

#include "common/simt/tensor/multiply.h"

#include <math.h>
#include <string.h>

static float values[256];
const float *const multiply_e4m3 = values;

__attribute__((constructor)) static void fill_values(void) {
  for (int code = 0; code < 256; code++) {
    const int exponent = code >> 3 & 15, mantissa = code & 7;
    float value = exponent ? ldexpf((float)(8 + mantissa), exponent - 10)
                           : ldexpf((float)mantissa, -9);
    if ((code & 0x7f) == 0x7f) value = NAN;
    values[code] = code & 0x80 ? -value : value;
  }
}

typedef float eight __attribute__((vector_size(32), aligned(4), may_alias));

/* Two rows and 32 columns at a time, which fit in registers; of the columns
 * that are left, four rows and 8. */
static inline __attribute__((always_inline)) void
multiply(float *sum, const float *a, const float *b, uint32_t rows,
         uint32_t depth, uint32_t columns) {
  const uint32_t wide = columns / 32 * 32;
  for (uint32_t row = 0; row < rows; row += 4)
    for (uint32_t column = wide; column < columns; column += 8) {
      float *first = &sum[row * columns + column];
      eight s[4];
      for (uint32_t i = 0; i < 4; i++)
        s[i] = *(eight *)&first[i * columns];
      for (uint32_t k = 0; k < depth; k++)
        for (uint32_t i = 0; i < 4; i++)
          s[i] += a[(row + i) * depth + k] *
                  *(const eight *)&b[k * columns + column];
      for (uint32_t i = 0; i < 4; i++)
        *(eight *)&first[i * columns] = s[i];
    }
  for (uint32_t row = 0; row < rows; row += 2)
    for (uint32_t column = 0; column < wide; column += 32) {
      eight *up = (eight *)&sum[row * columns + column];
      eight *down = (eight *)&sum[(row + 1) * columns + column];
      eight u0 = up[0], u1 = up[1], u2 = up[2], u3 = up[3];
      eight d0 = down[0], d1 = down[1], d2 = down[2], d3 = down[3];
      for (uint32_t k = 0; k < depth; k++) {
        const eight *line = (const eight *)&b[k * columns + column];
        const float x = a[row * depth + k], y = a[(row + 1) * depth + k];
        u0 += x * line[0], u1 += x * line[1];
        u2 += x * line[2], u3 += x * line[3];
        d0 += y * line[0], d1 += y * line[1];
        d2 += y * line[2], d3 += y * line[3];
      }
      up[0] = u0, up[1] = u1, up[2] = u2, up[3] = u3;
      down[0] = d0, down[1] = d1, down[2] = d2, down[3] = d3;
    }
}

#ifdef __x86_64__
__attribute__((target("avx2"))) static void
multiply_wide(float *sum, const float *a, const float *b, uint32_t rows,
              uint32_t depth, uint32_t columns) {
  multiply(sum, a, b, rows, depth, columns);
}
#endif

void multiply_tiles(float *sum, const float *a, const float *b, uint32_t rows,
                    uint32_t depth, uint32_t columns) {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2")) {
    multiply_wide(sum, a, b, rows, depth, columns);
    return;
  }
#endif
  multiply(sum, a, b, rows, depth, columns);
}
