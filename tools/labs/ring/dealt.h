#ifndef LAB_RING_DEALT_H
#define LAB_RING_DEALT_H

#include "common/harness/program/reason.h"
#include "further/stage18_ring/ring/plan.h"

/* Does a plan deal each row of the sequence to one rank, and does it compute
 * with rows that the ranks have? False with one sentence: a rank that went by
 * another plan would read memory that is not its own. */
bool dealt_right(const ring_plan *plan, reason *why);

/* How many scores a rank computes in all its steps. */
double dealt_scores(const ring_plan *plan, int rank);

#endif
