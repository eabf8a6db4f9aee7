#ifndef PROBLEM_H
#define PROBLEM_H

#include "common/harness/problem/distribution.h"
#include "common/harness/problem/shape.h"
#include "common/harness/program/reason.h"

/* Inputs, as the user has them and as the kernel gets them. */
typedef struct {
  attention_shape shape;
  distribution distribution;
  uint64_t seed;
  double softmax_scale; /* the shape's; else 1 / sqrt(D), of REAL its own */
  float *q, *k, *v;     /* [B][H][S][D], K, V [B][H_kv][keys][D] */
  uint8_t *q_codes, *k_codes, *v_codes;   /* the same in E4M3 */
  float *q_scale, *k_scale, *v_scale;     /* one a head: amax / 448 or 1 */
} problem;

/* What problem_new allocates, but for the scales. */
size_t problem_bytes(const attention_shape *shape);

/* The same shape, distribution and seed give the same inputs on every machine
 * and with any number of threads. The shape must come from
 * attention_shape_parse. Returns false with one sentence if memory is short, or
 * if REAL's recorded tensors cannot be read. */
bool problem_new(problem *p, const attention_shape *shape,
                 distribution distribution, uint64_t seed, reason *why);
void problem_free(problem *p);

/* The normal distribution with the deviation `factor` in place of 1. */
bool problem_new_scaled(problem *p, const attention_shape *shape, float factor,
                        uint64_t seed, reason *why);

/* Quantises one head: fills `codes` and returns the scale. `count` values.
 * What is not finite gets the code of NaN, and does not count for the scale. */
float quantise_head(const float *values, uint8_t *codes, size_t count);

#endif
