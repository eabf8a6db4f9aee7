/* The warm-up's host program, with the verbs of a stage:
 *   program check|race|count [--shape ROWS,COLUMNS]... [--seeds N] [--json DIR]
 * What a stage's program takes beside these is passed over. */

#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "common/harness/program.h"
#include "common/harness/results.h"
#include "common/simt/simt.h"
#include "tools/labs/warmup/matrix.h"

typedef struct {
  const char *verb, *json;
  text_list shapes;
  uint64_t seed;
  json_t *counters;
} options;

static const struct argp_option known[] = {
    {"shape", 's', "ROWS,COLUMNS", 0, "A matrix; repeat for several", 0},
    {"seeds", 'r', "N", 0, "Seed of the numbers", 0},
    {"json", 'j', "DIR", 0, "count: write the counters into this folder", 0},
    {"commit", 'c', "ID", OPTION_HIDDEN, "", 0},
    {"brief", 'b', 0, OPTION_HIDDEN, "", 0},
    {0}};

static const char *const verbs[] = {"check", "race", "count", NULL};

static error_t take(int key, char *value, struct argp_state *state) {
  options *o = state->input;
  switch (key) {
  case 's': argument_add(state, &o->shapes, value); break;
  case 'r':
    o->seed = argument_number(state, "A seed", value, 0, UINT64_MAX);
    break;
  case 'j': o->json = value; break;
  case 'c':
  case 'b': break;
  case ARGP_KEY_ARG:
    o->verb = verbs[argument_verb(state, value, verbs,
                                  "check, race and count")];
    break;
  default: return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

static int check(const matrix_case *c, const float *answers) {
  reason why;
  const bool good = matrix_judge(c, answers, &why);
  printf("%-10s %s\n", c->name, good ? "passed" : why.text);
  return good ? EXIT_PASS : EXIT_FAILED;
}

static int report(options *o, const matrix_case *c, const float *answers) {
  const simt_finding *found;
  if (!strcmp(o->verb, "check")) return check(c, answers);
  if (!strcmp(o->verb, "count")) {
    printf("%s\n", c->name);
    simt_print_counters(stdout);
    json_object_set_new(o->counters, c->name, simt_counters_json());
    return EXIT_PASS;
  }
  const size_t count = simt_findings(&found);
  printf("%s: %zu finding%s\n", c->name, count, count == 1 ? "" : "s");
  if (count) simt_print_findings(stdout);
  return count ? EXIT_FAILED : EXIT_PASS;
}

static int run(options *o, const matrix_case *c) {
  reason why = {""};
  const simt_finding *found;
  const bool race = !strcmp(o->verb, "race");
  float *in = matrix_values(c);
  float *answers = malloc(matrix_answers(c) * sizeof *answers);
  int code = EXIT_IMPOSSIBLE;
  simt_clear();
  simt_set_checks(race ? SIMT_RACES : strcmp(o->verb, "count") ? 0
                                                               : SIMT_COUNTS);
  if (in && answers && (warmup_run(c, warmup_start, in, answers, &why) ||
                        (race && simt_findings(&found) > 0)))
    code = report(o, c, answers);
  else
    give_up("warm-up", code, why.text);
  free(in);
  free(answers);
  return code;
}

/* Of build/instrumented/labw/default/program: labw. */
static void own_name(char *name, size_t size, const char *path) {
  char copy[1024];
  snprintf(copy, sizeof copy, "%s", path);
  for (int i = 0; i < 2; i++) {
    char *slash = strrchr(copy, '/');
    if (slash) *slash = '\0';
  }
  const char *slash = strrchr(copy, '/');
  snprintf(name, size, "%.40s.count", slash ? slash + 1 : copy);
}

int main(int argc, char **argv) {
  static const char *const usual[] = {"64,96", "33,70", "96,160"};
  const struct argp parser = {.options = known, .parser = take,
                              .args_doc = "check|race|count"};
  options o = {.verb = "check"};
  reason why = {""};
  int code = EXIT_PASS;
  arguments_parse(&parser, argc, argv, &o);
  if (o.shapes.count == 0)
    for (; o.shapes.count < 3; o.shapes.count++)
      o.shapes.texts[o.shapes.count] = usual[o.shapes.count];
  o.counters = json_object();
  for (int i = 0; i < o.shapes.count; i++) {
    matrix_case c;
    if (!matrix_case_read(o.shapes.texts[i], false, &c, &why))
      return give_up("warm-up", EXIT_USAGE, why.text);
    c.seed = o.seed;
    const int of_case = run(&o, &c);
    if (of_case) code = of_case;
  }
  if (!strcmp(o.verb, "race")) simt_print_unchecked(stdout);
  json_t *result = json_pack("{s:o}", "counters", o.counters);
  if (o.json && !code && !strcmp(o.verb, "count")) {
    char name[64];
    own_name(name, sizeof name, argv[0]);
    if (!results_write(result, o.json, name, &why))
      code = give_up("warm-up", EXIT_IMPOSSIBLE, why.text);
  }
  json_decref(result);
  return code;
}
