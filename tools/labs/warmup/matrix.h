#ifndef LAB_MATRIX_H
#define LAB_MATRIX_H

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#include "common/harness/program.h"

/* One input of the warm-up: a matrix of drawn numbers. */
typedef struct {
  char name[48]; /* "64,96" */
  int rows, columns;
  uint64_t seed;
} matrix_case;

/* Reads ROWS,COLUMNS, with /KIND/SEED/MULTIPROCESSORS behind it if `whole`, of
 * which only the seed counts. False with one sentence. */
bool matrix_case_read(const char *text, bool whole, matrix_case *c,
                      reason *why);

/* Numbers in the matrix. */
size_t matrix_count(const matrix_case *c);

/* What the three kernels make of it together: copied, sums, turned. */
size_t matrix_answers(const matrix_case *c);

/* The numbers, large in one row and small in the next; the sums of rows are
 * exact. NULL if memory is short. Free it. */
float *matrix_values(const matrix_case *c);

/* Whether these are the answers; if not, one sentence. */
bool matrix_judge(const matrix_case *c, const float *answers, reason *why);

/* Runs the warm-up's kernels on a matrix, by `launch`, warmup_launch of a
 * warmup_args; the room for the answers was overwritten before. False with one
 * sentence. */
bool warmup_run(const matrix_case *c,
                cudaError_t (*launch)(const void *args, cudaStream_t),
                const float *in, float *answers, reason *why);
cudaError_t warmup_start(const void *args, cudaStream_t stream);

#endif
