#ifndef WARPGROUP_H
#define WARPGROUP_H

#include "common/simt/run/mechanism.h"

/* Four warps that make products together, wgmma; and setmaxnreg. A thread files
 * what it wants, and when all 128 have come it happens for all of them. */
extern mechanism warpgroups;

#endif
