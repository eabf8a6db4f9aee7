#ifndef RING_MERGE_H
#define RING_MERGE_H

/* Merging attention over two sets of keys, when each comes with the logarithm
 * of its sum of exponentials. Plain C, for both sides. */

#include <cuda_runtime_api.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A part for the rows first_row to first_row + rows - 1 of a rank, and what the
 * rank has of these rows so far. All pointers are device memory. */
typedef struct {
  const uint16_t *part;  /* fp16 bits, [heads][rows][D] */
  const float *part_lse; /* natural logarithms, [heads][rows] */
  uint16_t *out;         /* fp16 bits, [heads][all_rows][D] */
  float *sum;            /* the same in fp32, while rows are not done */
  float *lse;            /* [heads][all_rows] */
  int64_t heads, rows, all_rows, first_row; /* heads: of all batches */
  int64_t head_dim;                         /* D: 64 or 128 */
  int64_t done; /* so many of the rows go to out, the others to sum */
  int first;    /* what there is so far is in out, not in sum */
} merge_args;

/* Starts the kernel on the stream and returns at once. */
cudaError_t merge_launch(const merge_args *args, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
