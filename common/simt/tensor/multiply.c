/* The arithmetic of wgmma and mma. A product of two E4M3 values, or of two
 * halves, is exact in a float, and so is each label as a power of two: a
 * product's label is the product of its operands' labels. */

#include "common/simt/tensor/tensor.h"

const multiply_rule multiply_by_wgmma = {0x1p-6f, 13, 14};
const multiply_rule multiply_by_mma = {0x1p-14f, 25, 24};
const multiply_rule multiply_e5m2_by_wgmma = {0x1p-14f, 13, 14};
const multiply_rule multiply_bfloats = {0x1p-63f, 25, 24};

static float values[256];
const float *const multiply_e4m3 = values;

__attribute__((constructor)) static void fill_values(void) {
  for (int code = 0; code < 256; code++)
    values[code] = e4m3_decode((uint8_t)code);
}

enum { EXPONENT = 0x7f800000, EXPONENT_ONE = 1 << 23, BIAS = 127 };

typedef float eight __attribute__((vector_size(32), aligned(4), may_alias));
typedef uint32_t eight_words __attribute__((vector_size(32)));
typedef int32_t eight_ints
    __attribute__((vector_size(32), aligned(4), may_alias));
typedef double eight_doubles __attribute__((vector_size(64)));
typedef uint64_t eight_longs __attribute__((vector_size(64)));

#define INLINE static inline __attribute__((always_inline))

/* gcc makes one instruction of each. */
INLINE eight larger(eight x, eight y) {
  eight result;
  for (int i = 0; i < 8; i++) result[i] = x[i] > y[i] ? x[i] : y[i];
  return result;
}
INLINE eight choose(eight_ints mask, eight yes, eight no) {
  return (eight)(((eight_ints)yes & mask) | ((eight_ints)no & ~mask));
}
INLINE bool any(eight_ints mask) {
  int32_t all = 0;
  for (int i = 0; i < 8; i++) all |= mask[i];
  return all;
}
INLINE eight_words cut(eight x) {
  return (eight_words)__builtin_convertvector(x, eight_ints);
}

/* Operands as the sum takes them: of what is not finite, nothing. */
typedef struct {
  float a[PRODUCT_ROWS * PRODUCT_DEPTH], b[PRODUCT_DEPTH * PRODUCT_COLUMNS];
  float label_a[PRODUCT_ROWS * PRODUCT_DEPTH];
  float label_b[PRODUCT_DEPTH * PRODUCT_COLUMNS];
  int32_t special_row[PRODUCT_ROWS];       /* -1: has NaNs or infinities */
  int32_t special_column[PRODUCT_COLUMNS]; /* the same */
} operands;

/* A row of values and of their labels; -1 for each that is not finite. */
INLINE void take(float *value, float *label, int32_t *special,
                 const float *from, uint32_t count, float least) {
  for (uint32_t i = 0; i < count; i += 8) {
    const eight x = *(const eight *)&from[i];
    const eight power = (eight)((eight_words)x & EXPONENT);
    const eight_ints finite = (eight_words)power != EXPONENT;
    *(eight *)&value[i] = choose(finite, x, (eight){0});
    *(eight *)&label[i] =
        choose(finite & (x != 0), larger(power, (eight){0} + least),
               (eight){0});
    *(eight_ints *)&special[i] |= ~finite;
  }
}

INLINE void take_operands(operands *o, const float *a, const float *b,
                          uint32_t rows, uint32_t depth, uint32_t columns,
                          float least) {
  memset(o->special_column, 0, columns * sizeof *o->special_column);
  for (uint32_t k = 0; k < depth; k++)
    take(&o->b[k * columns], &o->label_b[k * columns], o->special_column,
         &b[k * columns], columns, least);
  for (uint32_t row = 0; row < rows; row++) {
    int32_t special[PRODUCT_DEPTH] = {0};
    take(&o->a[row * depth], &o->label_a[row * depth], special, &a[row * depth],
         depth, least);
    o->special_row[row] = 0;
    for (uint32_t k = 0; k < depth; k++) o->special_row[row] |= special[k];
  }
}

/* The sum of 8 results, in units of `below` bits under the label: `first` and
 * `second` are of half the products each, and fit in 31 bits. */
INLINE eight rounded(const multiply_rule *rule, eight label, eight_words first,
                     eight_words second, eight_words c) {
  const eight_doubles exact =
      __builtin_convertvector((eight_ints)first, eight_doubles) +
      __builtin_convertvector((eight_ints)second, eight_doubles) +
      __builtin_convertvector((eight_ints)c, eight_doubles);
  const eight_longs kept =
      (eight_longs)exact & ~((UINT64_C(1) << (53 - rule->kept)) - 1);
  const eight unit = (eight)((eight_words)label - rule->below * EXPONENT_ONE);
  return __builtin_convertvector((eight_doubles)kept, eight) * unit;
}

