#include "tests/harness/unit.h"

#include <stdio.h>
#include <string.h>

#include "common/harness/record/figures.h"

static json_t *read_text(const char *text) {
  json_t *json = json_loads(text, 0, NULL);
  assert_non_null(json);
  return json;
}

static void figures_that_can_be(void **state) {
  (void)state;
  static const char *const good[] = {
      "{\"p50_us\": 0.001, \"noise_us\": 0, \"samples_us\": [1, [2, 0]]}",
      "{\"low_us\": null, \"us\": 3, \"saved_pct\": -4, \"bus\": -1}",
      "[[], {}, -7, \"text\", null, true]"};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    reason why;
    json_t *json = read_text(good[i]);
    if (!figures_check(json, "f", &why)) fail_msg("%s", why.text);
    json_decref(json);
  }
}

static void figures_that_cannot_be(void **state) {
  (void)state;
  static const char *const bad[][2] = {
      {"{\"a\": {\"p50_us\": 0}}",
       "f: a/p50_us is 0, and must be a number above 0."},
      {"{\"a\": [{\"noise_us\": -1}]}",
       "f: a/0/noise_us is -1, and must be a number of 0 or more."},
      {"{\"samples_us\": [1, [2, \"3\"]]}",
       "f: samples_us/1/1 is a text, and must be a number of 0 or more."},
      {"{\"ns\": {}}", "f: ns is an object, and must be a number of 0 or"},
      {"{\"x_w\": true}", "f: x_w is true or false, and must be"},
      {"{\"x_mhz\": -0.5}", "f: x_mhz is -0.5, and"},
      {"{\"\\u001b[2J_bytes\": -1}", "f: ?[2J_bytes is -1, and"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    reason why;
    json_t *json = read_text(bad[i][0]);
    assert_false(figures_check(json, "f", &why));
    if (!strstr(why.text, bad[i][1])) fail_msg("%s", why.text);
    json_decref(json);
  }
}

/* A path longer than any room for it is cut off, and no more. */
static void deep_figures(void **state) {
  (void)state;
  enum { DEPTH = 500 };
  json_t *json = json_pack("{s:i}", "x_us", -1);
  for (int i = 0; i < DEPTH; i++)
    json = json_pack("{s:o}", "a long key", json);
  reason why;
  assert_false(figures_check(json, "f", &why));
  assert_non_null(strstr(why.text, "a long key/a long key"));
  assert_non_null(strstr(why.text, " is -1, and must be"));
  json_decref(json);
}

static void wanted(void **state) {
  (void)state;
  json_t *json =
      read_text("{\"a\": {\"b\": 1, \"c\": \"d\", \"n\": null}, \"l\": []}");
  const struct {
    const char *path;
    figure_kind kind;
    bool needed;
    const char *says; /* NULL: it is so */
  } cases[] = {
      {"a", A_SECTION, true, NULL},
      {"a/b", A_NUMBER, true, NULL},
      {"a/c", A_TEXT, true, NULL},
      {"a/x", A_TEXT, false, NULL},
      {"a/n", A_NUMBER, false, NULL},
      {"a/n", A_NUMBER, true, "f: a/n is null, and must be a number."},
      {"a/x", A_TEXT, true, "f has no a/x."},
      {"a/b/c", A_TEXT, true, "f has no a/b/c."},
      {"l/0", A_TEXT, true, "f has no l/0."},
      {"l", A_SECTION, false, "f: l is an array, and must be an object."},
      {"a/b", A_TEXT, false, "f: a/b is 1, and must be a text."},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    reason why = {""};
    const bool is_so = figures_want(json, "f", cases[i].path, cases[i].kind,
                                    cases[i].needed, &why);
    assert_int_equal(is_so, !cases[i].says);
    if (cases[i].says) assert_string_equal(why.text, cases[i].says);
  }
  json_decref(json);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(figures_that_can_be),
      cmocka_unit_test(figures_that_cannot_be),
      cmocka_unit_test(deep_figures),
      cmocka_unit_test(wanted),
  };
  return cmocka_run_group_tests_name("figures", tests, NULL, NULL);
}
