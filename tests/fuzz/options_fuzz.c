/* The command line of a stage's program, a word a line, and the cases that it
 * asks for. */

#include <argp.h>
#include <stdarg.h>

#include "common/harness/problem/settings.h"
#include "common/harness/program/exit_codes.h"
#include "common/harness/run/cases.h"
#include "tests/fuzz/fuzz.h"

enum { WORDS = 80 };

static jmp_buf refused;

/* argp may not end this process, nor print, but where a word is refused. */
error_t __real_argp_parse(const struct argp *parser, int argc, char **argv,
                          unsigned flags, int *index, void *input);
error_t __wrap_argp_parse(const struct argp *parser, int argc, char **argv,
                          unsigned flags, int *index, void *input);
error_t __wrap_argp_parse(const struct argp *parser, int argc, char **argv,
                          unsigned flags, int *index, void *input) {
  const error_t error = __real_argp_parse(
      parser, argc, argv, flags | ARGP_NO_EXIT | ARGP_NO_ERRS | ARGP_NO_HELP,
      index, input);
  if (error) longjmp(refused, 1);
  return 0;
}

void __wrap_argp_failure(const struct argp_state *state, int status, int error,
                         const char *format, ...);
void __wrap_argp_failure(const struct argp_state *state, int status, int error,
                         const char *format, ...) {
  char sentence[2048];
  va_list values;
  (void)state;
  va_start(values, format);
  vsnprintf(sentence, sizeof sentence, format, values);
  va_end(values);
  MUST(status == EXIT_USAGE && error == 0 && *sentence);
  longjmp(refused, 1);
}

static void check_cases(const stage_options *options) {
  static const attention_support takes[] = {
      {{64}, 0, P_HALF, 0},
      {{64, 128}, TAKES_CAUSAL | TAKES_GROUPED, P_E4M3, DRIFTS}};
  /* One has shapes of its own in settings.json, the other has not. */
  static const stage_object objects[] = {
      {.stage = "stage0_scalar", .support = &takes[0]},
      {.stage = "stage17_promotion", .support = &takes[1]}};
  for (int i = 0; i < 4; i++) {
    case_list list;
    reason why = {""};
    const int code = cases_list(&list, options, i & 2, &objects[i & 1], &why);
    MUST(code ? *why.text && (code == EXIT_USAGE || code == EXIT_IMPOSSIBLE)
              : list.count > 0);
    for (int c = 0; c < list.count; c++) {
      const attention_shape *s = &list.cases[c].shape;
      MUST(s->head_dim == 64 || ((i & 1) && s->head_dim == 128));
      MUST(list.cases[c].distribution < DISTRIBUTION_COUNT);
    }
    case_list_free(&list);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *const text = text_of(data, size);
  static char *words[WORDS + 2];
  int count = 0;
  words[count++] = (char *)"program";
  char *rest = text;
  for (char *word; count <= WORDS && (word = strsep(&rest, "\n"));)
    words[count++] = word;
  words[count] = NULL;
  static stage_options options;
  if (!setjmp(refused)) {
    options_parse(&options, "stage", "what it does", count, words);
    MUST(options.verb <= VERB_INFO);
    MUST(options.iters == 0 ||
         (options.iters >= 10 && options.iters <= 1000000));
    MUST(options.seed_count <= ARGUMENTS_MAX);
    check_cases(&options);
  }
  free(text);
  return 0;
}
