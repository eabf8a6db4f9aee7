#include "tests/harness/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/harness/record/results.h"
#include "common/harness/time/samples.h"

static char folder[] = "/tmp/results-test-XXXXXX";

static int make_folder(void **state) {
  (void)state;
  return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command);
}

static json_t *result(int version) {
  return json_pack("{s:{s:i}, s:{s:f}}", "build_meta", "schema_version",
                   version, "perf", "p50_us", 1.5);
}

static void path_of(char *path, const char *name) {
  snprintf(path, 256, "%s/%s", folder, name);
}

static void write_text(const char *name, const char *text) {
  char path[256];
  path_of(path, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static void written_is_read(void **state) {
  (void)state;
  char deep[256], path[256];
  reason why;
  snprintf(deep, sizeof deep, "%s/a/b", folder);
  json_t *json = result(RESULTS_SCHEMA);
  assert_true(results_write(json, deep, "x", &why));
  path_of(path, "a/b/x.json");
  json_t *back = results_read(path, &why);
  assert_true(json_equal(json, back));
  assert_true(results_number(back, "perf/p50_us") == 1.5);
  assert_true(isnan(results_number(back, "perf/none")));
  json_decref(json);
  json_decref(back);
}

static void bad_files_are_refused(void **state) {
  (void)state;
  static const char *const bad[][2] = {
      {"", "not valid JSON"},
      {"{\"build_meta\": {\"schema_version\": 1", "not valid JSON"},
      {"{\"a\": 1, \"a\": 2}", "not valid JSON"},
      {"not json", "line 1"},
      {"[1]", "no build_meta"},
      {"{\"build_meta\": {\"schema_version\": 99}}", "schema version 99"},
  };
  char path[256];
  reason why;
  path_of(path, "bad.json");
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    write_text("bad.json", bad[i][0]);
    assert_null(results_read(path, &why));
    assert_non_null(strstr(why.text, bad[i][1]));
  }
  assert_null(results_read("/no/such/file.json", &why));
  assert_non_null(strstr(why.text, "Cannot read"));
}

/* The old file stays whole when the new one cannot be written. */
static void failed_write_loses_nothing(void **state) {
  (void)state;
  char path[256];
  reason why;
  json_t *old = result(RESULTS_SCHEMA);
  assert_true(results_write(old, folder, "kept", &why));
  path_of(path, "kept.json");
  /* A folder of this name lies where the file is written aside. */
  char aside[300];
  snprintf(aside, sizeof aside, "%s/.kept.%ld", folder, (long)getpid());
  assert_int_equal(mkdir(aside, 0700), 0);
  json_t *new = result(2);
  assert_false(results_write(new, folder, "kept", &why));
  assert_non_null(strstr(why.text, "Cannot write"));
  rmdir(aside);
  json_t *back = results_read(path, &why);
  assert_true(json_equal(old, back));
  json_decref(old);
  json_decref(new);
  json_decref(back);
}

static void no_folder_no_file(void **state) {
  (void)state;
  reason why;
  json_t *json = result(RESULTS_SCHEMA);
  assert_false(results_write(json, "/proc/no-folder", "x", &why));
  assert_non_null(strstr(why.text, "Cannot write /proc/no-folder/x.json"));
  json_decref(json);
}

static void percentiles_by_hand(void **state) {
  (void)state;
  samples s = samples_new(10);
  for (int i = 0; i < 10; i++) s.us[i] = (float)((7 * i) % 10 + 1);
  samples_summarise(&s);
  assert_true(s.p50 == 5.0 && s.p90 == 9.0 && s.p99 == 10.0 && s.mean == 5.5);
  assert_true(fabs(s.deviation - 3.0276503540974917) < 1e-12);
  assert_true(s.us[1] == 8.0f); /* the order in time is kept */
  samples_free(&s);
}

static void noise_by_hand(void **state) {
  (void)state;
  samples a = samples_new(40), b = samples_new(40);
  for (int i = 0; i < 40; i++) a.us[i] = b.us[i] = 10.0f;
  assert_true(samples_noise(&a, &b, 10) == 0.0);
  for (int i = 8; i < 12; i++) b.us[i] = 10.5f; /* one of ten batches */
  assert_true(samples_noise(&a, &b, 10) == 0.5);
  b.us[0] = 99.0f; /* a single outlier moves no median */
  assert_true(samples_noise(&a, &b, 10) == 0.5);
  samples_free(&a);
  samples_free(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(written_is_read),
      cmocka_unit_test(bad_files_are_refused),
      cmocka_unit_test(failed_write_loses_nothing),
      cmocka_unit_test(no_folder_no_file),
      cmocka_unit_test(percentiles_by_hand),
      cmocka_unit_test(noise_by_hand),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
