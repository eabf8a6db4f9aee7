#ifndef TMA_H
#define TMA_H

#include "common/simt/flaws.h"

/* A load of a tile that nobody has waited for yet. */
typedef struct tma_copy {
  uint8_t *tile;
  const uint8_t *codes;
  int64_t row_bytes, rows, heads;
  int32_t tile_rows, row, head;
  uint64_t *mbarrier;
  uint32_t pc, engine, stamp, thread;
} tma_copy;

/* A load, or fence_async_proxy. */
void tma_request(block *b, thread *t);

/* Lets the loads land that count at this mbarrier. Returns their bytes, and
 * adds to the clocks of the barrier what its waiters then know. */
uint32_t tma_land(block *b, const uint64_t *mbarrier, uint32_t *clocks);

/* Tells of loads that are still under way. */
void tma_block_end(block *b);

#endif
