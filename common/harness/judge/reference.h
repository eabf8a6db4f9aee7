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

/* The log-sum-exp that a kernel returns beside its output, against that of the
 * codes in double. Its error is that of scores: tensor cores that sum 32
 * products keep 13 bits below the largest of them and of the sum before. If
 * each of these numbers, and the sum after them, lost one unit of 2^-13, now up
 * and now down, a score would be off by sqrt(D + D / 16) such units. A row's
 * error is counted in these, a mean over its keys by their weight in softmax,
 * and 2^-18 for the logarithm's own. What is lost lies between 0 and 1 unit,
 * which makes 0.58; products of E4M3 codes have few bits to lose, and the most
 * that we saw was 0.13. The limit is 0.5. */
typedef struct {
  bool judged;
  double figure, limit; /* RMS over the sampled rows, in these units */
} lse_result;

/* `lse` is [B][H][S], all of it; rows without a finite number, in the sample or
 * not, make the figure NaN. Returns false if memory is short; then nothing was
 * judged. */
bool lse_judge(lse_result *result, const float *lse, const problem *p,
               const references *r);

/* True where it was judged and passed, or where there is none. */
bool lse_passed(const lse_result *result);

/* What lse_judge allocates, but for a row of each thread. */
size_t lse_bytes(const attention_shape *shape);

#endif
