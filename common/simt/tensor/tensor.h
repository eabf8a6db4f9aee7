#ifndef TENSOR_H
#define TENSOR_H

#include "common/simt/run/mechanism.h"

/* WMMA, mma.sync, ldmatrix and stmatrix. */
extern mechanism matrices;

/* TMA, and fence_async_proxy. */
extern mechanism tma_loads;
/* Fills a CUtensorMap; false where CUDA would not. Sizes and box in elements of
 * so many bytes, strides in bytes; a row of the swizzle has `row_bytes`, 16 for
 * none. */
bool tma_describe(void *map, unsigned element, unsigned dimensions,
                  const void *memory, const uint64_t *sizes,
                  const uint64_t *strides, const uint32_t *box,
                  unsigned row_bytes);
bool tma_is_used(void);

/* Four warps that make products together, wgmma; and setmaxnreg. A thread files
 * what it wants, and when all 128 have come it happens for all of them. */
extern mechanism warpgroups;

#endif
