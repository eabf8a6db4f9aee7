/* The verdicts against tests/impostors/expected.txt. Lines `input SHAPE
 * DISTRIBUTION` stand before each table; a row has six marks for each of these
 * (x caught, . missed, - not judged, * any) and the name of the impostor. */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/harness/settings.h"
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

enum { INPUTS = 8 };
typedef struct {
  char name[80];
  bool wanted;
  int rows;
  gates_result *results[SETTINGS_MAX]; /* by seed, of all impostors */
} input;

/* `only` is the line of the one input to compare, or NULL. */
static void run_input(input *in, const char *line, const char *only) {
  const settings *s = settings_get();
  char shape[32] = "", kind[32] = "";
  sscanf(line, "input %31s %31s", shape, kind);
  const distribution d = distribution_parse(kind);
  *in = (input){.wanted = !only || !strcmp(line, only)};
  snprintf(in->name, sizeof in->name, "%s, %s", shape, kind);
  for (int i = 0; in->wanted && i < s->seed_count; i++) {
    in->results[i] = calloc((size_t)impostor_count, sizeof **in->results);
    if (!in->results[i] || d == DISTRIBUTION_COUNT) abort();
    impostors_run(shape, d, s->seeds[i], impostor_count, in->results[i]);
  }
}

/* One impostor on one input, all seeds. */
static void compare_one(input *in, int which, const char *expected) {
  const settings *s = settings_get();
  bool good = strlen(expected) == GATE_COUNT;
  for (int i = 0; good && i < s->seed_count; i++) {
    char found[GATE_COUNT + 1] = "";
    for (int g = 0; g < GATE_COUNT; g++)
      found[g] = "-.x"[in->results[i][which].verdict[g]];
    if (agree(expected, found)) continue;
    printf("# seed %llu: expected %s, found %s\n",
           (unsigned long long)s->seeds[i], expected, found);
    good = false;
  }
  in->rows++;
  report(good, "%s: %s", in->name, impostors[which].name);
}

static void compare_row(input *inputs, int count, char *line) {
  const char *expected[INPUTS];
  line[strcspn(line, "\n")] = '\0';
  for (int i = 0; i < count; i++) expected[i] = strsep(&line, " ");
  const int which = line ? impostor_find(line) : -1;
  if (which < 0) report(false, "a line that means nothing");
  for (int i = 0; i < count && which >= 0; i++)
    if (inputs[i].wanted) compare_one(&inputs[i], which, expected[i]);
}

static void end_table(input *inputs, int count) {
  for (int i = 0; i < count; i++) {
    if (inputs[i].wanted)
      report(inputs[i].rows == impostor_count, "%s: all rows", inputs[i].name);
    for (int n = 0; n < SETTINGS_MAX; n++) free(inputs[i].results[n]);
  }
}

static void compare_file(FILE *file, const char *only) {
  char line[128];
  input inputs[INPUTS];
  int count = 0;
  bool rows = false, some = false;
  while (fgets(line, sizeof line, file)) {
    const bool is_input = !strncmp(line, "input ", 6);
    if (*line == '#' || *line == '\n') continue;
    if (is_input && rows) {
      end_table(inputs, count);
      count = 0;
    }
    if (is_input && count == INPUTS) abort();
    if (is_input) run_input(&inputs[count++], line, only);
    else compare_row(inputs, count, line);
    some = some || (is_input && inputs[count - 1].wanted);
    rows = !is_input;
  }
  end_table(inputs, count);
  report(some, "there is such an input");
}

int impostors_compare(const char *shape, const char *distribution) {
  char only[80];
  snprintf(only, sizeof only, "input %s %s\n", shape ? shape : "",
           shape ? distribution : "");
  FILE *file = fopen("tests/impostors/expected.txt", "r");
  report(file != NULL, "the expected verdicts are there");
  if (file) {
    compare_file(file, shape ? only : NULL);
    fclose(file);
  }
  printf("1..%d\n", tests);
  return failures;
}
