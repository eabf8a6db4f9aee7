#include "tests/harness/test_shapes.h"

#include <math.h>
#include <string.h>

#include "common/harness/problem/e4m3.h"
#include "common/harness/problem/quantise_check.h"
#include "common/harness/problem/random.h"

static void test_normal_numbers(void **state) {
  (void)state;
  enum { COUNT = 200000 };
  double moment[5] = {0};
  for (uint64_t i = 0; i < COUNT; i++) {
    const double x = random_normal(7, 1, i);
    if (!isfinite(x)) fail();
    for (int n = 1; n < 5; n++) moment[n] += pow(x, n) / COUNT;
  }
  /* Each within 5 standard errors. */
  assert_true(fabs(moment[1]) < 5 * sqrt(1.0 / COUNT));
  assert_true(fabs(moment[2] - 1) < 5 * sqrt(2.0 / COUNT));
  assert_true(fabs(moment[3]) < 5 * sqrt(15.0 / COUNT));
  assert_true(fabs(moment[4] - 3) < 5 * sqrt(96.0 / COUNT));
}

static void test_streams_and_seeds_differ(void **state) {
  (void)state;
  enum { COUNT = 4096 };
  double product[3] = {0};
  for (uint64_t i = 0; i < COUNT; i++) {
    const double x = random_normal(0, 0, i);
    product[0] += x * random_normal(0, 1, i) / sqrt(COUNT);
    product[1] += x * random_normal(1, 0, i) / sqrt(COUNT);
    product[2] += x * random_normal(0, 0, i + 1) / sqrt(COUNT);
  }
  for (int i = 0; i < 3; i++) assert_true(fabs(product[i]) < 5.0);
}

/* Another generator would silently make recorded results incomparable. */
static void test_numbers_stay_what_they_are(void **state) {
  (void)state;
  assert_true(random_bits(0, 0, 0) == 0x568A9B0B1A2C05ECu);
  assert_true(random_bits(1, 2, 3) == 0xD78D954167D2B976u);
}

static void test_quantise_head(void **state) {
  (void)state;
  const float values[] = {0.0f, -7.0f, 3.5f, 7.0f, 0.001f, -0.0f};
  uint8_t codes[6];
  assert_true(quantise_head(values, codes, 6) == 7.0f / 448.0f);
  const uint8_t expected[] = {0x00, 0xFE, 0x76, 0x7E, 0x18, 0x80};
  assert_memory_equal(codes, expected, 6);
  const float nothing[4] = {0};
  assert_true(quantise_head(nothing, codes, 4) == 1.0f);
  assert_memory_equal(codes, "\0\0\0\0", 4);
  const float bad[] = {NAN, -INFINITY, -7.0f, INFINITY, -0.0f, 3.5f};
  assert_true(quantise_head(bad, codes, 6) == 7.0f / 448.0f);
  const uint8_t marked[] = {0x7F, 0x7F, 0xFE, 0x7F, 0x80, 0x76};
  assert_memory_equal(codes, marked, 6);
  assert_true(quantise_head(bad, codes, 2) == 1.0f);
}

static void test_threads_change_nothing(void **state) {
  (void)state;
  problem one, four;
  for (int d = 0; d < DISTRIBUTION_COUNT; d++) {
    use_threads(1);
    make_problem(&one, "2,3,33,64", (distribution)d, 5);
    use_threads(4);
    make_problem(&four, "2,3,33,64", (distribution)d, 5);
    const size_t count = attention_shape_elements(&one.shape);
    assert_memory_equal(one.q, four.q, count * 4);
    assert_memory_equal(one.k, four.k, count * 4);
    assert_memory_equal(one.v, four.v, count * 4);
    assert_memory_equal(one.q_codes, four.q_codes, count);
    assert_memory_equal(one.k_codes, four.k_codes, count);
    assert_memory_equal(one.v_codes, four.v_codes, count);
    assert_memory_equal(one.v_scale, four.v_scale, 6 * 4);
    problem_free(&one);
    problem_free(&four);
  }
}

static void test_codes_are_nearest(void **state) {
  (void)state;
  for (int d = 0; d < DISTRIBUTION_COUNT; d++) {
    problem p;
    make_problem(&p, "1,4,31,64", (distribution)d, 2);
    assert_true(problem_is_well_quantised(&p));
    problem_free(&p);
  }
}

