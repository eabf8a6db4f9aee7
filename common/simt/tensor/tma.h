#ifndef TMA_H
#define TMA_H

#include "common/simt/run/flaws.h"

/* What the executor keeps in a CUtensorMap: four sizes, the first of them bytes
 * of a row, and the bytes from one row, head or batch to the next. */
typedef struct {
  uint64_t mark;
  const uint8_t *codes;
  int64_t row_bytes, rows, heads, batches;
  int64_t row_stride, head_stride, batch_stride;
  int32_t tile_rows;
} tensor;

/* A load of a tile that nobody has waited for yet. */
typedef struct tma_copy {
  uint8_t *tile;
  tensor from;
  int32_t row, head, batch; /* where the tile begins */
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
