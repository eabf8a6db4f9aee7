#ifndef REFERENCE_H
#define REFERENCE_H

#include "common/device/interface/attention.h"
#include "common/harness/problem/problem.h"
#include "common/harness/program/reason.h"

/* The right answers for the rows of problem/rows.h. */
typedef struct {
  int64_t count;      /* rows */
  int64_t head_dim;
  bool complete;      /* every row is in the sample */
  int64_t *row;       /* [count], ascending */
  double *exact;      /* [count][D], from the unquantised inputs */
  double *quantised;  /* [count][D], from the codes and scales */
  float *same;        /* [count][D], as `quantised` but in the kernel's
                         precision: fp32 sums (scores as p_rounding
                         says), P rounded, fp16 result */
} references;

/* Returns false with one sentence if memory is short. */
bool references_new(references *r, const problem *p, p_rounding rounding,
                    reason *why);
void references_free(references *r);

/* The rows alone: fills count, complete and row; allocates row. */
bool references_sample(references *r, const attention_shape *shape);

/* What references_new allocates, but for a few rows of each thread. */
size_t references_bytes(const attention_shape *shape);

#endif