/* Every kind of fault in the codes is seen, in each of the tensors. */
static void test_bad_codes_are_seen(void **state) {
  (void)state;
  problem p;
  make_problem(&p, "1,2,17,64", NORMAL, 0);
  uint8_t *const codes[] = {p.q_codes, p.k_codes, p.v_codes};
  float *const scales[] = {p.q_scale, p.k_scale, p.v_scale};
  for (int t = 0; t < 3; t++) {
    for (size_t i = 0; i < 17 * 64 * 2; i += 97) {
      const uint8_t right = codes[t][i];
      const uint8_t wrong[] = {right + 1, right - 1, right ^ 0x80, 0x7F, 0xFF};
      for (int w = 0; w < 5; w++) {
        codes[t][i] = wrong[w];
        if ((wrong[w] & 0x7F) && problem_is_well_quantised(&p))
          fail_msg("code %02x passed for %02x", wrong[w], right);
      }
      codes[t][i] = right;
    }
    const float scale = scales[t][1];
    scales[t][1] = scale * 16.0f;
    assert_false(problem_is_well_quantised(&p));
    scales[t][1] = scale;
  }
  assert_true(problem_is_well_quantised(&p));
  problem_free(&p);
}

/* K and V have a scale for each of their own heads, and no head of Q or of the
 * plain problem with as many heads changes. */
static void test_quantised_by_kv_head(void **state) {
  (void)state;
  for (int d = 0; d < DISTRIBUTION_COUNT; d++) {
    problem p, plain;
    make_problem(&p, "2,6:2,31,64,causal", (distribution)d, 3);
    make_problem(&plain, "2,6,31,64", (distribution)d, 3);
    const size_t in_head = 31 * 64;
    assert_true(problem_is_well_quantised(&p));
    if (d != REAL) /* whose queries follow the shared heads */
      assert_memory_equal(p.q_codes, plain.q_codes, 12 * in_head);
    for (int64_t head = 0; head < 4; head++) {
      float amax[2] = {0};
      for (size_t i = 0; i < in_head; i++) {
        amax[0] = fmaxf(amax[0], fabsf(p.k[head * in_head + i]));
        amax[1] = fmaxf(amax[1], fabsf(p.v[head * in_head + i]));
      }
      assert_true(p.k_scale[head] == (amax[0] > 0 ? amax[0] / 448 : 1));
      assert_true(p.v_scale[head] == (amax[1] > 0 ? amax[1] / 448 : 1));
      /* The generator counts K/V heads as it counts heads. */
      assert_true(p.k_scale[head] == plain.k_scale[head]);
      assert_memory_equal(p.v_codes + head * in_head,
                          plain.v_codes + head * in_head, in_head);
    }
    float *const scales[] = {&p.k_scale[3], &p.v_scale[3], &p.q_scale[11]};
    for (int i = 0; i < 3; i++) { /* the last of each is looked at */
      *scales[i] *= 2.0f;
      assert_false(problem_is_well_quantised(&p));
      *scales[i] /= 2.0f;
    }
    problem_free(&p);
    problem_free(&plain);
  }
}

static double score(const problem *p, int64_t head, int64_t query,
                    int64_t key) {
  const int64_t s = p->shape.seq_len, d = p->shape.head_dim;
  double sum = 0.0;
  for (int64_t c = 0; c < d; c++)
    sum += (double)p->q[(head * s + query) * d + c] *
           p->k[(head * s + key) * d + c];
  return sum * p->softmax_scale;
}

/* The largest weight that a key has in this row. */
static double top_weight(const problem *p, int64_t head, int64_t query) {
  double top = -INFINITY, sum = 0.0;
  for (int64_t n = 0; n < p->shape.seq_len; n++)
    top = fmax(top, score(p, head, query, n));
  for (int64_t n = 0; n < p->shape.seq_len; n++)
    sum += exp(score(p, head, query, n) - top);
  return 1.0 / sum;
}

static double mean_top_weight(distribution d) {
  problem p;
  double sum = 0.0;
  make_problem(&p, "1,4,100,64", d, 0);
  for (int64_t head = 0; head < 4; head++)
    for (int64_t query = 0; query < 100; query++)
      sum += top_weight(&p, head, query);
  problem_free(&p);
  return sum / 400.0;
}

