#ifndef SINK_H
#define SINK_H

#include <jansson.h>

#include "common/harness/problem/problem.h"

/* The key that gets the most weight, all heads and rows together, and its place
 * among the rows: {"key", "weight": its mean share of a row's weight, "value":
 * the length of its row of V over the mean length of a row, averaged over
 * heads}. For as many K/V heads as heads. New reference; NULL if memory is
 * short. */
json_t *sink_json(const problem *p);

#endif
