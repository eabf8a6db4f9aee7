#ifndef LAB_RING_COUNTS_H
#define LAB_RING_COUNTS_H

#include <stdbool.h>

#include "common/harness/program/reason.h"

/* What the executor counts on all ranks together, and how many scores they and
 * the busiest of them compute. All ranks call these functions together. */

void counts_begin(void);

/* Writes what was counted since then, of rank 0 alone: an object `total` as
 * `make count` has it. `scores` are this rank's. */
bool counts_end(double scores, const char *path, bool first, reason *why);

#endif
