#ifndef QUANTISE_CHECK_H
#define QUANTISE_CHECK_H

#include "common/harness/problem/problem.h"

/* True if every scale is amax / 448, or 1, and no code has a nearer neighbour.
 * Looks at the values of the codes only, so that it can judge the encoder. */
bool problem_is_well_quantised(const problem *p);

#endif
