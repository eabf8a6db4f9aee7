#ifndef PRODUCTS_H
#define PRODUCTS_H

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  WGMMA_TILES,     /* m64n64k32 of E4M3, A from shared memory */
  WGMMA_REGISTERS, /* the same, A from registers */
  MMA_CODES,       /* m16n8k32 of E4M3 */
  MMA_HALVES,      /* m16n8k16 of halves */
  INSTRUCTIONS
} instruction;

enum { TILE = 64, ROW_BYTES = 32 };

/* In each block, sum[64][64] of floats += A * B^T for `steps` instructions
 * after each other. A and B: [block][step][64][32 bytes], codes or halves. All
 * in device memory. */
cudaError_t products_launch(instruction i, const void *a, const void *b,
                            float *sum, int blocks, int steps);

#ifdef __cplusplus
}
#endif

#endif
