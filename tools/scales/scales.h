#ifndef SCALES_H
#define SCALES_H

#include <jansson.h>

#include "common/harness/problem.h"

/* The key that gets the most weight, all heads and rows together, and its place
 * among the rows: {"key", "weight": its mean share of a row's weight, "value":
 * the length of its row of V over the mean length of a row, averaged over
 * heads}. For as many K/V heads as heads. New reference; NULL if memory is
 * short. */
json_t *sink_json(const problem *p);

/* What the channels of Q, K and V look like, a channel being one column of one
 * head: of all with another number than 0, the median, the highest but a tenth
 * of them, and the highest of
 *   mean     |mean| over the deviation from it
 *   outlier  the largest number over the root of the mean square of its head
 * {"q": {"mean": {"median", "tenth", "largest"}, "outlier": {...}}, ...}. New
 * reference; NULL if memory is short. */
json_t *channels_json(const problem *p);

/* A way to get from numbers to E4M3, and back. */
typedef enum { ONE_A_TENSOR, ONE_A_HEAD, ONE_A_BLOCK, NO_CODES } scale_reach;

enum { BLOCK_ROWS = 64 }; /* of ONE_A_BLOCK */

typedef struct {
  const char *name;
  scale_reach reach; /* NO_CODES: bf16 takes the place of E4M3 */
  bool k_mean;       /* each channel's mean is taken out of K: it adds the same
                        to all scores of a row, and softmax does not see it */
  bool v_mean;       /* and out of V: rows of P sum to 1, so it is added to O */
  bool rotated;      /* Q and K times one orthogonal matrix, whose product with
                        itself falls out of Q K^T */
} scheme;

extern const scheme schemes[];
extern const int scheme_count;

/* What a kernel makes of the numbers in `of`: q, k and v of `as` become the
 * values of the codes; with one scale a tensor or a head, codes and scales do,
 * too. `as` is of the same shape, and its other members stay. Fills
 * v_mean[kv_head][D], zeros where it stays in V. */
void scheme_apply(const scheme *s, const problem *of, problem *as,
                  float *v_mean);

/* A row of D numbers, D a power of two, times a Hadamard matrix with signs
 * drawn for its rows, over sqrt(D). */
void scheme_rotate(float *row, int64_t d);

/* Rounds to bfloat16, ties to even. Not for NaN. */
float scheme_bf16(float x);

#endif
