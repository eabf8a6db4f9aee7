#ifndef SHAPE_TEXT_H
#define SHAPE_TEXT_H

#include "common/harness/problem/distribution.h"
#include "common/harness/problem/shape.h"
#include "common/harness/program/reason.h"

/* What a case's text may say beside its shape. */
typedef struct {
  distribution inputs; /* DISTRIBUTION_COUNT: nothing of them */
  int multiprocessors; /* 0: nothing of them */
} case_words;

/* Reads a name of settings.json, "B,H,S,D" or "B,H:H_kv,S,D"; behind the
 * numbers may stand, each after a comma, in any order:
 *   causal                  a causal mask
 *   keys=700                rows of K and V
 *   scale=0.3               the softmax scale
 *   strides=padded          or permuted or wide: tensor_layout
 *   inputs=peak             a distribution
 *   multiprocessors=2       that the executor's device has
 * On failure returns false with one sentence. Whether a stage takes the shape
 * is takes_shape's to say. */
bool case_parse(attention_shape *shape, case_words *words, const char *text,
                reason *why);

/* The same without the last two words. */
bool attention_shape_parse(attention_shape *shape, const char *text,
                           reason *why);

const char *layout_name(tensor_layout layout);

#endif
