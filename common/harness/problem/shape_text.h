#ifndef SHAPE_TEXT_H
#define SHAPE_TEXT_H

#include "common/harness/problem/shape.h"
#include "common/harness/program/reason.h"

/* Reads a name of settings.json, "B,H,S,D" or "B,H:H_kv,S,D"; a causal mask is
 * a ",causal" behind the numbers. On failure returns false with one sentence.
 * Whether a stage takes the shape is takes_shape's to say. */
bool attention_shape_parse(attention_shape *shape, const char *text,
                           reason *why);

#endif
