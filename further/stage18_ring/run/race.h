#ifndef RING_RACE_H
#define RING_RACE_H

#include <stdbool.h>

#include "common/harness/program/reason.h"

/* The executor's race checks around a rank's attention. A GPU has none. */

/* False with one sentence where this program has no such checks. */
bool race_ready(reason *why);

void race_begin(void);

/* Ends the checks; prints this rank's findings and returns how many. */
int race_end(int rank);

#endif
