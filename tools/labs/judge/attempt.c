/* Runs the kernel that it is linked with on inputs from a file, and puts its
 * outputs into another. It knows no answer and holds no code that could work
 * one out: the kernel in it may be anybody's.
 *   attempt INPUTS OUTPUTS
 *   attempt support: prints what it says that it takes. */

#include <stdlib.h>
#include <string.h>

#include "common/harness/launch.h"
#include "common/harness/program.h"
#include "common/simt/simt.h"
#include "tools/labs/judge/judge.h"
#include "tools/labs/judge/launched.h"

/* Seconds that a thread may go on without meeting another, and a block. */
enum { PATIENCE = 3, BLOCK_SECONDS = 10 };

/* Are problems like this one refused that stage_support does not name, and no
 * others? While CUDA refuses all launches. */
static const char *takes_others(const void *problem, cudaStream_t stream) {
  const attention_args *args = problem;
  const attention_strides some = {{16, 16, 16}, {16, 16, 16}, {16, 16, 16},
                                  {16, 16, 16}};
  attention_args others[] = {*args, *args, *args, *args,
                             *args, *args, *args, *args};
  others[0].head_dim = 48;
  others[1].key_len = -1;
  others[2].causal = 1;
  others[3].heads = 2, others[3].kv_heads = 1;
  others[4].strides = &some;
  others[5].causal = 0, others[5].key_len = (int)args->seq_len + 1;
  others[6].lse = (float *)(void *)args->o;
  others[7].key_len = (int)key_rows(args);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    const bool takes =
        stage_launch(&others[i], stream) != cudaErrorInvalidValue;
    if (takes == attention_supports(&stage_support, &others[i])) continue;
    return takes ? "it takes what stage_support does not name, in place of "
                   "returning cudaErrorInvalidValue"
                 : "it refuses what stage_support names, as a key_len that is "
                   "seq_len";
  }
  return NULL;
}

static cudaError_t start(const void *args, cudaStream_t stream) {
  return stage_launch(args, stream);
}

static cudaError_t launch(const attention_args *args, cudaStream_t stream) {
  static bool tried;
  (void)stream;
  cudaError_t error = launched(start, args, takes_others);
  if (error || tried || !args->lse || args->strides) return error;
  tried = true; /* where nobody wants the lse, O is the same */
  attention_args without = *args;
  without.lse = NULL;
  cudaMemset(args->o, 0xFF, 2 * (size_t)(args->batch * args->heads *
                                         args->seq_len * args->head_dim));
  error = launched(start, &without, takes_others);
  if (error) puts("lse: the kernel fails where args.lse is NULL");
  return error;
}

static bool attempt(FILE *outputs, const problem *p, reason *why) {
  const size_t count = attention_shape_elements(&p->shape);
  const size_t rows = count / (size_t)p->shape.head_dim;
  uint16_t *o = malloc(count * sizeof *o);
  float *lse = malloc(rows * sizeof *lse);
  upload u;
  if (!o || !lse)
    return refuse(why, "There is too little memory for the output.");
  bool good = upload_new(&u, p, why);
  if (good) {
    upload_ask(&u, &stage_support);
    const bool with_lse = u.args.lse;
    good = upload_run(&u, launch, o, why) &&
           (!with_lse || upload_lse(&u, lse, why));
    upload_free(&u);
    const bool hangs = cudaDeviceSynchronize() == cudaErrorLaunchTimeout;
    if (!good) {
      simt_print_findings(stdout);
      cudaDeviceReset();
    }
    bool written = outputs_write(outputs, good ? o : NULL, count, why);
    if (good && with_lse)
      written &= outputs_write(outputs, (uint16_t *)lse, 2 * rows, why);
    good = written && !hangs; /* the next one would, too */
    if (!written) refuse(why, "The outputs cannot be written.");
  }
  free(o);
  free(lse);
  return good;
}

int main(int argc, char **argv) {
  reason why = {""};
  problem p;
  int multiprocessors, more;
  if (argc == 2 && !strcmp(argv[1], "support")) {
    support_print(&stage_support);
    return EXIT_PASS;
  }
  if (argc != 3)
    return give_up("attempt", EXIT_USAGE, "It needs INPUTS and OUTPUTS.");
  FILE *inputs = fopen(argv[1], "rb"), *outputs = fopen(argv[2], "wb");
  if (!inputs || !outputs)
    return give_up("attempt", EXIT_IMPOSSIBLE, "Its files cannot be opened.");
  simt_set_patience(PATIENCE, BLOCK_SECONDS);
  while ((more = inputs_read(inputs, &p, &multiprocessors, &why)) > 0) {
    device_set_multiprocessors(multiprocessors);
    const bool good = attempt(outputs, &p, &why);
    problem_free(&p);
    if (!good) return give_up("attempt", EXIT_IMPOSSIBLE, why.text);
  }
  if (more < 0) return give_up("attempt", EXIT_IMPOSSIBLE, why.text);
  launched_print();
  return fclose(outputs) ? EXIT_IMPOSSIBLE : EXIT_PASS;
}
