#ifndef KERNELS_H
#define KERNELS_H

/* The kernels that the executor's tests run, each behind a function of C that
 * returns what cudaGetLastError says after the launch. `memory` is device
 * memory; what the two numbers mean stands at the kernel. */

#include <cuda_runtime_api.h>

/* What memory begins with. */
typedef enum {
  ZEROS,
  MATRICES, /* two of halves, then one of floats */
  CODES,    /* of E4M3: half of memory */
  RANDOM    /* bits: half of memory */
} memory_filling;

typedef struct kernel_row {
  const char *name;
  cudaError_t (*run)(void *memory, int first, int second);
  memory_filling filling;
  struct kernel_row *next;
} kernel_row;

#ifdef __cplusplus
extern "C" kernel_row *kernels; /* all that the program is linked of */

/* Behind what memory begins with. */
template <class T> static inline T *results(void *memory) {
  return (T *)((char *)memory + 32 * 1024);
}

/* Bugs in products are for the executor alone: ptxas sees them, works around
 * them, and says so. */
#ifdef SIMT
#define PLANTED(bug) (bug)
#else
#define PLANTED(bug) 0
#endif

/* Adds run_name to them. */
#define KERNEL(name, filling)                                                  \
  static kernel_row row_##name = {#name, run_##name, filling, nullptr};        \
  __attribute__((constructor)) static void add_##name() {                      \
    row_##name.next = kernels;                                                 \
    kernels = &row_##name;                                                     \
  }

#ifndef FILLING
#define FILLING ZEROS
#endif
/* run_name for a launch of the kernel of that name, on other memory, or of a
 * kernel of another name; or for statements. */
#define RUN(name, ...) RUN_OF(name, name, __VA_ARGS__)
#define RUN_ON(filling, name, blocks, threads, ...)                            \
  RUN_BY(filling, name, LAUNCH(name, blocks, threads, 0, 0, ##__VA_ARGS__))
#define RUN_OF(name, kernel, blocks, threads, ...)                             \
  RUN_BY(FILLING, name, LAUNCH(kernel, blocks, threads, 0, 0, ##__VA_ARGS__))
#define RUN_BY(filling, name, ...)                                             \
  static cudaError_t run_##name(void *memory, int first, int second) {         \
    (void)memory, (void)first, (void)second;                                   \
    __VA_ARGS__;                                                               \
    return cudaGetLastError();                                                 \
  }                                                                            \
  KERNEL(name, filling)
#else
extern kernel_row *kernels;
#endif

#endif
