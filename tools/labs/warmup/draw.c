/* Writes the matrices of a grade into a file.
 *   draw_matrices FILE ROWS,COLUMNS/KIND/SEED/MULTIPROCESSORS... */

#include <stdio.h>
#include <stdlib.h>

#include "common/harness/program.h"
#include "tools/labs/warmup/matrix.h"

static bool draw(FILE *file, const char *text, reason *why) {
  matrix_case c;
  if (!matrix_case_read(text, true, &c, why)) return false;
  float *values = matrix_values(&c);
  c.seed = 0; /* whoever reads it need not know */
  const bool good =
      values && fwrite(&c, sizeof c, 1, file) == 1 &&
      fwrite(values, sizeof *values, matrix_count(&c), file) ==
          matrix_count(&c);
  free(values);
  return good || refuse(why, "The matrices cannot be written.");
}

int main(int argc, char **argv) {
  reason why = {""};
  if (argc < 3)
    return give_up("draw_matrices", EXIT_USAGE, "It needs a file and inputs.");
  FILE *file = fopen(argv[1], "wb");
  bool good = file || refuse(&why, "Cannot write %s.", argv[1]);
  for (int i = 2; i < argc && good; i++) good = draw(file, argv[i], &why);
  if (file && fclose(file) && good)
    good = refuse(&why, "Cannot write %s: the disk may be full.", argv[1]);
  return good ? EXIT_PASS
              : give_up("draw_matrices", EXIT_IMPOSSIBLE, why.text);
}
