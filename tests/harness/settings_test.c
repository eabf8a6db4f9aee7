#include "tests/harness/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/harness/problem/settings.h"

static char *text; /* the real file */

static int read_file(void **state) {
  (void)state;
  FILE *file = fopen("common/harness/settings.json", "r");
  text = calloc(1, 65536);
  if (!file || !text) return -1;
  const size_t size = fread(text, 1, 65535, file);
  fclose(file);
  return size > 0 ? 0 : -1;
}

static int free_file(void **state) {
  (void)state;
  free(text);
  return 0;
}

static void test_values(void **state) {
  (void)state;
  const settings *s = settings_get();
  assert_true(s->max_abs_err == 0.06 && s->mean_abs_err == 0.02);
  assert_true(s->pct_bad == 1.0 && s->rel_rms_ratio == 2.0);
  assert_true(s->signed_mean_sigmas == 5.0 && s->lse_rms == 0.5);
  assert_int_equal(s->warmup, 100);
  assert_int_equal(s->timed, 500);
  assert_int_equal(s->seed_count, 3);
  assert_int_equal(s->seeds[2], 2);
  assert_int_equal(s->check_seq_len_count, 9);
  assert_int_equal(s->check_seq_lens[8], 513);
  assert_int_equal(s->multiprocessor_count, 3);
  assert_int_equal(s->multiprocessors[0], 2);
  assert_int_equal(s->multiprocessors[2], 132);
  assert_string_equal(s->shapes[1].name, "mission");
  assert_int_equal(s->shapes[1].shape.seq_len, 512);
  assert_string_equal(s->check_shapes[0], "small");
  assert_ptr_equal(settings_get(), s);
}

static void test_masks_and_groups_of_names(void **state) {
  (void)state;
  static settings s;
  char changed[8192];
  const char *from = "\"seq_len\": 512";
  const char *at = strstr(text, from);
  assert_non_null(at);
  snprintf(changed, sizeof changed,
           "%.*s\"kv_heads\": 2, \"causal\": true, %s", (int)(at - text), text,
           at);
  settings_read(&s, changed, strlen(changed));
  assert_int_equal(s.shapes[1].shape.kv_heads, 2);
  assert_true(s.shapes[1].shape.causal);
  assert_int_equal(s.shapes[2].shape.kv_heads, 8);
  assert_false(s.shapes[2].shape.causal);
  json_decref(s.root);
}

/* Reads `bad` in a process of its own; it must end with 2 and this sentence. */
static void assert_refused(const char *bad, const char *sentence) {
  int ends[2], status = 0;
  char said[512] = "";
  assert_int_equal(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    static settings s;
    dup2(ends[1], 2);
    settings_read(&s, bad, strlen(bad));
    _exit(0);
  }
  close(ends[1]);
  size_t size = 0;
  for (ssize_t got; size < sizeof said - 1; size += (size_t)got) {
    got = read(ends[0], said + size, sizeof said - 1 - size);
    if (got <= 0) break;
  }
  close(ends[0]);
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 2 || !strstr(said, sentence))
    fail_msg("status %d: %s", status, said);
}

/* The real text with `from` made `to`. */
static void assert_change_refused(const char *from, const char *to,
                                  const char *sentence) {
  char *changed = calloc(1, 65536);
  const char *at = strstr(text, from);
  assert_non_null(changed);
  if (!at) fail_msg("settings.json has no %s", from);
  snprintf(changed, 65536, "%.*s%s%s", (int)(at - text), text, to,
           at + strlen(from));
  assert_refused(changed, sentence);
  free(changed);
}

static void test_not_json(void **state) {
  (void)state;
  const char *const sentence =
      "common/harness/settings.json does not hold together: ";
  assert_refused("", sentence);
  assert_refused("[]", sentence);
  assert_refused("{\"seeds\": [0, 1", sentence);
  for (size_t cut = 1; cut + 2 < strlen(text); cut += 101) {
    char *head = strndup(text, cut);
    assert_refused(head, sentence);
    free(head);
  }
}

static void test_wrong_values(void **state) {
  (void)state;
  assert_change_refused("\"max_abs_err\"", "\"max_err\"", ": max_abs_err.");
  assert_change_refused("\"rel_rms_ratio\": 2.0", "\"rel_rms_ratio\": \"2\"",
                        ": rel_rms_ratio.");
  assert_change_refused("\"lse_rms\"", "\"lse\"", ": lse_rms.");
  assert_change_refused("\"pct_bad\": 1.0", "\"pct_bad\": -1.0", ": pct_bad.");
  assert_change_refused("\"seq_lens\": [1,", "\"seq_lens\": [0,", "seq_len");
  assert_change_refused("\"seeds\": [0,", "\"seeds\": [-1,", "seed");
  assert_change_refused("\"limit\": 0.025", "\"limit\": 0", ": limit.");
  assert_change_refused("\"shape_gpu\"", "\"shape\"", ": shape_gpu.");
  assert_change_refused("\"warmup\": 100", "\"warmup\": 0", ": warmup.");
  assert_change_refused("\"seq_len\": 512", "\"seq_len\": 512.5", ": seq_len.");
  assert_change_refused("\"key\": \"small\"", "\"key\": 1", "no key");
  assert_change_refused("\"heads\": 8,", "\"heads\": 8, \"kv_heads\": 3,",
                        ": kv_heads.");
  assert_change_refused("\"heads\": 8,", "\"heads\": 8, \"kv_heads\": 0,",
                        ": kv_heads.");
  assert_change_refused("\"heads\": 8,", "\"heads\": 8, \"causal\": 1,",
                        ": causal.");
  assert_change_refused("\"variants\"", "\"variant\"", ": variants.");
  assert_change_refused("\"further\"", "\"farther\"", ": further.");
  assert_change_refused("[\"1,1,1301,64,causal\",", "[1301,",
                        "a name is not a string");
  assert_change_refused("\"orders\": 4", "\"orders\": 0", ": orders.");
  assert_change_refused("\"multiprocessors\": [2,",
                        "\"multiprocessors\": [0,", "multiprocessors");
  assert_change_refused("\"multiprocessors\": [2,",
                        "\"multiprocessors\": [1025,", "multiprocessors");
  assert_change_refused("\"multiprocessors\": [2,",
                        "\"multiprocessors\": [\"2\",", "multiprocessors");
  assert_change_refused("\"multiprocessors\": [2,",
                        "\"multiprocessors\": [], \"x\": [2,",
                        ": multiprocessors.");
  assert_change_refused("\"multiprocessors\"", "\"multiprocessor\"",
                        ": multiprocessors.");
  assert_change_refused("\"registers\": 128", "\"registers\": null",
                        ": stage0_scalar.");
  assert_change_refused("\"seeds\"", "\"seeds\": [], \"seeds\"", "duplicate");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_values),
      cmocka_unit_test(test_masks_and_groups_of_names),
      cmocka_unit_test(test_not_json),
      cmocka_unit_test(test_wrong_values),
  };
  return cmocka_run_group_tests(tests, read_file, free_file);
}
