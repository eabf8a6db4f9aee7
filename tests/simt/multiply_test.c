/* How tensor cores add, by cases that are worked out by hand and by a model of
 * the rules in integers of 64 bits. The rules: common/simt/README.md. */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/simt/tensor/multiply.h"

static const multiply_rule *const wgmma = &multiply_by_wgmma;
static const multiply_rule *const mma = &multiply_by_mma;

/* Products of one sum: the same one `times` over. */
typedef struct {
  int times;
  float a, b;
} products;

static uint32_t bits_of(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

/* C + all products, in one place of a tile. The others must not notice. */
static float sum_of(const multiply_rule *rule, float c, const products *p,
                    int count) {
  enum { ROW = 2, COLUMN = 5, ROWS = 4, COLUMNS = 8 };
  const int depth = rule == wgmma ? 32 : 16;
  float a[ROWS * 32] = {0}, b[32 * COLUMNS] = {0}, sum[ROWS * COLUMNS];
  for (int i = 0; i < ROWS * COLUMNS; i++) sum[i] = 3;
  sum[ROW * COLUMNS + COLUMN] = c;
  int k = 0;
  for (int i = 0; i < count; i++)
    for (int n = 0; n < p[i].times; n++, k++) {
      a[ROW * depth + k] = p[i].a;
      b[k * COLUMNS + COLUMN] = p[i].b;
    }
  assert_true(k <= depth);
  multiply_tiles(rule, sum, a, b, ROWS, (uint32_t)depth, COLUMNS);
  for (int i = 0; i < ROWS * COLUMNS; i++)
    if (i / COLUMNS != ROW && i % COLUMNS != COLUMN) assert_true(sum[i] == 3);
  return sum[ROW * COLUMNS + COLUMN];
}

#define SUM(rule, c, ...)                                                      \
  sum_of(rule, c, (const products[]){__VA_ARGS__},                             \
         (int)(sizeof((const products[]){__VA_ARGS__}) / sizeof(products)))
#define GIVES(wanted, ...) assert_true(SUM(__VA_ARGS__) == (wanted))

/* Label 0: 13 bits below it are kept of each addend. */
static void codes_lose_small_addends(void **state) {
  (void)state;
  GIVES(1 + 0x1p-12f, wgmma, 0, {1, 1, 1}, {1, 0x1p-6f, 0x1p-6f});
  GIVES(1 + 0x1p-13f, wgmma, 0, {1, 1, 1}, {1, 0x1p-7f, 0x1p-6f});
  GIVES(1, wgmma, 0, {1, 1, 1}, {31, 0x1p-8f, 0x1p-6f});
  GIVES(1 + 31 * 0x1p-13f, wgmma, 0, {1, 1, 1}, {31, 0x1.cp-7f, 0x1p-6f});
  GIVES(1 - 31 * 0x1p-13f, wgmma, 0, {1, 1, 1}, {31, -0x1.cp-7f, 0x1p-6f});
  GIVES(-1 - 0x1p-13f, wgmma, 0, {1, -1, 1}, {1, -0x1.cp-7f, 0x1p-6f});
  /* 3.515625 has label 0, too. */
  GIVES(3.515625f + 0x1p-12f, wgmma, 0, {1, 1.875f, 1.875f},
        {2, 0x1p-7f, 0x1p-6f});
}

static void codes_cancel(void **state) {
  (void)state;
  GIVES(0, wgmma, 0, {1, 448, 448}, {1, -448, 448}, {30, 0x1p-1f, 0x1p+2f});
  GIVES(8, wgmma, 0, {1, 448, 448}, {1, -448, 448}, {1, 0x1.ep0f, 0x1p+3f});
  GIVES(0, wgmma, 4, {1, 2, -2});
  GIVES(0, wgmma, 0x1p20f, {16, 256, -256});
}

/* 31 * 3.0625 = 94.9375: 14 bits reach down to 2^-7. */
static void codes_lose_bits_of_the_sum(void **state) {
  (void)state;
  GIVES(94.9375f + 0x1p-7f, wgmma, 0, {31, 1.75f, 1.75f}, {1, 0x1p-7f, 1});
  GIVES(94.9375f, wgmma, 0, {31, 1.75f, 1.75f}, {1, 0x1p-8f, 1});
  GIVES(-94.9375f, wgmma, 0, {31, -1.75f, 1.75f}, {1, -0x1p-8f, 1});
  GIVES(-94.9375f + 0x1p-7f, wgmma, 0, {31, -1.75f, 1.75f}, {1, 0x1p-8f, 1});
}

static void codes_and_c(void **state) {
  (void)state;
  /* Label 20: 128 is the unit. */
  GIVES(0x1p20f, wgmma, 0x1p20f, {32, 96, 1});
  GIVES(0x1p20f + 128, wgmma, 0x1p20f, {1, 144, 1});
  GIVES(0x1p20f - 128, wgmma, 0x1p20f, {1, -144, 1});
  GIVES(-0x1p20f, wgmma, -0x1p20f, {32, 96, 1});
  GIVES(0x1p20f + 200704, wgmma, 0x1p20f, {1, 448, 448});
  GIVES(1, wgmma, 1 + 0x1p-14f, {1, 0, 448});
  GIVES(1, wgmma, 0x1p-14f, {1, 1, 1});
  GIVES(1, wgmma, -0x1.fp-14f, {1, 1, 1});
  GIVES(1 - 0x1p-13f, wgmma, -0x1.8p-13f, {1, 1, 1});
}

/* A subnormal has the exponent -6, so 2^-9 * 2^-9 has label -12 and not -18:
 * 2^-25 is its unit. A zero times 448 has no label. */
static void labels_of_small_codes(void **state) {
  (void)state;
  GIVES(0x1p-18f, wgmma, 0x1p-26f, {1, 0x1p-9f, 0x1p-9f});
  GIVES(0x1p-18f + 0x1p-25f, wgmma, 0x1p-25f, {1, 0x1p-9f, 0x1p-9f});
  GIVES(0x1p-12f + 0x1p-25f, wgmma, 0x1p-25f, {1, 0x1p-6f, 0x1p-6f},
        {15, 0, 448}, {15, 448, 0});
}

static void only_c(void **state) {
  (void)state;
  assert_int_equal(bits_of(SUM(wgmma, 0, {32, 0, 0})), 0);
  assert_int_equal(bits_of(SUM(mma, 0, {16, 0, 0})), 0);
  GIVES(0x1.fff8p0f, wgmma, 0x1.fffffep0f, {32, 0, 1});
  GIVES(-0x1.fff8p0f, wgmma, -0x1.fffffep0f, {32, 0, 1});
  GIVES(0x1p-120f, wgmma, 0x1.0004p-120f, {1, 0, 0});
  GIVES(0x1.fffffep0f, mma, 0x1.fffffep0f, {16, 0, 1});
  GIVES(0x1.fffffep-120f, mma, 0x1.fffffep-120f, {16, 0, 1});
}

/* Label 0: 25 bits below it are kept of each addend, and 23 of the sum. */
static void halves_lose_less(void **state) {
  (void)state;
  GIVES(1, mma, 0, {1, 1, 1}, {3, 0x1p-12f, 0x1p-13f});
  GIVES(1 + 0x1p-23f, mma, 0, {1, 1, 1}, {4, 0x1p-12f, 0x1p-13f});
  GIVES(-1 - 0x1p-23f, mma, 0, {1, -1, 1}, {7, -0x1p-12f, 0x1p-13f});
  GIVES(1, mma, 0, {1, 1, 1}, {15, 0x1.ffcp-13f, 0x1p-13f});
  GIVES(1 - 0x1p-24f, mma, 0, {1, 1, 1}, {1, -0x1p-12f, 0x1p-13f});
  GIVES(1, mma, 0, {1, 1, 1}, {15, -0x1p-13f, 0x1p-13f});
  GIVES(0x1p-25f, mma, 0, {1, 1, 1}, {1, -1, 1}, {1, 0x1p-12f, 0x1p-13f});
  GIVES(16 * 65504.0f * 65504.0f, mma, 0, {16, 65504, 65504});
  GIVES(-16 * 65504.0f * 65504.0f, mma, -1, {16, -65504, 65504});
}

static void halves_and_c(void **state) {
  (void)state;
  GIVES(0x1p24f + 16, mma, 0x1p24f, {16, 1, 1});
  GIVES(0x1p24f, mma, 0x1p24f, {3, 1, 0.5f});
  GIVES(0x1p24f + 2, mma, 0x1p24f, {4, 1, 0.5f});
  GIVES(0x1p24f, mma, 0x1p24f, {16, 1, 0x1.ffcp-2f});
  GIVES(0x1p24f - 1, mma, 0x1p24f, {1, -1, 0.5f});
  GIVES(1, mma, 0x1.fffffep-26f, {1, 1, 1});
  GIVES(1, mma, -0x1.fffffep-26f, {1, 1, 1});
  /* Labels -28: 2^-53 is the unit. */
  GIVES(0x1p-48f, mma, 0x1.8p-54f, {1, 0x1p-24f, 0x1p-24f});
  GIVES(0x1p-48f + 0x1p-53f, mma, 0x1p-53f, {1, 0x1p-24f, 0x1p-24f});
}

static void special_numbers(void **state) {
  (void)state;
  const uint32_t nan = 0x7fffffff;
  const multiply_rule *const rules[] = {wgmma, mma};
  for (int i = 0; i < 2; i++) {
    const multiply_rule *r = rules[i];
    assert_int_equal(bits_of(SUM(r, 0, {1, NAN, 1}, {2, 1, 1})), nan);
    assert_int_equal(bits_of(SUM(r, 0, {1, 0, NAN}, {2, 1, 1})), nan);
    assert_int_equal(bits_of(SUM(r, -NAN, {1, 1, 1})), nan);
    assert_int_equal(bits_of(SUM(r, INFINITY, {1, NAN, 1})), nan);
    GIVES(INFINITY, r, INFINITY, {3, -448, 448});
    GIVES(-INFINITY, r, -INFINITY, {3, 448, 448});
  }
  GIVES(INFINITY, mma, 0, {1, INFINITY, 1}, {3, -448, 448});
  GIVES(-INFINITY, mma, 1, {2, INFINITY, -1});
  assert_int_equal(bits_of(SUM(mma, 0, {1, INFINITY, 1}, {1, 1, -INFINITY})),
                   nan);
  assert_int_equal(bits_of(SUM(mma, 0, {1, INFINITY, 0})), nan);
  assert_int_equal(bits_of(SUM(mma, -INFINITY, {1, INFINITY, 1})), nan);
}

/* ---- the model ---- */

static int exponent_of(float x, int least) {
  int exponent;
  frexpf(x, &exponent);
  return exponent - 1 > least ? exponent - 1 : least;
}

static float model(const multiply_rule *rule, float c, const float *a,
                   const float *b, int depth) {
  const int below = rule == wgmma ? 13 : 25, least = rule == wgmma ? -6 : -14;
  const int kept = rule == wgmma ? 14 : 24;
  int label = -1000;
  if (c != 0) label = exponent_of(c, -126);
  for (int k = 0; k < depth; k++)
    if (a[k] != 0 && b[k] != 0) {
      const int own = exponent_of(a[k], least) + exponent_of(b[k], least);
      if (own > label) label = own;
    }
  /* A conversion to an integer cuts. */
  int64_t sum = (int64_t)ldexp(c, below - label), unit = 1;
  for (int k = 0; k < depth; k++)
    sum += (int64_t)ldexp((double)a[k] * b[k], below - label);
  while (llabs(sum) / unit >> kept) unit *= 2;
  return (float)ldexp((double)(sum / unit * unit), label - below);
}

static float random_value(const multiply_rule *rule, int kind) {
  const int bits = rule == wgmma ? 3 : 10, least = rule == wgmma ? -6 : -14;
  const int spread = kind == 0 ? 3 : kind == 1 ? 14 : 1;
  int exponent = rand() % spread - (kind == 1 ? 6 : 0);
  int mantissa = rand() & ((1 << bits) - 1);
  if (kind == 2) { /* subnormals and the smallest */
    exponent = least;
    if (rand() % 4) mantissa -= 1 << bits;
  }
  if (rand() % 8 == 0) return 0;
  const float value = ldexpf((float)(mantissa + (1 << bits)), exponent - bits);
  return rand() % 2 ? value : -value;
}

static void as_the_model(const multiply_rule *rule, int kind) {
  enum { ROWS = 8, COLUMNS = 24 };
  const int depth = rule == wgmma ? 32 : 16;
  float a[ROWS * 32], b[32 * COLUMNS], c[ROWS * COLUMNS], sum[ROWS * COLUMNS];
  for (int i = 0; i < ROWS * depth; i++) a[i] = random_value(rule, kind);
  for (int i = 0; i < depth * COLUMNS; i++) b[i] = random_value(rule, kind);
  for (int i = 0; i < ROWS * COLUMNS; i++)
    c[i] = rand() % 4 == 0 ? 0
                           : ldexpf((float)(rand() % 0x1000000 - 0x800000),
                                    rand() % 40 - 50);
  memcpy(sum, c, sizeof sum);
  multiply_tiles(rule, sum, a, b, ROWS, (uint32_t)depth, COLUMNS);
  for (int i = 0; i < ROWS * COLUMNS; i++) {
    float column[32];
    for (int k = 0; k < depth; k++)
      column[k] = b[k * COLUMNS + i % COLUMNS];
    assert_true(sum[i] == model(rule, c[i], &a[i / COLUMNS * depth], column,
                                depth));
  }
}

static void any_inputs(void **state) {
  (void)state;
  srand(3);
  for (int i = 0; i < 300; i++) {
    as_the_model(wgmma, i % 3);
    as_the_model(mma, i % 3);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(codes_lose_small_addends),
      cmocka_unit_test(codes_cancel),
      cmocka_unit_test(codes_lose_bits_of_the_sum),
      cmocka_unit_test(codes_and_c),
      cmocka_unit_test(labels_of_small_codes),
      cmocka_unit_test(only_c),
      cmocka_unit_test(halves_lose_less),
      cmocka_unit_test(halves_and_c),
      cmocka_unit_test(special_numbers),
      cmocka_unit_test(any_inputs),
  };
  return cmocka_run_group_tests_name("simt sums", tests, NULL, NULL);
}
