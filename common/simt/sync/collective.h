#ifndef COLLECTIVE_H
#define COLLECTIVE_H

#include "common/simt/run/mechanism.h"

/* __syncwarp, shuffles, votes and reductions. */
extern mechanism collectives;

/* The running thread waits with a request for the lanes of its mask. Returns
 * the result. */
uint64_t collective_meet(request r);

#endif
