/* The model of a ring's time: what it must say where the answer is plain. */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "further/stage18_ring/ring/model.h"

/* A link that costs nothing, and one card that takes a second. */
static model_input free_link(void) {
  return (model_input){.one_card_us = 1e6,
                       .bytes_a_us = INFINITY,
                       .network_bytes_a_us = INFINITY,
                       .message_row_bytes = 1.0,
                       .ranks_a_machine = 8,
                       .slowdown = 1.0};
}

static void near(double got, double right) {
  if (!(fabs(got - right) <= 1e-3 * right))
    fail_msg("%g, and %g would be right", got, right);
}

static void shares_the_work(void **state) {
  (void)state;
  const model_input in = free_link();
  for (int causal = 0; causal < 2; causal++)
    for (int ranks = 1; ranks <= 64; ranks *= 2) {
      const ring_plan plan = {ranks, 1 << 20, causal};
      near(model_ring_us(&in, &plan), 1e6 / ranks);
    }
}

/* The last keys cannot come before P - 1 exchanges, one behind the other. */
static void waits_for_the_link(void **state) {
  (void)state;
  model_input in = free_link();
  in.one_card_us = 1e-3;
  in.latency_us = 100.0;
  in.bytes_a_us = 1024.0;
  const ring_plan plan = {4, 1 << 20, false};
  const double one = 100.0 + (double)(1 << 18) / 1024.0;
  near(model_ring_us(&in, &plan), 3.0 * one);
}

static void hides_what_is_shorter(void **state) {
  (void)state;
  model_input in = free_link();
  in.bytes_a_us = 4.0 * (1 << 18) / 1e6; /* an exchange is a step's time */
  const ring_plan plan = {4, 1 << 20, false};
  const double alone = model_ring_us(&in, &plan);
  in.bytes_a_us *= 16.0;
  near(model_ring_us(&in, &plan), 0.25e6);
  assert_true(alone > 0.26e6);
}

static void crosses_machines(void **state) {
  (void)state;
  model_input in = free_link();
  in.one_card_us = 1e-3;
  in.network_latency_us = 50.0;
  const ring_plan within = {8, 1 << 20, false}, over = {16, 1 << 20, false};
  assert_true(model_ring_us(&in, &within) < 1.0);
  assert_true(model_ring_us(&in, &over) > 49.0);
}

static void counts_merges(void **state) {
  (void)state;
  model_input in = free_link();
  in.merge_row_ns = 1.0;
  const ring_plan plan = {2, 1 << 20, false};
  near(model_ring_us(&in, &plan), 0.5e6 + 1e-3 * (1 << 19));
}

static void slows_down_beside_messages(void **state) {
  (void)state;
  model_input in = free_link();
  in.slowdown = 1.1;
  const ring_plan plan = {2, 1 << 20, false};
  near(model_ring_us(&in, &plan), 0.25e6 * 1.1 + 0.25e6);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shares_the_work),
      cmocka_unit_test(waits_for_the_link),
      cmocka_unit_test(hides_what_is_shorter),
      cmocka_unit_test(crosses_machines),
      cmocka_unit_test(counts_merges),
      cmocka_unit_test(slows_down_beside_messages),
  };
  return cmocka_run_group_tests_name("ring model", tests, NULL, NULL);
}
