/* Writes the inputs of a grade into a file: nothing here knows an answer.
 *   draw FILE SHAPE/DISTRIBUTION/SEED/MULTIPROCESSORS... */

#include <stdio.h>
#include <string.h>

#include "common/harness/program.h"
#include "tools/labs/judge/judge.h"

static bool draw(FILE *file, const char *text, reason *why) {
  check_case c;
  problem p;
  if (!case_text_read(text, &c, why) ||
      !problem_new(&p, &c.shape, c.distribution, c.seed, why))
    return false;
  const bool good = inputs_write(file, &p, c.multiprocessors, why);
  problem_free(&p);
  return good;
}

int main(int argc, char **argv) {
  reason why = {""};
  if (argc < 3)
    return give_up("draw", EXIT_USAGE, "It needs a file and inputs.");
  FILE *file = fopen(argv[1], "wb");
  bool good = file || refuse(&why, "Cannot write %s.", argv[1]);
  for (int i = 2; i < argc && good; i++) good = draw(file, argv[i], &why);
  if (file && fclose(file) && good)
    good = refuse(&why, "Cannot write %s: the disk may be full.", argv[1]);
  return good ? EXIT_PASS : give_up("draw", EXIT_IMPOSSIBLE, why.text);
}
