#ifndef LAB_RING_COUNTS_H
#define LAB_RING_COUNTS_H

#include <stdbool.h>

#include "common/harness/program.h"
#include "further/stage18_ring/ring/plan.h"

/* What the executor counts on all ranks together, and how many scores they and
 * the busiest of them compute. All ranks call these functions together. */

void counts_begin(void);

/* Writes what was counted since then, of rank 0 alone: an object `total` as
 * `make count` has it. `scores` are this rank's. */
bool counts_end(double scores, const char *path, bool first, reason *why);

/* Does a plan deal each row of the sequence to one rank, and does it compute
 * with rows that the ranks have? False with one sentence: a rank that went by
 * another plan would read memory that is not its own. */
bool dealt_right(const ring_plan *plan, reason *why);

/* How many scores a rank computes in all its steps. */
double dealt_scores(const ring_plan *plan, int rank);

#endif