static void test_softmax_is_flat_or_steep(void **state) {
  (void)state;
  assert_true(mean_top_weight(NORMAL) < 0.2);
  assert_true(mean_top_weight(LARGE_LOGITS) > 0.9);
  assert_true(mean_top_weight(DOMINANT_KEY) > 0.999);
}

static void test_constant_rows(void **state) {
  (void)state;
  problem p;
  make_problem(&p, "1,2,9,64", CONSTANT_ROWS, 3);
  for (int64_t i = 0; i < 2 * 9 * 64; i++) {
    assert_true(p.q[i] == p.q[i / 64 * 64] && p.k[i] == p.k[i / 64 * 64]);
    assert_true(p.v[i] == p.v[i / 64 * 64]);
  }
  assert_true(p.v[0] != p.v[64]);
  problem_free(&p);
}

static void test_mixed_scales_differ_by_1000(void **state) {
  (void)state;
  problem p;
  make_problem(&p, "2,3,64,64", MIXED_SCALES, 0);
  const float ratio = p.v_scale[1] / p.v_scale[0];
  assert_true(ratio > 700.0f && ratio < 1400.0f);
  problem_free(&p);
}

static void test_zero_heads(void **state) {
  (void)state;
  problem p;
  make_problem(&p, "1,3,5,64", ZERO_HEAD, 0);
  for (int64_t i = 0; i < 3 * 5 * 64; i++) {
    const bool zero = i / (5 * 64) % 2 == 0;
    assert_true((p.v_codes[i] == 0 && p.q_codes[i] == 0) || !zero);
  }
  assert_true(p.q_scale[0] == 1.0f && p.k_scale[2] == 1.0f);
  assert_true(p.v_scale[1] != 1.0f);
  problem_free(&p);
}

static void test_offset_values(void **state) {
  (void)state;
  problem p, normal;
  make_problem(&p, "1,2,50,64", OFFSET_VALUES, 0);
  make_problem(&normal, "1,2,50,64", NORMAL, 0);
  const size_t count = 2 * 50 * 64;
  for (size_t i = 0; i < count; i++)
    assert_true(p.v[i] == normal.v[i] + 4.0f);
  assert_memory_equal(p.q, normal.q, count * sizeof *p.q);
  assert_memory_equal(p.k, normal.k, count * sizeof *p.k);
  problem_free(&p);
  problem_free(&normal);
}

static void test_names(void **state) {
  (void)state;
  for (int d = 0; d < DISTRIBUTION_COUNT; d++)
    assert_int_equal(distribution_parse(distribution_name((distribution)d)), d);
  assert_int_equal(distribution_parse("gaussian"), DISTRIBUTION_COUNT);
  assert_int_equal(distribution_parse(""), DISTRIBUTION_COUNT);
}

/* As without a sanitizer: malloc may fail. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
  return "allocator_may_return_null=1";
}

static void test_too_little_memory(void **state) {
  (void)state;
  const attention_shape most = {8, 65535, 2147483647, 64, 65535, false};
  reason why = {""};
  problem p;
  assert_false(problem_new(&p, &most, NORMAL, 0, &why));
  assert_non_null(strstr(why.text, "Too little memory for the inputs"));
  assert_null(p.q);
  problem_free(&p); /* harmless */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_normal_numbers),
      cmocka_unit_test(test_streams_and_seeds_differ),
      cmocka_unit_test(test_numbers_stay_what_they_are),
      cmocka_unit_test(test_quantise_head),
      cmocka_unit_test(test_threads_change_nothing),
      cmocka_unit_test(test_codes_are_nearest),
      cmocka_unit_test(test_bad_codes_are_seen),
      cmocka_unit_test(test_quantised_by_kv_head),
      cmocka_unit_test(test_softmax_is_flat_or_steep),
      cmocka_unit_test(test_constant_rows),
      cmocka_unit_test(test_mixed_scales_differ_by_1000),
      cmocka_unit_test(test_zero_heads),
      cmocka_unit_test(test_offset_values),
      cmocka_unit_test(test_names),
      cmocka_unit_test(test_too_little_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
