/* The verdicts against tests/impostors/expected.txt. A line `input SHAPE
 * DISTRIBUTION` stands before each table; a row is six marks (x caught,
 * . missed, - not judged, * any) and the name of the impostor. */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/harness/problem/settings.h"
#include "tests/impostors/impostors.h"

static int tests, failures;

static void report(bool good, const char *format, ...) {
  va_list list;
  va_start(list, format);
  printf("%sok %d - ", good ? "" : "not ", ++tests);
  vprintf(format, list);
  printf("\n");
  va_end(list);
  failures += !good;
}

static bool agree(const char *expected, const char *found) {
  for (int i = 0; i < GATE_COUNT; i++)
    if (expected[i] != '*' && expected[i] != found[i]) return false;
  return true;
}

/* One impostor on one input, all seeds. `results` is [seed][impostor]. */
static void compare_row(const char *input, int which, const char *expected,
                        gates_result *const *results) {
  const settings *s = settings_get();
  bool good = true;
  for (int i = 0; i < s->seed_count; i++) {
    char found[GATE_COUNT + 1] = "";
    for (int g = 0; g < GATE_COUNT; g++)
      found[g] = "-.x"[results[i][which].verdict[g]];
    if (agree(expected, found)) continue;
    printf("# seed %llu: expected %s, found %s\n",
           (unsigned long long)s->seeds[i], expected, found);
    good = false;
  }
  report(good, "%s: %s", input, impostors[which].name);
}

/* `only` is the line of the one input to compare, or NULL. */
static void compare_file(FILE *file, gates_result *const *results,
                         const char *only) {
  char line[128], first[32], second[32], rest[64], input[80] = "";
  const settings *s = settings_get();
  int rows = 0;
  bool wanted = true;
  while (fgets(line, sizeof line, file)) {
    if (only && !strncmp(line, "input ", 6)) wanted = !strcmp(line, only);
    if (!wanted) continue;
    if (sscanf(line, "input %31s %31s", first, second) == 2) {
      const distribution d = distribution_parse(second);
      if (*input) report(rows == impostor_count, "%s: all rows", input);
      snprintf(input, sizeof input, "%s, %s", first, second);
      rows = 0;
      for (int i = 0; i < s->seed_count && d < DISTRIBUTION_COUNT; i++)
        impostors_run(first, d, s->seeds[i], impostor_count, results[i]);
    } else if (*line != '#' &&
               sscanf(line, "%31s %63[^\n]", first, rest) == 2) {
      const int which = impostor_find(rest);
      if (which >= 0 && strlen(first) == GATE_COUNT)
        compare_row(input, which, first, results);
      else
        report(false, "a line that means nothing: %s", rest);
      rows++;
    }
  }
  report(*input && rows == impostor_count, "%s: all rows", input);
}

static void print_failures(const char *shape, distribution d, uint64_t seed,
                           const gates_result *g) {
  for (int i = 0; i < GATE_COUNT; i++)
    if (g->verdict[i] == FAILED)
      printf("# %s, %s, seed %llu: %s is %g, limit %g\n", shape,
             distribution_name(d), (unsigned long long)seed, gate_name((gate)i),
             g->figure[i], g->limit[i]);
}

/* All seeded distributions and seeds of one shape; tests/harness/gates_test.c
 * has REAL. */
static void test_control(const char *shape) {
  const settings *s = settings_get();
  bool good = true;
  for (int d = 0; d < REAL; d++)
    for (int i = 0; i < s->seed_count; i++) {
      gates_result g;
      impostors_run(shape, (distribution)d, s->seeds[i], 1, &g);
      if (gates_passed(&g)) continue;
      print_failures(shape, (distribution)d, s->seeds[i], &g);
      good = false;
    }
  report(good, "the control passes on %s", shape);
}

static void test_control_on_all_shapes(void) {
  const settings *s = settings_get();
  for (int i = 0; s->check_shapes[i]; i++) test_control(s->check_shapes[i]);
  for (int i = 0; s->check_variants[i]; i++)
    test_control(s->check_variants[i]);
  for (int i = 0; i < s->check_seq_len_count; i++) {
    char shape[96];
    snprintf(shape, sizeof shape, "%lld,%lld,%lld,%lld",
             (long long)s->check_batch, (long long)s->check_heads,
             (long long)s->check_seq_lens[i], (long long)s->check_head_dim);
    test_control(shape);
  }
}

int impostors_compare(const char *shape, const char *distribution) {
  const settings *s = settings_get();
  char only[80];
  snprintf(only, sizeof only, "input %s %s\n", shape ? shape : "",
           shape ? distribution : "");
  gates_result *results[SETTINGS_MAX];
  FILE *file = fopen("tests/impostors/expected.txt", "r");
  report(file != NULL, "the expected verdicts are there");
  for (int i = 0; i < s->seed_count; i++) {
    results[i] = calloc((size_t)impostor_count, sizeof **results);
    if (!results[i]) abort();
  }
  if (file) {
    compare_file(file, results, shape ? only : NULL);
    fclose(file);
  }
  for (int i = 0; i < s->seed_count; i++) free(results[i]);
  if (!shape) {
    test_control_on_all_shapes();
    report(impostors_small_inputs(s->seeds[0]) < SMALL_INPUTS_TOLERANCE,
           "the mean of V passes a test with small inputs");
  }
  printf("1..%d\n", tests);
  return failures;
}
