/* The verdicts on the impostors: see `impostors --help`. */

#include <argp.h>
#include <stdio.h>

#include "common/harness/program.h"
#include "tests/impostors/impostors.h"

enum { SEED = 1 };

typedef struct {
  const char *json, *errors, *shape;
  bool compare;
  distribution distribution;
} command_line;

static const struct argp_option known[] = {
    {"json", 'j', "FILE", 0, "Write the book's table", 0},
    {"compare", 'c', NULL, 0, "Compare the verdicts on SHAPE and DISTRIBUTION",
     0},
    {"e4m3", 'r', NULL, 0, "All round P to E4M3, as stages do from 12 on", 0},
    {"errors", 'e', "FILE", 0, "Write the errors of the book's figure", 0},
    {0}};

static error_t take(int key, char *value, struct argp_state *state) {
  command_line *line = state->input;
  switch (key) {
  case 'j': line->json = value; break;
  case 'e': line->errors = value; break;
  case 'c': line->compare = true; break;
  case 'r': impostors_rounding = P_E4M3; break;
  case ARGP_KEY_ARG:
    if (state->arg_num > 1) argp_usage(state);
    if (state->arg_num == 0)
      line->shape = value;
    else if ((line->distribution = distribution_parse(value)) ==
             DISTRIBUTION_COUNT)
      argument_wrong(state, "There is no distribution '%s'.", value);
    break;
  default: return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

static int write_file(const char *file, bool (*write)(const char *, uint64_t)) {
  if (write(file, SEED)) return EXIT_PASS;
  fprintf(stderr, "impostors: %s could not be written.\n", file);
  return EXIT_IMPOSSIBLE;
}

int main(int argc, char **argv) {
  const struct argp parser = {
      .options = known,
      .parser = take,
      .args_doc = "[SHAPE [DISTRIBUTION]]",
      .doc = "Compares all verdicts with the expected ones, or prints those on "
             "one input."};
  command_line line = {.distribution = NORMAL};
  arguments_parse(&parser, argc, argv, &line);
  if (line.json) return write_file(line.json, impostors_write);
  if (line.errors) return write_file(line.errors, impostors_write_errors);
  if (line.compare || !line.shape)
    return impostors_compare(line.shape, distribution_name(line.distribution))
               ? EXIT_FAILED
               : EXIT_PASS;
  impostors_print(line.shape, line.distribution, SEED);
  return EXIT_PASS;
}
