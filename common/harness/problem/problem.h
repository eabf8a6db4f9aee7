#ifndef PROBLEM_H
#define PROBLEM_H

#include "common/harness/problem/shape.h"
#include "common/harness/program/reason.h"

typedef enum {
  NORMAL,         /* every element N(0, 1) */
  LARGE_LOGITS,   /* Q and K 8 times larger: softmax nearly picks one key */
  DOMINANT_KEY,   /* one key of each head is parallel to all its queries */
  CONSTANT_ROWS,  /* all elements of a row are equal */
  MIXED_SCALES,   /* heads whose magnitudes differ by a factor of 1000 */
  ZERO_HEAD,      /* every second head is all zeros */
  ASKED_FOR_ONLY, /* those from here on */
  OFFSET_VALUES = ASKED_FOR_ONLY, /* V around 4, so that sums of it are long */
  REAL,           /* a model's, as recorded.h has them */
  DISTRIBUTION_COUNT
} distribution;

/* Inputs, as the user has them and as the kernel gets them. */
typedef struct {
  attention_shape shape;
  distribution distribution;
  uint64_t seed;
  double softmax_scale;                   /* 1 / sqrt(D); of REAL its own */
  float *q, *k, *v;                       /* [B][H][S][D], K, V [B][H_kv] */
  uint8_t *q_codes, *k_codes, *v_codes;   /* the same in E4M3 */
  float *q_scale, *k_scale, *v_scale;     /* one a head: amax / 448 or 1 */
} problem;

const char *distribution_name(distribution d);

/* DISTRIBUTION_COUNT if there is no such name. */
distribution distribution_parse(const char *name);

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
