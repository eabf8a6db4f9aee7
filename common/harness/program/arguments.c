#include "common/harness/program/reason.h"

#include <argp.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void arguments_parse(const struct argp *parser, int argc, char **argv,
                     void *input) {
  argp_err_exit_status = EXIT_USAGE;
  argp_parse(parser, argc, argv, 0, NULL, input);
}

void argument_wrong(const struct argp_state *state, const char *format, ...) {
  char sentence[1024];
  va_list values;
  va_start(values, format);
  vsnprintf(sentence, sizeof sentence, format, values);
  va_end(values);
  argp_failure(state, EXIT_USAGE, 0, "%s", sentence);
}

uint64_t argument_number(const struct argp_state *state, const char *what,
                         const char *text, uint64_t least, uint64_t most) {
  char *end = NULL, limit[32] = "on,";
  errno = 0;
  const unsigned long long value = strtoull(text, &end, 10);
  if (most < UINT64_MAX)
    snprintf(limit, sizeof limit, "to %llu,", (unsigned long long)most);
  if (errno || end == text || *end || text[0] == '-' || value < least ||
      value > most)
    argument_wrong(state, "%s must be a whole number from %llu %s not '%s'.",
                   what, (unsigned long long)least, limit, text);
  return value;
}

int argument_seeds(const struct argp_state *state, char *list,
                   uint64_t seeds[ARGUMENTS_MAX]) {
  char *rest = NULL;
  int count = 0;
  for (char *seed = strtok_r(list, ",", &rest); seed;
       seed = strtok_r(NULL, ",", &rest)) {
    if (count == ARGUMENTS_MAX)
      argument_wrong(state, "More than %d seeds.", ARGUMENTS_MAX);
    seeds[count++] = argument_number(state, "A seed", seed, 0, UINT64_MAX);
  }
  if (count == 0) argument_wrong(state, "--seeds needs at least one seed.");
  return count;
}

void argument_add(const struct argp_state *state, text_list *list,
                  const char *text) {
  if (list->count == ARGUMENTS_MAX)
    argument_wrong(state, "An option is repeated more than %d times.",
                   ARGUMENTS_MAX);
  list->texts[list->count++] = text;
}
