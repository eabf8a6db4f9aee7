/* What times are made of: percentiles, noise, and an order of the arms in which
 * nobody always comes behind the same. (FLOP: test_sample of reference_test.c.)
 */

#include "tests/harness/unit.h"

#include <math.h>

#include "common/harness/timing.h"

enum { ARMS = 5, ROUNDS = 500 };

/* Each once a round; and each should come first, and stand behind each other
 * one, in a fifth of the rounds: within a third of that, which chance passes
 * for good. */
static void test_order(void **state) {
  int first[ARMS] = {0}, behind[ARMS][ARMS] = {{0}};
  for (int round = 0; round < ROUNDS; round++) {
    int order[ARMS], again[ARMS], seen = 0;
    order_of_round(round, order, ARMS);
    order_of_round(round, again, ARMS);
    assert_memory_equal(order, again, sizeof order);
    for (int i = 0; i < ARMS; i++) seen |= 1 << order[i];
    assert_int_equal(seen, (1 << ARMS) - 1);
    first[order[0]]++;
    for (int i = 1; i < ARMS; i++) behind[order[i]][order[i - 1]]++;
  }
  for (int i = 0; i < ARMS; i++) {
    assert_in_range(first[i], 67, 133);
    for (int j = 0; j < ARMS; j++)
      if (i != j) assert_in_range(behind[i][j], 67, 133);
  }
}

static void test_percentiles(void **state) {
  samples s = samples_new(10);
  for (int i = 0; i < 10; i++) s.us[i] = (float)((7 * i) % 10 + 1);
  samples_summarise(&s);
  assert_true(s.p50 == 5.0 && s.p90 == 9.0 && s.p99 == 10.0 && s.mean == 5.5);
  assert_true(fabs(s.deviation - 3.0276503540974917) < 1e-12);
  assert_true(s.us[1] == 8.0f); /* the order in time is kept */
  samples_free(&s);
}

static void test_noise(void **state) {
  samples a = samples_new(40), b = samples_new(40);
  for (int i = 0; i < 40; i++) a.us[i] = b.us[i] = 10.0f;
  assert_true(samples_noise(&a, &b, 10) == 0.0);
  for (int i = 8; i < 12; i++) b.us[i] = 10.5f; /* one of ten batches */
  b.us[0] = 99.0f; /* a single outlier moves no median */
  assert_true(samples_noise(&a, &b, 10) == 0.5);
  samples_free(&a);
  samples_free(&b);
}

MAIN(cmocka_unit_test(test_order),
     cmocka_unit_test(test_percentiles),
     cmocka_unit_test(test_noise))
