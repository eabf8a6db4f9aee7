#ifndef TENSOR_H
#define TENSOR_H

#include "common/simt/run/mechanism.h"

/* WMMA, mma.sync, ldmatrix and stmatrix. */
extern mechanism matrices;

/* TMA loads, and fence_async_proxy. */
extern mechanism tma_loads;
bool tma_is_used(void);

/* Four warps that make products together, wgmma; and setmaxnreg. A thread files
 * what it wants, and when all 128 have come it happens for all of them. */
extern mechanism warpgroups;

#endif
