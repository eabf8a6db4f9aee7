/* impostors                       compares all verdicts with the expected ones
 * impostors SHAPE [DISTRIBUTION]  prints the verdicts on one input
 * impostors --json FILE           writes the book's table
 * impostors --errors FILE         writes the errors of the book's figure */

#include <stdio.h>
#include <string.h>

#include "tests/impostors/impostors.h"

enum { SEED = 1, FAULT = 1, USAGE = 2, IMPOSSIBLE = 3 };

static int usage(void) {
  fprintf(stderr, "Usage: impostors [SHAPE [DISTRIBUTION] | --json FILE | "
                  "--errors FILE]\n");
  return USAGE;
}

int main(int argc, char **argv) {
  if (argc == 1) return impostors_compare() ? FAULT : 0;
  const bool json = argc == 3 && !strcmp(argv[1], "--json");
  const bool errors = argc == 3 && !strcmp(argv[1], "--errors");
  if (json || errors) {
    if (json ? impostors_write(argv[2], SEED)
             : impostors_write_errors(argv[2], SEED))
      return 0;
    fprintf(stderr, "impostors: %s could not be written.\n", argv[2]);
    return IMPOSSIBLE;
  }
  const distribution d = argc > 2 ? distribution_parse(argv[2]) : NORMAL;
  if (argc > 3 || *argv[1] == '-' || d == DISTRIBUTION_COUNT) return usage();
  impostors_print(argv[1], d, SEED);
  return 0;
}