/* Four rows and 8 columns. Returns -1 in each column where a result is left as
 * it was, because something in its sum is not finite. */
INLINE eight_ints multiply_block(const multiply_rule *rule, float *sum,
                                 const operands *o, uint32_t row,
                                 uint32_t column, uint32_t depth,
                                 uint32_t columns) {
  const uint32_t least_label = (BIAS - 100) * EXPONENT_ONE;
  const uint32_t scale_of_one = (2 * BIAS + rule->below) * EXPONENT_ONE;
  const float *a = &o->a[row * depth], *label_a = &o->label_a[row * depth];
  eight_words first[4] = {{0}}, second[4] = {{0}};
  eight top[4] = {{0}}, label[4], scale[4];
  eight_ints left = {0}, special;
  memcpy(&special, &o->special_column[column], sizeof special);
  for (uint32_t k = 0; k < depth; k++)
#pragma GCC unroll 4
    for (uint32_t i = 0; i < 4; i++)
      top[i] = larger(top[i], label_a[i * depth + k] *
                                  *(const eight *)&o->label_b[k * columns +
                                                              column]);
#pragma GCC unroll 4
  for (uint32_t i = 0; i < 4; i++) {
    const eight c = *(eight *)&sum[(row + i) * columns + column];
    eight power = (eight)((eight_words)c & EXPONENT);
    power = choose((eight_words)power != EXPONENT, power, (eight){0});
    label[i] = larger(larger(top[i], power),
                      (eight)((eight_words){0} + least_label));
    scale[i] = (eight)(scale_of_one - (eight_words)label[i]);
  }
  for (uint32_t k = 0; k < depth / 2; k++)
#pragma GCC unroll 4
    for (uint32_t i = 0; i < 4; i++)
      first[i] += cut(a[i * depth + k] *
                      (*(const eight *)&o->b[k * columns + column] * scale[i]));
  for (uint32_t k = depth / 2; k < depth; k++)
#pragma GCC unroll 4
    for (uint32_t i = 0; i < 4; i++)
      second[i] +=
          cut(a[i * depth + k] *
              (*(const eight *)&o->b[k * columns + column] * scale[i]));
#pragma GCC unroll 4
  for (uint32_t i = 0; i < 4; i++) {
    eight *at = (eight *)&sum[(row + i) * columns + column];
    const eight c = *at;
    const eight_ints bad = (((eight_words)c & EXPONENT) == EXPONENT) |
                           special | o->special_row[row + i];
    const eight finite = choose(bad, (eight){0}, c);
    /* Alone, C may be smaller than the least label. */
    const eight alone = (eight)((eight_words)finite &
                                ~((1u << (24 - rule->kept)) - 1)) + 0.0f;
    const eight together = rounded(rule, label[i], first[i], second[i],
                                   cut(finite * scale[i]));
    *at = choose(bad, c, choose(top[i] == 0, alone, together));
    left |= bad;
  }
  return left;
}

/* Infinities and NaNs as IEEE 754 adds them. */
static void add_special(float *sum, const float *a, const float *b,
                        uint32_t depth, uint32_t columns) {
  for (uint32_t k = 0; k < depth; k++) *sum += a[k] * b[k * columns];
  *sum = multiply_one_nan(*sum);
}

INLINE void multiply(const multiply_rule *rule, float *sum, const float *a,
                     const float *b, uint32_t rows, uint32_t depth,
                     uint32_t columns) {
  operands o;
  take_operands(&o, a, b, rows, depth, columns, rule->least_normal);
  for (uint32_t row = 0; row < rows; row += 4)
    for (uint32_t column = 0; column < columns; column += 8) {
      const eight_ints left =
          multiply_block(rule, sum, &o, row, column, depth, columns);
      for (uint32_t i = 0; any(left) && i < 4 * 8; i++) {
        const uint32_t r = row + i / 8, c = column + i % 8;
        if (left[i % 8] && (o.special_row[r] || o.special_column[c] ||
                            !isfinite(sum[r * columns + c])))
          add_special(&sum[r * columns + c], &a[r * depth], &b[c], depth,
                      columns);
      }
    }
}

#ifdef __x86_64__
__attribute__((target("avx2"))) static void
multiply_wide(const multiply_rule *rule, float *sum, const float *a,
              const float *b, uint32_t rows, uint32_t depth, uint32_t columns) {
  multiply(rule, sum, a, b, rows, depth, columns);
}
#endif

void multiply_tiles(const multiply_rule *rule, float *sum, const float *a,
                    const float *b, uint32_t rows, uint32_t depth,
                    uint32_t columns) {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2")) {
    multiply_wide(rule, sum, a, b, rows, depth, columns);
    return;
  }
#endif
  multiply(rule, sum, a, b, rows, depth, columns);
}
