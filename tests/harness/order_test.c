#include "common/harness/time/order.h"

#include "tests/harness/unit.h"

/* The order of arms in a round: each once, nobody always behind the same. */

enum { ARMS = 5, ROUNDS = 500 };

static void test_each_once(void **state) {
  (void)state;
  for (int round = 0; round < ROUNDS; round++) {
    int order[ARMS], seen[ARMS] = {0};
    order_of_round(round, order, ARMS);
    for (int i = 0; i < ARMS; i++) {
      assert_in_range(order[i], 0, ARMS - 1);
      seen[order[i]]++;
    }
    for (int i = 0; i < ARMS; i++) assert_int_equal(seen[i], 1);
  }
}

/* Each should come first, and stand behind each other one, in a fifth of the
 * rounds: within a third of that, which chance passes for good. */
static void test_neighbours(void **state) {
  (void)state;
  int first[ARMS] = {0}, behind[ARMS][ARMS] = {{0}};
  for (int round = 0; round < ROUNDS; round++) {
    int order[ARMS];
    order_of_round(round, order, ARMS);
    first[order[0]]++;
    for (int i = 1; i < ARMS; i++) behind[order[i]][order[i - 1]]++;
  }
  for (int i = 0; i < ARMS; i++) {
    assert_in_range(first[i], 67, 133);
    for (int j = 0; j < ARMS; j++)
      if (i != j) assert_in_range(behind[i][j], 67, 133);
  }
}

static void test_again(void **state) {
  (void)state;
  int one[ARMS], other[ARMS];
  order_of_round(7, one, ARMS);
  order_of_round(7, other, ARMS);
  assert_memory_equal(one, other, sizeof one);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_each_once),
      cmocka_unit_test(test_neighbours),
      cmocka_unit_test(test_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
