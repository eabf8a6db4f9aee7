/* The gates, where no impostor looks: see tests/impostors. */

#include "tests/harness/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A problem, its references, and an output to be judged. */
typedef struct {
  problem p;
  references r;
  uint16_t *o;
  int64_t values; /* elements of the output */
  gates_result g;
} bench;

/* The output starts as the quantised reference, rounded. */
static void make_bench(bench *b, const char *shape, distribution d) {
  make_problem(&b->p, shape, d, 0);
  make_references(&b->r, &b->p, P_FP32);
  b->values = b->r.count * b->r.head_dim;
  b->o = malloc(2 * (size_t)b->values);
  assert_non_null(b->o);
  for (int64_t i = 0; i < b->values; i++)
    b->o[i] = half_encode((float)b->r.quantised[i]);
}

static void free_bench(bench *b) {
  problem_free(&b->p);
  references_free(&b->r);
  free(b->o);
}

static void judge(bench *b) {
  assert_true(gates_judge(&b->g, b->o, &b->p, &b->r));
}

/* As if the format cost nothing, so that every gate judges. */
static void make_exact(bench *b) {
  memcpy(b->r.exact, b->r.quantised, (size_t)b->values * sizeof *b->r.exact);
}

/* Judges; these gates fail, and no others do. */
static void assert_fails(bench *b, unsigned gates) {
  judge(b);
  for (int i = 0; i < GATE_COUNT; i++)
    if ((b->g.verdict[i] == FAILED) != (gates >> i & 1))
      fail_msg("%s: %g, limit %g", gate_name((gate)i), b->g.figure[i],
               b->g.limit[i]);
  assert_int_equal(gates_passed(&b->g), gates == 0);
}

#define BIT(gate) (1u << (gate))

/* Has one of these codes a NaN? */
static bool has_nan(const uint8_t *codes, int64_t count, int64_t step) {
  for (int64_t i = 0; i < count; i++)
    if ((codes[i * step] & 0x7F) == 0x7F) return true;
  return false;
}

/* What must be NaN is, and nothing else: of V its column in the rows that see
 * the key, of Q a row, of K all rows that see it. */
static void test_nan_where_one_takes_part(void **state) {
  bool negative = false, positive = false;
  for (int d = NAN_Q; d <= NAN_V; d++) {
    bench b;
    make_bench(&b, "1,3,40,64,causal", (distribution)d);
    assert_fails(&b, 0);
    int64_t at = -1;
    for (int64_t i = b.values; i-- > 0;) {
      const int64_t row = i / 64 % 40, head = i - i % (40 * 64);
      const uint8_t *q = b.p.q_codes + head + row * 64;
      const bool nan = has_nan(q, 64, 1) ||
                       has_nan(b.p.k_codes + head, (row + 1) * 64, 1) ||
                       has_nan(b.p.v_codes + head + i % 64, row + 1, 64);
      assert_int_equal(isnan(b.r.quantised[i]), nan);
      if (nan) at = i;
      for (int t = 0; t < TENSOR_COUNT; t++) {
        const uint8_t code = (*problem_tensor(&b.p, t).codes)[i];
        negative |= code == 0xFF;
        positive |= code == 0x7F;
      }
    }
    assert_true(at >= 0);
    const uint16_t bad[] = {0x7C00, 0xFC00, 0, 0x3C00};
    for (int i = 0; i < 4; i++) {
      b.o[at] = bad[i];
      assert_fails(&b, BIT(GATE_FINITE));
    }
    b.o[at] = 0xFE00;
    assert_fails(&b, 0);
    b.o[0] = 0x7E00;
    judge(&b);
    assert_false(gates_passed(&b.g));
    free_bench(&b);
  }
  assert_true(negative && positive);
}

/* Outside of the sample only the finite gate looks. */
static void test_not_finite_outside_the_sample(void **state) {
  bench b;
  make_bench(&b, "1,1,65,64", NORMAL);
  make_exact(&b);
  b.r.count = 40;
  assert_fails(&b, 0);
  b.o[64 * 64 + 5] = 0x7E00;
  assert_fails(&b, BIT(GATE_FINITE));
  b.o[64 * 64 + 5] = half_encode(1000.0f);
  assert_fails(&b, 0);
  free_bench(&b);
}

/* Heads are judged one by one: the loudest does not cover the others, and in a
 * head of zeros -0 is as good, but the smallest number above 0 is not. */
static void test_small_heads_count(void **state) {
  for (int zero = 0; zero < 2; zero++) {
    bench b;
    make_bench(&b, "1,2,33,64", zero ? ZERO_HEAD : MIXED_SCALES);
    for (int i = 0; zero && i < 64; i++) b.o[i] = 0x8000;
    assert_fails(&b, 0);
    if (zero) b.o[3] = 1;
    else memset(b.o, 0, 2 * 33 * 64); /* the small head is lost */
    judge(&b);
    assert_int_equal(b.g.verdict[GATE_REL_RMS], FAILED);
    free_bench(&b);
  }
}

/* A bias far too small for every other gate; and where all columns of a row err
 * alike, only the rows tell how sure the mean is: an honest kernel whose rows
 * err up and down must pass. */
