#ifndef CHANNELS_H
#define CHANNELS_H

#include <jansson.h>

#include "common/harness/problem/problem.h"

/* What the channels of Q, K and V look like, a channel being one column of one
 * head: of all with another number than 0, the median, the highest but a tenth
 * of them, and the highest of
 *   mean     |mean| over the deviation from it
 *   outlier  the largest number over the root of the mean square of its head
 * {"q": {"mean": {"median", "tenth", "largest"}, "outlier": {...}}, ...}. New
 * reference; NULL if memory is short. */
json_t *channels_json(const problem *p);

#endif
