/* Runs all instructions on all inputs, and writes what they leave: one line of
 * text that names the device, then all sums as they lie in memory.
 *   run FILE
 * Built for the executor and for a GPU. */

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/harness/launch.h"
#include "common/harness/program.h"
#include "tests/arithmetic/inputs.h"

enum { MOST_BYTES = BLOCKS * 64 * TILE * ROW_BYTES };

static void check(cudaError_t error, const char *what) {
  if (!error) return;
  fprintf(stderr, "%s: %s.\n", what, cudaGetErrorString(error));
  exit(EXIT_IMPOSSIBLE);
}

typedef struct {
  void *a, *b;
  float *sums;
} device_memory;

static void run(const device_memory *m, instruction i, input_class c,
                uint32_t *sums) {
  static uint8_t a[MOST_BYTES], b[MOST_BYTES];
  const int steps = class_steps(c);
  const size_t bytes = (size_t)BLOCKS * (size_t)steps * TILE * ROW_BYTES;
  const size_t sum_bytes = OUTPUTS * sizeof *sums;
  inputs_fill(c, i, a, b, sums);
  check(cudaMemcpy(m->a, a, bytes, cudaMemcpyHostToDevice), "copying A");
  check(cudaMemcpy(m->b, b, bytes, cudaMemcpyHostToDevice), "copying B");
  check(cudaMemcpy(m->sums, sums, sum_bytes, cudaMemcpyHostToDevice),
        "copying C");
  check(products_launch(i, m->a, m->b, m->sums, BLOCKS, steps), "a launch");
  check(cudaDeviceSynchronize(), "a product");
  check(cudaMemcpy(sums, m->sums, sum_bytes, cudaMemcpyDeviceToHost),
        "copying back");
}

int main(int argc, char **argv) {
  static uint32_t sums[INSTRUCTIONS][CLASSES][OUTPUTS];
  device_info device;
  device_memory m;
  reason why;
  if (argc != 2) {
    fprintf(stderr, "usage: run FILE\n");
    return EXIT_USAGE;
  }
  if (!device_open(&device, &why))
    return give_up(NULL, EXIT_IMPOSSIBLE, why.text);
  check(cudaMalloc(&m.a, MOST_BYTES), "memory");
  check(cudaMalloc(&m.b, MOST_BYTES), "memory");
  check(cudaMalloc((void **)&m.sums, OUTPUTS * sizeof(float)), "memory");
  for (int i = 0; i < INSTRUCTIONS; i++)
    for (int c = 0; c < CLASSES; c++)
      run(&m, (instruction)i, (input_class)c, sums[i][c]);
  FILE *out = fopen(argv[1], "wb");
  const bool good = out && fprintf(out, "%s\n", device.name) > 0 &&
                    fwrite(sums, sizeof sums, 1, out) == 1;
  if (!out || fclose(out) || !good) {
    fprintf(stderr, "cannot write %s.\n", argv[1]);
    return EXIT_IMPOSSIBLE;
  }
  return EXIT_PASS;
}