static void test_signed_mean(void **state) {
  for (int alike = 0; alike < 2; alike++) {
    const float size = alike ? 0.001f : 0.0005f;
    bench b;
    make_bench(&b, alike ? "1,1,64,64" : "1,4,65,64",
               alike ? CONSTANT_ROWS : NORMAL);
    make_exact(&b);
    for (int64_t i = 0; i < b.values; i++) {
      /* 36 rows up, 28 down: a mean of an eighth, a standard error as large. */
      const int64_t row = i / 64;
      const bool up = alike ? row * 7 % 64 < 36 : row % 2 == i % 2;
      const bool balanced = alike ? row % 2 : up;
      b.r.same[i] = (float)b.r.quantised[i] + (balanced ? size : -size);
      b.o[i] = half_encode((float)b.r.quantised[i] + (up ? size : -size));
    }
    assert_fails(&b, 0);
    for (int sign = -1; sign <= 1; sign += 2) {
      for (int64_t i = 0; i < b.values; i++)
        b.o[i] = half_encode((float)b.r.quantised[i] + (float)sign * size);
      assert_fails(&b, BIT(GATE_SIGNED_MEAN));
    }
    free_bench(&b);
  }
}

/* Weighs nothing in any gate where P is rounded to E4M3: one row among a
 * thousand. */
static void test_one_row_is_named(void **state) {
  for (int causal = 0; causal < 2; causal++) {
    bench b;
    char where[256] = "";
    make_bench(&b, causal ? "1,2,1000,64,causal" : "1,2,1000,64",
               MIXED_SCALES);
    references_free(&b.r);
    make_references(&b.r, &b.p, P_E4M3);
    for (int64_t i = 0; i < b.values; i++)
      b.o[i] = half_encode(b.r.same[i]);
    where_wrong(where, sizeof where, b.o, &b.p, &b.r, true);
    assert_string_equal(where, "");
    memcpy(b.o + 700 * 64, b.o + 701 * 64, 2 * 64);
    assert_fails(&b, 0);
    where_wrong(where, sizeof where, b.o, &b.p, &b.r, true);
    assert_non_null(strstr(where, " of row 700 of head 0"));
    free_bench(&b);
  }
  check_result result = {.ran = true, .gates = {.verdict = {PASSED}}};
  assert_true(check_passed(&result));
  result.beyond = true;
  assert_false(check_passed(&result));
}

/* Nothing judged is no pass, and no drift that was measured is none shown,
 * whatever was declared. */
static void test_nothing_judged_is_no_pass(void **state) {
  const gates_result g = {0};
  assert_false(gates_passed(&g));
  drift_result drift = {.error = NAN, .limit = 0.025};
  for (int i = 0; i < 2; i++, drift.declared = true)
    assert_false(drift_passed(&drift));
}

/* ---- the inputs: tamer ones would let a wrong kernel pass. That the numbers
 * stay what they are show the records of tests/arithmetic and tests/impostors;
 * that they are quantised rightly, tests/library. ---- */

/* Every kind of fault in the codes is seen, in each of the tensors. */
static void test_bad_codes_are_seen(void **state) {
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
    scales[t][1] *= 16.0f;
    assert_false(problem_is_well_quantised(&p));
    scales[t][1] /= 16.0f;
  }
  assert_true(problem_is_well_quantised(&p));
  problem_free(&p);
}

/* ---- the distributions ---- */

static double score_of(const problem *p, int64_t row, int64_t key) {
  double score = 0.0;
  for (int c = 0; c < 64; c++) score += p->q[row * 64 + c] * p->k[key * 64 + c];
  return score * p->softmax_scale;
}

/* Each has what it is there for. What `far-below` and `step-up` are for is
 * found by mistakes that only they name: tests/axes. */
static void test_peak_and_tiny(void **state) {
  problem p;
  make_problem(&p, "1,3,9,64,keys=300,scale=0.5", PEAK, 0);
  const int64_t at[] = {0, 225, 299};
  for (int head = 0; head < 3; head++) {
    const double score = score_of(&p, 9 * head, 300 * head + at[head]);
    assert_true(fabs(score - log(300) - 1) < 3);
  }
  problem_free(&p);
  make_problem(&p, "1,4,33,64", TINY, 0);
  for (int head = 0; head < 4; head++) {
    const double by = ldexp(1, -77 - 17 * head);
    assert_true(p.q_scale[head] > by / 8 && p.q_scale[head] < by);
    assert_true(p.k_scale[head] > by / 8 && p.k_scale[head] < by);
  }
  assert_true(problem_is_well_quantised(&p));
  problem_free(&p);
}

MAIN(cmocka_unit_test(test_nan_where_one_takes_part),
     cmocka_unit_test(test_not_finite_outside_the_sample),
     cmocka_unit_test(test_small_heads_count),
     cmocka_unit_test(test_signed_mean),
     cmocka_unit_test(test_one_row_is_named),
     cmocka_unit_test(test_nothing_judged_is_no_pass),
     cmocka_unit_test(test_bad_codes_are_seen),
     cmocka_unit_test(test_peak_and_tiny))
