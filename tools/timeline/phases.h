#ifndef TIMELINE_PHASES_H
#define TIMELINE_PHASES_H

/* What a kernel with stamps and the program that reads them agree on. */

#include <stdint.h>

//> phases
#define PHASES(X) \
  X(Q_load)       \
  X(KV_prefetch)  \
  X(wait_copy)    \
  X(dequant)      \
  X(wait_barrier) \
  X(WMMA_QK)      \
  X(softmax)      \
  X(PV_accum)     \
  X(store_O)      \
  X(V_turn)       \
  X(wait_product)
#define PHASE_NAME(name) PHASE_##name,
/* 0 is a place where no stamp was written. */
enum phase { PHASE_none, PHASES(PHASE_NAME) PHASE_end, PHASE_COUNT };
//< phases

//> stamp-format
/* A stamp: the low 27 bits of the multiprocessor's clock, and the phase that
 * begins. At 2 GHz such a clock goes round in 67 ms. */
enum { PHASE_BITS = 5, CLOCK_BITS = 32 - PHASE_BITS };

typedef struct {
  uint64_t nanoseconds; /* of the clock that all blocks share, */
  uint32_t clock, sm;   /* and the multiprocessor's own at that moment */
} block_start;

/* Where stamps go, in device memory: stamp n of warp w of the grid is
 * stamps[n * warps + w]. With size 0 only `grid` is written. */
typedef struct {
  uint32_t *stamps;
  block_start *starts; /* one for each block */
  uint32_t *grid;      /* [2]: blocks, and warps of a block */
  uint32_t size, warps;
} stamp_room;
//< stamp-format

#endif
