/* What the gates say of every impostor on one input: see `impostors --help`.
 * compare.py compares that with what is expected, and records it. */

#include <argp.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/harness/program.h"
#include "tests/impostors/impostors.h"

typedef struct {
  const char *shape;
  distribution distribution;
  uint64_t seed;
  float scale;
  bool json;
} command_line;

static const struct argp_option known[] = {
    {"json", 'j', NULL, 0, "As JSON", 0},
    {"e4m3", 'r', NULL, 0, "All round P to E4M3, as stages do from 12 on", 0},
    {"seed", 'n', "NUMBER", 0, "Of the inputs, instead of 1", 0},
    {"scale", 's', "NUMBER", 0, "Inputs so many times as large", 0},
    {0}};

static error_t take(int key, char *value, struct argp_state *state) {
  command_line *line = state->input;
  switch (key) {
  case 'j': line->json = true; break;
  case 'r': impostors_rounding = P_E4M3; break;
  case 'n': line->seed = strtoull(value, NULL, 10); break;
  case 's': line->scale = strtof(value, NULL); break;
  case ARGP_KEY_ARG:
    if (state->arg_num > 1) argp_usage(state);
    if (state->arg_num == 0)
      line->shape = value;
    else if ((line->distribution = distribution_parse(value)) ==
             DISTRIBUTION_COUNT)
      argument_wrong(state, "There is no distribution '%s'.", value);
    break;
  case ARGP_KEY_NO_ARGS: argp_usage(state); break;
  default: return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

static void print_table(const command_line *line, const gates_result *results) {
  printf("%s, %s inputs, seed %llu; x: caught, -: not judged\n%-30s",
         line->shape, distribution_name(line->distribution),
         (unsigned long long)line->seed, "");
  for (int g = 0; g < GATE_COUNT; g++) printf(" %11s  ", gate_name((gate)g));
  printf("\n");
  for (int i = 0; i < impostor_count; i++) {
    printf("%-30s", impostors[i].name);
    for (int g = 0; g < GATE_COUNT; g++)
      printf(" %11.3g %c", results[i].figure[g],
             "- x"[results[i].verdict[g]]);
    printf("\n");
  }
}

/* What is not finite becomes null. */
static json_t *number(double x) {
  json_t *made = json_real(x);
  return made ? made : json_null();
}

/* Each impostor's mark, figure and limit at each gate. */
static void print_json(const gates_result *results) {
  json_t *all = json_object();
  for (int i = 0; i < impostor_count; i++) {
    json_t *gates = json_object();
    for (int g = 0; g < GATE_COUNT; g++) {
      const char mark[2] = {"-.x"[results[i].verdict[g]]};
      json_object_set_new(gates, gate_name((gate)g),
                          json_pack("[s, o, o]", mark,
                                    number(results[i].figure[g]),
                                    number(results[i].limit[g])));
    }
    json_object_set_new(all, impostors[i].name, gates);
  }
  json_dumpf(all, stdout, JSON_COMPACT);
  json_decref(all);
}

int main(int argc, char **argv) {
  const struct argp parser = {.options = known,
                              .parser = take,
                              .args_doc = "SHAPE [DISTRIBUTION]",
                              .doc = "Prints the verdicts on one input."};
  command_line line = {.distribution = NORMAL, .seed = 1, .scale = 1.0f};
  arguments_parse(&parser, argc, argv, &line);
  gates_result *results = calloc((size_t)impostor_count, sizeof *results);
  if (!results) abort();
  impostors_run(line.shape, line.distribution, line.scale, line.seed, results);
  if (line.json)
    print_json(results);
  else
    print_table(&line, results);
  free(results);
  return EXIT_PASS;
}
