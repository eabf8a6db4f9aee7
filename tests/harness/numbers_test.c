#include "tests/harness/unit.h"

#include <math.h>
#include <stdlib.h>

#include "common/harness/problem/e4m3.h"
#include "common/harness/problem/half.h"
#include "common/harness/problem/random.h"

/* The format's definition, written another way than the code under test. */
static double e4m3_by_definition(int code) {
  const int sign = code / 128, exponent = code / 8 % 16, mantissa = code % 8;
  const double magnitude = exponent == 0
                               ? mantissa / 8.0 * pow(2.0, -6.0)
                               : (1.0 + mantissa / 8.0) * pow(2, exponent - 7);
  return sign ? -magnitude : magnitude;
}

static void e4m3_decodes_all_codes(void **state) {
  (void)state;
  for (int code = 0; code < 256; code++) {
    const float value = e4m3_decode((uint8_t)code);
    if (code % 128 == 127)
      assert_true(isnan(value));
    else
      assert_true(value == (float)e4m3_by_definition(code));
  }
  assert_true(e4m3_decode(0x7E) == 448.0f);
  assert_true(signbit(e4m3_decode(0x80)));
}

static void e4m3_encodes_what_it_decodes(void **state) {
  (void)state;
  for (int code = 0; code < 256; code++) {
    const uint8_t back = e4m3_encode(e4m3_decode((uint8_t)code));
    assert_int_equal(back, code % 128 == 127 ? 0x7F : code);
  }
}

/* The nearest of all 127 magnitudes; of two equally near ones the even code. */
static int nearest_code(double magnitude) {
  int best = 0;
  for (int code = 1; code < 127; code++) {
    const double off = fabs(e4m3_by_definition(code) - magnitude);
    const double least = fabs(e4m3_by_definition(best) - magnitude);
    if (off < least || (off == least && code % 2 == 0)) best = code;
  }
  return best;
}

static void e4m3_rounds_to_nearest_even(void **state) {
  (void)state;
  for (int code = 0; code < 126; code++) { /* every tie, and beside it */
    const float tie = (float)((e4m3_by_definition(code) +
                               e4m3_by_definition(code + 1)) / 2.0);
    const float around[] = {nextafterf(tie, 0.0f), tie,
                            nextafterf(tie, 1e9f)};
    for (int i = 0; i < 3; i++) {
      assert_int_equal(e4m3_encode(around[i]), nearest_code(around[i]));
      assert_int_equal(e4m3_encode(-around[i]), 128 | nearest_code(around[i]));
    }
  }
  for (uint64_t i = 0; i < 200000; i++) {
    const float x = random_normal(7, 0, i) * 100.0f;
    const int code = nearest_code(fabs((double)x));
    assert_int_equal(e4m3_encode(x), x < 0.0f ? code | 128 : code);
  }
}

static void e4m3_saturates(void **state) {
  (void)state;
  assert_int_equal(e4m3_encode(449.0f), 0x7E);
  assert_int_equal(e4m3_encode(1e30f), 0x7E);
  assert_int_equal(e4m3_encode(INFINITY), 0x7E);
  assert_int_equal(e4m3_encode(-INFINITY), 0xFE);
  assert_int_equal(e4m3_encode(NAN), 0x7F);
  assert_int_equal(e4m3_encode(-0.0f), 0x80);
  assert_int_equal(e4m3_encode(1e-30f), 0x00);
}

static void half_round_trip(void **state) {
  (void)state;
  for (int bits = 0; bits < 65536; bits++) {
    const float value = half_decode((uint16_t)bits);
    if (isnan(value))
      assert_int_equal(half_encode(value), 0x7FFF);
    else
      assert_int_equal(half_encode(value), bits);
  }
}

static void half_rounds_to_nearest_even(void **state) {
  (void)state;
  for (int bits = 0; bits < 0x7BFF; bits++) {
    const float low = half_decode((uint16_t)bits);
    const float high = half_decode((uint16_t)(bits + 1));
    const float tie = low + (high - low) / 2.0f; /* exact in float */
    assert_int_equal(half_encode(tie), bits % 2 ? bits + 1 : bits);
    assert_int_equal(half_encode(nextafterf(tie, 0.0f)), bits);
    assert_int_equal(half_encode(nextafterf(tie, 1e9f)), bits + 1);
  }
  assert_int_equal(half_encode(65519.0f), 0x7BFF);
  assert_int_equal(half_encode(65520.0f), 0x7C00);
  assert_int_equal(half_encode(-1e9f), 0xFC00);
}

static void random_numbers_are_normal(void **state) {
  (void)state;
  double sum = 0.0, squares = 0.0, fourth = 0.0;
  const int count = 400000;
  for (int i = 0; i < count; i++) {
    const double x = random_normal(3, 1, (uint64_t)i);
    sum += x;
    squares += x * x;
    fourth += x * x * x * x;
  }
  assert_true(fabs(sum / count) < 0.008);           /* 5 deviations */
  assert_true(fabs(squares / count - 1.0) < 0.012);
  assert_true(fabs(fourth / count - 3.0) < 0.08);
  assert_true(random_bits(0, 0, 1) != random_bits(0, 0, 2));
  assert_true(random_bits(0, 0, 1) != random_bits(0, 1, 1));
  assert_true(random_bits(0, 0, 1) != random_bits(1, 0, 1));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(e4m3_decodes_all_codes),
      cmocka_unit_test(e4m3_encodes_what_it_decodes),
      cmocka_unit_test(e4m3_rounds_to_nearest_even),
      cmocka_unit_test(e4m3_saturates),
      cmocka_unit_test(half_round_trip),
      cmocka_unit_test(half_rounds_to_nearest_even),
      cmocka_unit_test(random_numbers_are_normal),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
