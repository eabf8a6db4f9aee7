#include "common/harness/program.h"

#include <argp.h>
#include <errno.h>
#include <nvtx3/nvToolsExt.h>
#include <unistd.h>

bool refuse(reason *why, const char *format, ...) {
  va_list values;
  va_start(values, format);
  vsnprintf(why->text, sizeof why->text, format, values);
  va_end(values);
  return false;
}

int give_up(const char *program, int code, const char *sentence) {
  fflush(stdout);
  fprintf(stderr, "%s%s%s\n", program ? program : "", program ? ": " : "",
          sentence);
  return code;
}

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

int argument_verb(const struct argp_state *state, const char *word,
                  const char *const *verbs, const char *list) {
  if (state->arg_num > 0)
    argument_wrong(state, "One verb at a time: '%s' is one too many.", word);
  for (int i = 0; verbs[i]; i++)
    if (!strcmp(word, verbs[i])) return i;
  argument_wrong(state, "There is no verb '%s'; there are %s.", word, list);
  return 0;
}

void argument_add(const struct argp_state *state, text_list *list,
                  const char *text) {
  if (list->count == ARGUMENTS_MAX)
    argument_wrong(state, "An option is repeated more than %d times.",
                   ARGUMENTS_MAX);
  list->texts[list->count++] = text;
}

enum { WIDTH = 60 };

/* The outermost phase that counts its steps is what a reader waits for. */
static struct counted_phase {
  const char *name;
  long total, done;
  int depth; /* 0: there is none */
} counted;
static const char *latest;
static int depth;
static bool shown;
static double started, last_shown;

static void show(void) {
  const double t = seconds_now();
  if (!isatty(2) || t - started < 1.0 || t - last_shown < 0.1) return;
  char line[WIDTH + 1];
  if (counted.depth)
    snprintf(line, sizeof line, "%s: %ld of %ld", counted.name, counted.done,
             counted.total);
  else
    snprintf(line, sizeof line, "%s", latest);
  fprintf(stderr, "\r%-*s", WIDTH, line);
  shown = true;
  last_shown = t;
}

void phase_begin(const char *name, long total) {
  if (depth++ == 0) started = seconds_now();
  latest = name;
  if (total && !counted.depth)
    counted = (struct counted_phase){name, total, 0, depth};
  nvtxRangePushA(name);
  show();
}

void phase_step(void) {
  if (depth != counted.depth) return;
  counted.done++;
  show();
}

void phase_end(void) {
  nvtxRangePop();
  if (depth == counted.depth) counted.depth = 0;
  if (--depth > 0 || !shown) return;
  fprintf(stderr, "\r%*s\r", WIDTH, "");
  shown = false;
}
