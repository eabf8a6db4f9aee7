/* Runs the kernel that it is linked with on inputs from a file, and puts its
 * outputs into another. It knows no answer and holds no code that could work
 * one out: the kernel in it may be anybody's.
 *   attempt INPUTS OUTPUTS */

#include <stdlib.h>

#include "common/harness/launch.h"
#include "common/harness/program.h"
#include "common/simt/include/simt_abi.h"
#include "common/simt/simt.h"
#include "tools/labs/judge/judge.h"

/* Seconds that a thread may go on without meeting another, and a block. */
enum { PATIENCE = 3, BLOCK_SECONDS = 10 };

static cudaStream_t own; /* that every launch is to be on */
static bool refuses;     /* every launch now, as CUDA might */
static bool astray;      /* was one on another stream? */

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
/* The linker's --wrap */
cudaError_t __real_cudaMemsetAsync(void *, int, size_t, cudaStream_t);
cudaError_t __wrap_cudaMemsetAsync(void *memory, int byte, size_t size,
                                   cudaStream_t stream) {
  astray |= stream != own;
  return __real_cudaMemsetAsync(memory, byte, size, stream);
}
void __real_simt_launch(const simt_kernel_launch *l);
void __wrap_simt_launch(const simt_kernel_launch *l) {
  simt_kernel_launch changed = *l;
  astray |= l->stream != own;
  if (refuses) changed.block.x = 0;
  __real_simt_launch(&changed);
}

/* The host's part of it has no business in device memory. */
static cudaError_t launch(const attention_args *args, cudaStream_t stream) {
  (void)stream;
  simt_hide_memory(true);
  refuses = true;
  const cudaError_t refused = stage_launch(args, own);
  cudaGetLastError();
  refuses = false;
  cudaError_t error = stage_launch(args, own);
  simt_hide_memory(false);
  if (!error && (astray || !refused)) {
    puts(astray ? "launch: it is not on the stream that is handed in"
                : "launch: CUDA refuses it, and cudaSuccess is returned");
    error = cudaErrorUnknown;
  }
  return error;
}

static bool attempt(FILE *outputs, const problem *p, reason *why) {
  const size_t count = attention_shape_elements(&p->shape);
  uint16_t *o = malloc(count * sizeof *o);
  upload u;
  if (!o) return refuse(why, "There is too little memory for the output.");
  bool good = upload_new(&u, p, why);
  if (good) {
    good = upload_run(&u, launch, o, why);
    upload_free(&u);
    const bool hangs = cudaDeviceSynchronize() == cudaErrorLaunchTimeout;
    if (!good) {
      simt_print_findings(stdout);
      cudaDeviceReset();
    }
    const bool written = outputs_write(outputs, good ? o : NULL, count, why);
    good = written && !hangs; /* the next one would, too */
    if (!written) refuse(why, "The outputs cannot be written.");
  }
  free(o);
  return good;
}

int main(int argc, char **argv) {
  reason why = {""};
  problem p;
  int multiprocessors, more;
  if (argc != 3)
    return give_up("attempt", EXIT_USAGE, "It needs INPUTS and OUTPUTS.");
  FILE *inputs = fopen(argv[1], "rb"), *outputs = fopen(argv[2], "wb");
  if (!inputs || !outputs)
    return give_up("attempt", EXIT_IMPOSSIBLE, "Its files cannot be opened.");
  cudaStreamCreate(&own);
  simt_set_patience(PATIENCE, BLOCK_SECONDS);
  while ((more = inputs_read(inputs, &p, &multiprocessors, &why)) > 0) {
    device_set_multiprocessors(multiprocessors);
    const bool good = attempt(outputs, &p, &why);
    problem_free(&p);
    if (!good) return give_up("attempt", EXIT_IMPOSSIBLE, why.text);
  }
  if (more < 0) return give_up("attempt", EXIT_IMPOSSIBLE, why.text);
  return fclose(outputs) ? EXIT_IMPOSSIBLE : EXIT_PASS;
}
