/* Judges what a kernel made of the inputs of a grade. The kernel is not in this
 * program, which works the inputs out again from their seeds; how P is to be
 * rounded says the book's kernel, with which it is linked. Offset values are
 * judged by the limit of drift alone.
 *   judge OUTPUTS RESULT [alone] CASE...
 * alone: outputs are O alone, as those of ranks, without lse.
 * Prints a table and writes JSON. Exit code 1 if a gate failed.
 *   judge takes SHAPE...
 * Prints those that the book's kernel takes, one a line.
 *   judge support
 * Prints what it says that it takes. */

#include <stdlib.h>
#include <string.h>

#include "common/harness/judge/judge.h"
#include "common/harness/program.h"
#include "common/harness/settings.h"
#include "common/harness/stage.h"
#include "tools/labs/judge/judge.h"

static FILE *outputs;
static reason not_there; /* why the last output is none */

static bool returns_lse;

/* Stands where a kernel's launch would: the output is what another program
 * left. Where the lse of one that returns it is not wanted, that is the output
 * of the launch before. */
static cudaError_t replay(const attention_args *a, cudaStream_t stream) {
  static long begin, end; /* of the output of the launch before */
  (void)stream;
  const bool again = returns_lse && !a->lse;
  if (again) fseek(outputs, begin, SEEK_SET);
  begin = ftell(outputs);
  const size_t rows = (size_t)(a->batch * a->heads * a->seq_len);
  const size_t count = rows * (size_t)a->head_dim;
  const bool good =
      outputs_read(outputs, a->o, count, &not_there) &&
      (!a->lse ||
       outputs_read(outputs, (uint16_t *)a->lse, 2 * rows, &not_there));
  if (again) fseek(outputs, end, SEEK_SET);
  end = ftell(outputs);
  return good ? cudaSuccess : cudaErrorUnknown;
}

/* Of long sums, only how far they drift. */
static void judge_drift(gates_result *g) {
  const double limit = settings_get()->drift_limit;
  g->limit[GATE_REL_RMS] = limit;
  g->verdict[GATE_REL_RMS] =
      g->figure[GATE_REL_RMS] <= limit ? PASSED : FAILED;
  g->verdict[GATE_SIGNED_MEAN] = NOT_JUDGED;
}

enum { FEW_ROWS = 16 };

/* At inputs that are drawn, codes and a rounded P alone can come so near to an
 * absolute gate that a right kernel misses it, of whose largest error P in E4M3
 * makes up to half as much again: the others judge there. And what rounding
 * makes of a head of a few rows is no measure: each number's own limit is.
 * Where all numbers of a row of V are one, all errors of a head have one cause,
 * and their mean comes to its limit at one seed in a hundred. */
static void leave_room(gates_result *g, int64_t rows, distribution inputs) {
  verdict *rms = &g->verdict[GATE_REL_RMS];
  verdict *mean = &g->verdict[GATE_SIGNED_MEAN];
  if (inputs == CONSTANT_ROWS && *mean == FAILED &&
      g->figure[GATE_SIGNED_MEAN] < 2.0 * g->limit[GATE_SIGNED_MEAN])
    *mean = NOT_JUDGED;
  if (rows <= FEW_ROWS && *rms == FAILED &&
      g->figure[GATE_REL_RMS] < 1.5 * g->limit[GATE_REL_RMS])
    *rms = NOT_JUDGED;
  for (int i = GATE_MAX_ABS_ERR; i <= GATE_PCT_BAD; i++)
    if (g->verdict[i] == FAILED && 1.5 * g->format[i] > g->limit[i])
      g->verdict[i] = NOT_JUDGED;
}

static int judge_cases(const stage_object *object, const case_list *list,
                       check_result *results, reason *why) {
  for (int i = 0; i < list->count; i++) {
    const int code =
        check_case_run(&object, 1, &list->cases[i], &results[i], why);
    if (code) return code;
    if (!results[i].ran) results[i].why = not_there;
    if (list->cases[i].distribution == OFFSET_VALUES)
      judge_drift(&results[i].gates);
    leave_room(&results[i].gates, list->cases[i].shape.seq_len,
               list->cases[i].distribution);
  }
  return EXIT_PASS;
}

static int judge_all(const stage_object *object, const case_list *list,
                     const char *path, reason *why) {
  check_result *results = calloc((size_t)list->count, sizeof *results);
  int code = results ? judge_cases(object, list, results, why)
                     : EXIT_IMPOSSIBLE;
  if (!code) {
    const int failed = check_print(list, results);
    json_t *result = check_json(list, results);
    if (json_dump_file(result, path, JSON_INDENT(1)) && code <= EXIT_FAILED) {
      refuse(why, "Cannot write %s.", path);
      code = EXIT_IMPOSSIBLE;
    }
    if (!code && failed) code = EXIT_FAILED;
    json_decref(result);
  }
  free(results);
  return code;
}

static int print_taken(char **shapes) {
  attention_shape shape;
  case_words words;
  reason why;
  for (; *shapes; shapes++)
    if (case_parse(&shape, &words, *shapes, &why) &&
        takes_shape(stage_object_get()->support, "", &shape, *shapes, &why))
      printf("%s\n", *shapes);
  return EXIT_PASS;
}

int main(int argc, char **argv) {
  reason why = {""};
  if (argc > 1 && !strcmp(argv[1], "takes")) return print_taken(argv + 2);
  if (argc == 2 && !strcmp(argv[1], "support")) {
    support_print(stage_object_get()->support);
    return EXIT_PASS;
  }
  const bool alone = argc > 3 && !strcmp(argv[3], "alone");
  char **cases = argv + 3 + alone;
  const int count = argc - 3 - alone;
  if (count < 1)
    return give_up("judge", EXIT_USAGE, "It needs OUTPUTS, RESULT and cases.");
  case_list list = {calloc((size_t)count, sizeof *list.cases), count};
  outputs = fopen(argv[1], "rb");
  if (!list.cases || !outputs)
    return give_up("judge", EXIT_IMPOSSIBLE, "There are no outputs to judge.");
  for (int i = 0; i < count; i++) {
    if (!case_text_read(cases[i], &list.cases[i], &why))
      return give_up("judge", EXIT_USAGE, why.text);
    list.cases[i].shape.layout = LAYOUT_CONTIGUOUS; /* as outputs are */
  }
  stage_object object = *stage_object_get();
  attention_support support = *object.support;
  if (alone) support.takes &= ~RETURNS_LSE;
  returns_lse = support.takes & RETURNS_LSE;
  object.support = &support;
  object.launch = replay;
  const int code = judge_all(&object, &list, argv[2], &why);
  free(list.cases);
  return code > EXIT_FAILED ? give_up("judge", code, why.text) : code;
}
