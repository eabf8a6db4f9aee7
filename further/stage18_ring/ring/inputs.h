#ifndef RING_INPUTS_H
#define RING_INPUTS_H

#include "common/harness/problem/problem.h"

/* Codes and scales of a whole problem, row by row, so that each rank can make
 * its own: either those of a problem of the harness, or, where that would be
 * too large, numbers of a normal distribution that any rank can make again. */

enum { TENSOR_Q, TENSOR_K, TENSOR_V };

typedef struct {
  attention_shape shape;
  const problem *whole; /* or NULL */
  uint64_t seed;
  uint8_t *table; /* of a normal distribution; NULL with a problem */
} inputs;

inputs inputs_of_problem(const problem *p);

/* False with one sentence if memory is short. */
bool inputs_new(inputs *in, const attention_shape *shape, uint64_t seed,
                reason *why);
void inputs_free(inputs *in);

/* The codes of one row, D of them; heads are counted through the batches. */
void inputs_row(const inputs *in, int tensor, int64_t head, int64_t position,
                uint8_t *codes);
float inputs_scale(const inputs *in, int tensor, int64_t head);

#endif
