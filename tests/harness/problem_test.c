/* The inputs: tamer ones would let a wrong kernel pass. That the numbers stay
 * what they are show the records of tests/arithmetic and tests/impostors; that
 * they are quantised rightly, tests/library. */

#include "tests/harness/unit.h"

#include <math.h>

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

MAIN(cmocka_unit_test(test_bad_codes_are_seen),
     cmocka_unit_test(test_peak_and_tiny))
