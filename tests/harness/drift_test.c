#include "tests/harness/unit.h"

#include <math.h>
#include <string.h>

#include "common/harness/judge/drift.h"
#include "common/harness/problem/settings.h"

/* Judged and said: `text` is all of the line. */
static void assert_says(double error, bool declared, bool passes,
                        const char *text) {
  char line[160];
  const drift_result r = {
      .keys = 2048, .error = error, .why = {"The launch failed."},
      .limit = 0.025, .declared = declared};
  assert_int_equal(drift_passed(&r), passes);
  drift_line(&r, line, sizeof line);
  assert_string_equal(line, text);
}

static void test_verdicts(void **state) {
  (void)state;
  assert_says(0.035, true, true, "drifts 0.035 at 2,048 keys, declared");
  assert_says(0.001, false, true, "does not drift: 0.001 at 2,048 keys");
  assert_says(0.035, false, false,
              "FAILED: drifts 0.035 at 2,048 keys, more than 0.025, and "
              "stage_support does not say DRIFTS");
  assert_says(0.001, true, false,
              "FAILED: stage_support says DRIFTS, but the error at 2,048 keys, "
              "0.001, is at most 0.025");
  assert_says(0.025, false, true, "does not drift: 0.025 at 2,048 keys");
  assert_says(INFINITY, false, false,
              "FAILED: drifts inf at 2,048 keys, more than 0.025, and "
              "stage_support does not say DRIFTS");
}

/* Nothing measured is nothing shown, whatever was declared. */
static void test_not_a_number(void **state) {
  (void)state;
  for (int declared = 0; declared < 2; declared++)
    assert_says(NAN, declared, false,
                "FAILED: no drift was measured at 2,048 keys. The launch "
                "failed.");
}

static void test_settings(void **state) {
  (void)state;
  const settings *s = settings_get();
  assert_int_equal(s->drift_shape_cpu.seq_len, 2048);
  assert_int_equal(s->drift_shape_gpu.heads, 16);
  assert_true(s->drift_limit == 0.025);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_verdicts),
      cmocka_unit_test(test_not_a_number),
      cmocka_unit_test(test_settings),
  };
  return cmocka_run_group_tests_name("drift", tests, NULL, NULL);
}
