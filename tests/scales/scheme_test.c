/* The ways to scale Q, K and V: each leaves attention as it was, but for what
 * rounding to codes does. */

#include "tests/harness/test_shapes.h"

#include <math.h>
#include <string.h>

#include "common/harness/judge/reference.h"
#include "tools/scales/scheme.h"

enum { ROWS = 70, D = 64, HEADS = 2, IN_HEAD = ROWS * D };

static const scheme *find(const char *name) {
  int i = 0;
  while (i < scheme_count && strcmp(schemes[i].name, name)) i++;
  assert_true(i < scheme_count);
  return &schemes[i];
}

static void test_rotation_is_orthogonal(void **state) {
  (void)state;
  float a[D], b[D];
  double product = 0.0, rotated = 0.0, moved = 0.0;
  for (int c = 0; c < D; c++) {
    a[c] = (float)(c * 37 % 11) - 5.0f;
    b[c] = (float)(c * 23 % 7) - 2.5f;
    product += (double)a[c] * b[c];
  }
  float kept[D];
  memcpy(kept, a, sizeof a);
  scheme_rotate(a, D);
  scheme_rotate(b, D);
  for (int c = 0; c < D; c++) {
    rotated += (double)a[c] * b[c];
    moved += fabs(a[c] - kept[c]);
  }
  assert_true(fabs(rotated - product) < 1e-4 * fabs(product));
  assert_true(moved > D);
}

/* One large number becomes as many small ones. */
static void test_rotation_spreads(void **state) {
  (void)state;
  float row[D] = {0};
  row[5] = -8.0f;
  scheme_rotate(row, D);
  for (int c = 0; c < D; c++) assert_true(fabsf(row[c]) == 1.0f);
}

static void test_bf16(void **state) {
  (void)state;
  assert_true(scheme_bf16(1.0f) == 1.0f);
  assert_true(scheme_bf16(-3.140625f) == -3.140625f);
  assert_true(scheme_bf16(1.0f + 0x1p-8f) == 1.0f); /* ties to even */
  assert_true(scheme_bf16(1.0f + 0x3p-8f) == 1.0f + 0x1p-6f);
  assert_true(scheme_bf16(1.0f + 0x1.02p-8f) == 1.0f + 0x1p-7f);
}

static void test_head_is_the_harness_quantiser(void **state) {
  (void)state;
  problem p, as;
  float v_mean[HEADS * D];
  make_problem(&p, "1,2,70,64", MIXED_SCALES, 1);
  make_problem(&as, "1,2,70,64", NORMAL, 0);
  scheme_apply(find("head"), &p, &as, v_mean);
  assert_memory_equal(as.q_codes, p.q_codes, HEADS * IN_HEAD);
  assert_memory_equal(as.k_codes, p.k_codes, HEADS * IN_HEAD);
  assert_memory_equal(as.v_codes, p.v_codes, HEADS * IN_HEAD);
  for (int h = 0; h < HEADS; h++) assert_true(as.v_scale[h] == p.v_scale[h]);
  for (int i = 0; i < HEADS * D; i++) assert_true(v_mean[i] == 0.0f);
  scheme_apply(find("tensor"), &p, &as, v_mean);
  assert_true(as.v_scale[0] == p.v_scale[1]); /* the larger one */
  assert_true(as.v_scale[1] == p.v_scale[1]);
  problem_free(&p);
  problem_free(&as);
}

/* The largest number of each 64 rows is there to the last bit. */
static void test_blocks_have_scales_of_their_own(void **state) {
  (void)state;
  problem p, as;
  float v_mean[HEADS * D];
  make_problem(&p, "1,2,70,64", NORMAL, 2);
  make_problem(&as, "1,2,70,64", NORMAL, 0);
  scheme_apply(find("block"), &p, &as, v_mean);
  for (int h = 0; h < HEADS; h++)
    for (int first = 0; first < ROWS; first += BLOCK_ROWS) {
      const int end = (first + BLOCK_ROWS < ROWS ? first + BLOCK_ROWS : ROWS);
      int at = h * IN_HEAD + first * D;
      for (int i = at; i < h * IN_HEAD + end * D; i++)
        if (fabsf(p.k[i]) > fabsf(p.k[at])) at = i;
      assert_true(fabsf(as.k[at] - p.k[at]) <= 1e-6f * fabsf(p.k[at]));
    }
  problem_free(&p);
  problem_free(&as);
}

/* Root of the mean square of what attention on `as` is off, over the output. */
static double error_of(const problem *p, const problem *as,
                       const float *v_mean) {
  references right, got;
  reason why = {""};
  double error = 0.0, size = 0.0;
  assert_true(references_new(&right, p, P_FP32, &why));
  assert_true(references_new(&got, as, P_FP32, &why));
  for (int i = 0; i < HEADS * IN_HEAD; i++) {
    const double value = got.exact[i] + v_mean[i / IN_HEAD * D + i % D];
    error += pow(value - right.exact[i], 2);
    size += pow(right.exact[i], 2);
  }
  references_free(&right);
  references_free(&got);
  return sqrt(error / size);
}

/* A mistake in what is taken out or added back is as large as the output. */
static void test_all_schemes_compute_attention(void **state) {
  (void)state;
  for (int i = 0; i < scheme_count; i++) {
    problem p, as;
    float v_mean[HEADS * D];
    make_problem(&p, "1,2,70,64", OFFSET_VALUES, 3);
    make_problem(&as, "1,2,70,64", NORMAL, 0);
    for (int n = 0; n < HEADS * IN_HEAD; n++) p.k[n] += (float)(n % D) / 16.0f;
    scheme_apply(&schemes[i], &p, &as, v_mean);
    const double error = error_of(&p, &as, v_mean);
    if (!(error < 0.02))
      fail_msg("%s: %g", schemes[i].name, error);
    assert_true(error > 0.0);
    problem_free(&p);
    problem_free(&as);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rotation_is_orthogonal),
      cmocka_unit_test(test_rotation_spreads),
      cmocka_unit_test(test_bf16),
      cmocka_unit_test(test_head_is_the_harness_quantiser),
      cmocka_unit_test(test_blocks_have_scales_of_their_own),
      cmocka_unit_test(test_all_schemes_compute_attention),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
