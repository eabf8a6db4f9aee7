/* The references that outputs are judged by. */

#include "tests/harness/unit.h"

#include "common/simt/tensor/tensor.h"
#include "tests/harness/textbook.h"

static void check_against_the_formula(const char *shape) {
  for (int d = 0; d < DISTRIBUTION_COUNT; d++) {
    problem p;
    references r;
    make_problem(&p, shape, (distribution)d, 4);
    make_references(&r, &p, P_FP32);
    assert_true(r.complete);
    const int64_t columns = p.shape.head_dim;
    const double scale = p.shape.softmax_scale;
    assert_true(p.softmax_scale ==
                (scale > 0.0 ? scale : 1.0 / sqrt(d == REAL ? 32 : columns)));
    assert_int_equal(r.count, p.shape.batch * p.shape.heads * p.shape.seq_len);
    long double exact_row[128], quantised_row[128], reach;
    for (int64_t i = 0; i < r.count * columns; i++) {
      if (i % columns == 0) {
        textbook(&p, false, i / columns, 0, exact_row, &reach);
        textbook(&p, true, i / columns, 0, quantised_row, &reach);
      }
      const long double exact = exact_row[i % columns];
      const long double quantised = quantised_row[i % columns];
      /* A double's error grows with the scores. */
      const long double size = fabsl(exact) + fabsl(quantised) +
                               (d == FAR_BELOW ? 0.1L : 1e-3L);
      if (isnan(exact) || isnan(quantised)) {
        assert_true(isnan(exact) && isnan(r.exact[i]));
        assert_true(isnan(quantised) && isnan(r.quantised[i]));
        assert_true(d >= NAN_Q && isnan(r.same[i]));
        continue;
      }
      if (fabsl(r.exact[i] - exact) > 1e-12L * size) fail();
      if (fabsl(r.quantised[i] - quantised) > 1e-12L * size) fail();
      /* Half a step of fp16, and a little for fp32. */
      if (fabsl(r.same[i] - quantised) > size / 2000 + 1e-7L) fail();
      if (half_decode(half_encode(r.same[i])) != r.same[i]) fail();
    }
    references_free(&r);
    problem_free(&p);
  }
}

static void test_against_the_formula(void **state) {
  check_against_the_formula("2,2,33,8");
  check_against_the_formula("2,6:2,17,8");
  check_against_the_formula("2,4:1,17,4,causal");
  check_against_the_formula("2,2:1,1,128,causal");
  check_against_the_formula("2,4:2,9,8,keys=23,scale=0.3");
  check_against_the_formula("1,2:1,23,8,keys=1");
}

/* Scores as two of the executor's wgmma sum them, each P rounded to a half. */
static void test_scores_of_14_bits(void **state) {
  enum { KEYS = 40, D = 64, DEPTH = 32 };
  problem p;
  references r;
  make_problem(&p, "1,1,40,64", LARGE_LOGITS, 1);
  make_references(&r, &p, P_HALF_SHORT_SCORES);
  static float q[KEYS][DEPTH], k[DEPTH][KEYS], sum[KEYS][KEYS];
  for (int step = 0; step < D / DEPTH; step++) {
    for (int64_t i = 0; i < KEYS * DEPTH; i++) {
      const int64_t row = i / DEPTH, c = i % DEPTH;
      const int64_t at = row * D + step * DEPTH + c;
      q[row][c] = e4m3_decode(p.q_codes[at]);
      k[c][row] = e4m3_decode(p.k_codes[at]);
    }
    multiply_tiles(&multiply_by_wgmma, sum[0], q[0], k[0], KEYS, DEPTH, KEYS);
  }
  const double scale = (double)p.q_scale[0] * p.k_scale[0] * p.softmax_scale;
  double by_codes = 0.0, by_scores = 0.0;
  for (int64_t row = 0; row < KEYS; row++) {
    double score[KEYS], top = -INFINITY, weights = 0.0, o[D] = {0};
    for (int64_t n = 0; n < KEYS; n++) {
      score[n] = scale * sum[row][n];
      top = fmax(top, score[n]);
    }
    for (int64_t n = 0; n < KEYS; n++) {
      const double weight = exp(score[n] - top);
      weights += weight;
      for (int64_t c = 0; c < D; c++)
        o[c] += half_decode(half_encode((float)weight)) *
                (double)p.v_scale[0] * e4m3_decode(p.v_codes[n * D + c]);
    }
    for (int64_t c = 0; c < D; c++) {
      const double same = r.same[row * D + c];
      by_scores += pow(same - o[c] / weights, 2);
      by_codes += pow(same - r.quantised[row * D + c], 2);
    }
  }
  /* What is left is the rounding of the output to halves. */
  assert_true(by_scores > 0.0 && by_codes > 20.0 * by_scores);
  references_free(&r);
  problem_free(&p);
}

/* What every sample must have: heads all alike, the last tile, even steps; and
 * of a long sequence, rows in all places of a tile. */
static void check_sample(const char *text, bool complete) {
  references r = {0};
  reason why;
  attention_shape shape;
  assert_true(case_parse(&shape, NULL, text, &why));
  const int64_t heads = shape.batch * shape.heads, s = shape.seq_len;
  assert_true(references_sample(&r, &shape));
  assert_int_equal(r.complete, complete);
  assert_int_equal(r.count % heads, 0);
  const int64_t in_head = r.count / heads;
  assert_true(r.count >= (complete ? heads * s : 2048));
  const int64_t stride = in_head > 32 ? r.row[1] - r.row[0] : 1;
  for (int64_t i = 0; i < r.count; i++) {
    const int64_t head = i / in_head, at = i % in_head;
    assert_int_equal(r.row[i] / s, head);
    if (at > 0) assert_true(r.row[i] > r.row[i - 1]);
    if (at > 0) assert_true(r.row[i] - r.row[i - 1] <= stride);
    if (in_head - at <= 32)
      assert_int_equal(r.row[i], head * s + s - (in_head - at));
  }
  assert_int_equal(r.row[0], 0);
  bool seen[64] = {false};
  for (int64_t i = 0; i < in_head; i++) seen[r.row[i] % 64] = true;
  for (int i = 0; s == 32768 && i < 64; i++) assert_true(seen[i]);
  assert_true(references_bytes(&shape) >=
              (size_t)r.count * (8 + 20 * (size_t)shape.head_dim));
  references_free(&r);
}

static void test_sample(void **state) {
  static const char *const complete[] = {
      "1,1,1,64", /* Just 2^33 multiply-adds: */ "1,2,8192,64,causal",
      "1,1,4096,64,keys=16384"};
  static const char *const partial[] = {
      "1,2:1,8193,64,causal", "1,4,32768,64,causal", "1,7,100003,64",
      "64,64:8,1031,64", "1,1,4096,64,keys=16385"};
  for (int i = 0; i < 3; i++) check_sample(complete[i], true);
  for (int i = 0; i < 5; i++) check_sample(partial[i], false);
}

MAIN(cmocka_unit_test(test_against_the_formula),
     cmocka_unit_test(test_scores_of_14_bits),
     cmocka_unit_test(test_sample))
