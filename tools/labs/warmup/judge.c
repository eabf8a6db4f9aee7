/* Judges what the warm-up's kernels made of the matrices of a grade, which it
 * works out again from their seeds.
 *   judge OUTPUTS RESULT CASE...
 * Exit code 1 if anything differs. */

#include <jansson.h>
#include <stdlib.h>

#include "common/harness/program.h"
#include "tools/labs/judge/judge.h"
#include "tools/labs/warmup/matrix.h"

/* What is wrong is said in `why`. */
static bool judge(FILE *outputs, const matrix_case *c, reason *why) {
  float *answers = malloc(matrix_answers(c) * sizeof *answers);
  const bool good =
      (answers || refuse(why, "There is too little memory to judge.")) &&
      outputs_read(outputs, (uint16_t *)answers, 2 * matrix_answers(c), why) &&
      matrix_judge(c, answers, why);
  free(answers);
  return good;
}

int main(int argc, char **argv) {
  reason why = {""};
  int failed = 0;
  json_t *each = json_array();
  FILE *outputs = argc > 3 ? fopen(argv[1], "rb") : NULL;
  if (argc < 4)
    return give_up("judge", EXIT_USAGE, "It needs OUTPUTS, RESULT and cases.");
  if (!outputs)
    return give_up("judge", EXIT_IMPOSSIBLE, "There are no outputs to judge.");
  for (int i = 3; i < argc; i++) {
    matrix_case c;
    if (!matrix_case_read(argv[i], true, &c, &why))
      return give_up("judge", EXIT_USAGE, why.text);
    const bool good = judge(outputs, &c, &why);
    failed += !good;
    json_t *one = json_pack("{s:s, s:s, s:I, s:b}", "name", c.name,
                            "distribution", "matrix", "seed",
                            (json_int_t)c.seed, "passed", good);
    if (!good) json_object_set_new(one, "why", json_string(why.text));
    json_array_append_new(each, one);
    printf("%s: %s\n", c.name, good ? "passed" : why.text);
  }
  json_t *result = json_pack("{s:b, s:i, s:i, s:o}", "all_passed", failed == 0,
                             "cases", argc - 3, "failed", failed, "each", each);
  const int written = json_dump_file(result, argv[2], JSON_INDENT(1));
  json_decref(result);
  if (written)
    return give_up("judge", EXIT_IMPOSSIBLE, "The result cannot be written.");
  return failed ? EXIT_FAILED : EXIT_PASS;
}
