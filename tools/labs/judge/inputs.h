#ifndef LAB_INPUTS_H
#define LAB_INPUTS_H

#include <stdio.h>

#include "common/harness/problem/problem.h"

/* The inputs of a kernel as they go from one program to another of the same
 * machine: what a kernel gets of a problem, and the number of multiprocessors
 * that the executor's device shall have. */

/* Appends one. False with one sentence where the file takes no more. */
bool inputs_write(FILE *file, const problem *p, int multiprocessors,
                  reason *why);

/* Reads the next one into `p`, of which the unquantised values stay NULL.
 * Returns 1, 0 where there is no further one, -1 with one sentence. Free the
 * problem if it was read. */
int inputs_read(FILE *file, problem *p, int *multiprocessors, reason *why);

#endif
