#ifndef WARMUP_H
#define WARMUP_H

/* What the warm-up's kernels get: a matrix, row by row, and room for what they
 * make of it. Plain C, so that both sides include this one file. */

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  const float *in; /* [rows][columns], device memory, as all of these */
  float *copied;   /* [rows][columns]: the same */
  float *sums;     /* [rows]: of each row */
  float *turned;   /* [columns][rows]: the transpose */
  int rows, columns;
} warmup_args;

/* Starts the three kernels, one after the other. */
cudaError_t warmup_launch(const warmup_args *args, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
