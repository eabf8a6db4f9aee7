/* Runs the kernels of the executor's tests and prints a hash of what each one
 * leaves in memory. Built for a GPU and for the executor, it must print the
 * same: so both agree on lane maps, barriers, shuffles, atomics and copies. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/simt/kernels/kernels.h"

enum { HALVES = 1 << 15 };

static void check(cudaError_t error, const char *what) {
  if (!error) return;
  fprintf(stderr, "%s: %s.\n", what, cudaGetErrorString(error));
  exit(1);
}

/* -3.5 to 3.5 in halves of one: every product and sum is exact. */
static uint16_t small_half(int i) {
  static const uint16_t magnitude[] = {0x0000, 0x3800, 0x3c00, 0x3e00,
                                       0x4000, 0x4100, 0x4200, 0x4300};
  const uint32_t mixed = (uint32_t)(i + 1) * 2654435761u;
  return (uint16_t)(magnitude[mixed >> 29] | (mixed >> 13 & 0x8000));
}

/* `filled`: memory begins with two matrices of halves, then one of floats; else
 * it is all zeros. */
static void run(const char *name, kernel_run *kernel, int first, int second,
                int filled) {
  static uint16_t host[HALVES];
  void *memory = NULL;
  memset(host, 0, sizeof host);
  for (int i = 0; filled && i < 512; i++) {
    const float x = (float)(i % 33 - 16);
    host[i] = small_half(i);
    memcpy(&host[512 + 2 * i], &x, sizeof x);
  }
  check(cudaMalloc(&memory, sizeof host), "cudaMalloc");
  check(cudaMemcpy(memory, host, sizeof host, cudaMemcpyHostToDevice), name);
  check(kernel(memory, first, second), name);
  check(cudaDeviceSynchronize(), name);
  check(cudaMemcpy(host, memory, sizeof host, cudaMemcpyDeviceToHost), name);
  check(cudaFree(memory), "cudaFree");
  uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */
  for (size_t i = 0; i < HALVES; i++)
    hash = (hash ^ host[i]) * UINT64_C(1099511628211);
  printf("%s %d %d %016" PRIx64 "\n", name, first, second, hash);
}

int main(void) {
#define RUN_IT(name, first, second, filled)                                    \
  run(#name, run_##name, first, second, filled)
  for (int order = 0; order < 8; order++) {
    RUN_IT(product, order, 0, 1);
    RUN_IT(global_product, order, 0, 1);
  }
  RUN_IT(rescaled, 3, 0, 1);
  RUN_IT(lane_map, 0, 0, 0);
  RUN_IT(async_copy, 20, 0, 1);
  for (int tiles = 1; tiles < 6; tiles++) RUN_IT(pipeline, 0, tiles, 1);
  RUN_IT(collectives, 3, 0, 0);
  RUN_IT(atomics, 8, 0, 0);
  RUN_IT(block_exchange, 0, 0, 0);
  RUN_IT(half_warps, 0, 0, 0);
  RUN_IT(producer, 0, 0, 0);
  RUN_IT(ring, 0, 0, 0);
  RUN_IT(copy_ring, 0, 0, 1);
  RUN_IT(new_phase, 0, 0, 0);
  RUN_IT(reductions, 0, 0, 0);
  RUN_IT(every_atomic, 0, 0, 0);
  RUN_IT(lock, 0, 0, 0);
  RUN_IT(last_block, 300, 0, 0);
  return 0;
}
