/* Runs the kernels of the executor's tests and prints a hash of what each one
 * leaves in memory. Built for a GPU and for the executor, it must print the
 * same: so both agree on lane maps, barriers, shuffles, atomics, copies. With
 * HOPPER defined, the kernels are those for compute capability 9.0 alone. */

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

/* What memory begins with. */
typedef enum {
  ZEROS,
  MATRICES, /* two of halves, then one of floats */
  CODES     /* of E4M3: half of memory */
} filling;

static void fill(uint16_t *host, filling what) {
  /* 0 to 3.5 in halves of one, or what is below 0. */
  static const uint8_t codes[] = {0x00, 0x30, 0x38, 0x3c,
                                  0x40, 0x42, 0x44, 0x46};
  memset(host, 0, HALVES * sizeof *host);
  for (int i = 0; what == MATRICES && i < 512; i++) {
    const float x = (float)(i % 33 - 16);
    host[i] = small_half(i);
    memcpy(&host[512 + 2 * i], &x, sizeof x);
  }
  for (int i = 0; what == CODES && i < HALVES; i++) {
    const uint32_t mixed = (uint32_t)(i + 1) * 2654435761u;
    ((uint8_t *)host)[i] = (uint8_t)(codes[mixed >> 29] | (mixed >> 13 & 0x80));
  }
}

static void run(const char *name, kernel_run *kernel, int first, int second,
                filling what) {
  static uint16_t host[HALVES];
  void *memory = NULL;
  fill(host, what);
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

#define RUN_IT(name, first, second, what)                                      \
  run(#name, run_##name, first, second, what)

#ifdef HOPPER
int main(void) {
  RUN_IT(tma_tile, 0, 64, CODES);
  RUN_IT(tma_tile, 0, 128, CODES);
  RUN_IT(one_waits, 0, 0, CODES);
  RUN_IT(one_arrives, 0, 0, CODES);
  for (int kind = 0; kind < 8; kind++) RUN_IT(wgmma_product, 0, kind, CODES);
  RUN_IT(out_of_scope, 0, 0, CODES);
  RUN_IT(registers, 0, 0, ZEROS);
  RUN_IT(stmatrix_lines, 0, 0, CODES);
  RUN_IT(tma_ring, 0, 0, CODES);
  return 0;
}
#else
int main(void) {
  for (int order = 0; order < 8; order++) {
    RUN_IT(product, order, 0, MATRICES);
    RUN_IT(global_product, order, 0, MATRICES);
  }
  RUN_IT(rescaled, 3, 0, MATRICES);
  RUN_IT(lane_map, 0, 0, ZEROS);
  RUN_IT(async_copy, 20, 0, MATRICES);
  for (int tiles = 1; tiles < 6; tiles++) RUN_IT(pipeline, 0, tiles, MATRICES);
  RUN_IT(collectives, 3, 0, ZEROS);
  RUN_IT(atomics, 8, 0, ZEROS);
  RUN_IT(block_exchange, 0, 0, ZEROS);
  RUN_IT(half_warps, 0, 0, ZEROS);
  RUN_IT(producer, 0, 0, ZEROS);
  RUN_IT(ring, 0, 0, ZEROS);
  RUN_IT(copy_ring, 0, 0, MATRICES);
  RUN_IT(new_phase, 0, 0, ZEROS);
  RUN_IT(reductions, 0, 0, ZEROS);
  RUN_IT(every_atomic, 0, 0, ZEROS);
  RUN_IT(lock, 0, 0, ZEROS);
  RUN_IT(last_block, 300, 0, ZEROS);
  return 0;
}
#endif
