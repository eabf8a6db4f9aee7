/* One number of a result file, for the scripts:
 *   number RESULT.json perf/mission/graph/p50_us
 * Exit 3 where the file has no such number. */

#include <math.h>
#include <stdio.h>

#include "common/harness/program/exit_codes.h"
#include "common/harness/record/results.h"

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: number RESULT.json PATH/OF/KEYS\n");
    return EXIT_USAGE;
  }
  reason why;
  json_t *result = results_read(argv[1], &why);
  if (!result) {
    fprintf(stderr, "%s\n", why.text);
    return EXIT_USAGE;
  }
  const double number = results_number(result, argv[2]);
  json_decref(result);
  if (isnan(number)) return EXIT_IMPOSSIBLE;
  printf("%.9g\n", number);
  return EXIT_PASS;
}
