/* Runs the warm-up's kernels that it is linked with on matrices from a file,
 * and puts what they made into another. It knows no answer.
 *   attempt INPUTS OUTPUTS */

#include <stdlib.h>

#include "common/harness/program.h"
#include "common/simt/simt.h"
#include "labs/warmup/warmup.h"
#include "tools/labs/judge/judge.h"
#include "tools/labs/judge/launched.h"
#include "tools/labs/warmup/matrix.h"

/* Seconds that a thread may go on without meeting another, and a block. */
enum { PATIENCE = 3, BLOCK_SECONDS = 10 };

static cudaError_t launch(const void *args, cudaStream_t stream) {
  (void)stream;
  return launched(warmup_start, args, sizeof(warmup_args), NULL);
}

static bool attempt(FILE *inputs, FILE *outputs, const matrix_case *c,
                    reason *why) {
  const size_t count = matrix_count(c), halves = 2 * matrix_answers(c);
  float *in = malloc(count * sizeof *in);
  float *answers = malloc(matrix_answers(c) * sizeof *answers);
  bool good = in && answers && fread(in, sizeof *in, count, inputs) == count;
  if (!good) {
    refuse(why, "The file of inputs is cut off, or memory is short.");
  } else {
    const bool ran = warmup_run(c, launch, in, answers, why);
    if (!ran) simt_print_findings(stdout);
    good = outputs_write(outputs, ran ? (const uint16_t *)answers : NULL,
                         halves, why) ||
           refuse(why, "The outputs cannot be written.");
  }
  free(in);
  free(answers);
  return good;
}

int main(int argc, char **argv) {
  reason why = {""};
  matrix_case c;
  if (argc != 3)
    return give_up("attempt", EXIT_USAGE, "It needs INPUTS and OUTPUTS.");
  FILE *inputs = fopen(argv[1], "rb"), *outputs = fopen(argv[2], "wb");
  if (!inputs || !outputs)
    return give_up("attempt", EXIT_IMPOSSIBLE, "Its files cannot be opened.");
  simt_set_patience(PATIENCE, BLOCK_SECONDS);
  while (fread(&c, sizeof c, 1, inputs) == 1)
    if (!attempt(inputs, outputs, &c, &why))
      return give_up("attempt", EXIT_IMPOSSIBLE, why.text);
  launched_print();
  return fclose(outputs) ? EXIT_IMPOSSIBLE : EXIT_PASS;
}
