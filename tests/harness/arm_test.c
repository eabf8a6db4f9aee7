#include "common/harness/record/arm.h"

#include "tests/harness/unit.h"

/* How an arm is spelled, both ways. */

static void test_round_trip(void **state) {
  (void)state;
  static const char *const spellings[] = {"default", "A-0",
                                          "USE_CP_ASYNC-0.LOAD_BYTES-16"};
  for (int i = 0; i < 3; i++) {
    arm a;
    char text[ARM_TEXT];
    assert_true(arm_decode(&a, spellings[i]));
    assert_int_equal(a.count, i);
    arm_encode(&a, text);
    assert_string_equal(text, spellings[i]);
  }
}

static void test_settings(void **state) {
  (void)state;
  arm a;
  char text[ARM_TEXT];
  assert_true(arm_decode(&a, "A-0.B_2-16"));
  assert_string_equal(a.settings[1].name, "B_2");
  assert_string_equal(a.settings[1].value, "16");
  arm_settings(&a, "", text);
  assert_string_equal(text, "A=0 B_2=16");
  arm_settings(&a, "-D", text);
  assert_string_equal(text, "-DA=0 -DB_2=16");
  assert_true(arm_decode(&a, "default"));
  arm_settings(&a, "-D", text);
  assert_string_equal(text, "");
}

static void test_refused(void **state) {
  (void)state;
  static const char *const wrong[] = {"", ".", "A", "A-", "-0", "A-0.", "A=0",
                                      "A-0..B-1", "A-0 B-1", "A-x", "9A-0",
                                      "A-0.B-1.count", "Default", "A--1"};
  arm a;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    assert_false(arm_decode(&a, wrong[i]));
  a.count = 0;
  for (int i = 0; i < ARM_SETTINGS_MAX; i++) assert_true(arm_add(&a, "A", "1"));
  assert_false(arm_add(&a, "A", "1"));
}

static void test_file_name(void **state) {
  (void)state;
  char text[ARM_TEXT], stage[ARM_TEXT], spelling[ARM_TEXT];
  arm_file_name("stage1_x", "default", text);
  assert_string_equal(text, "stage1_x");
  arm_file_name("stage1_x", "A-0.B-1", text);
  assert_string_equal(text, "stage1_x.A-0.B-1");
  assert_true(arm_of_file_name(text, stage, spelling));
  assert_string_equal(stage, "stage1_x");
  assert_string_equal(spelling, "A-0.B-1");
  assert_true(arm_of_file_name("stage1_x", stage, spelling));
  assert_string_equal(spelling, "default");
  assert_false(arm_of_file_name("stage1_x.count", stage, spelling));
  assert_false(arm_of_file_name("stage1_x.A-0.ncu", stage, spelling));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_round_trip),
      cmocka_unit_test(test_settings),
      cmocka_unit_test(test_refused),
      cmocka_unit_test(test_file_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
