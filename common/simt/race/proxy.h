#ifndef PROXY_H
#define PROXY_H

#include "common/simt/run/executor.h"
#include "common/simt/race/shadow.h"

/* Shared memory as wgmma and TMA see it: through the asynchronous proxy, at any
 * time between the instruction and the wait for it. All of it does nothing
 * unless the block checks for races. */

/* A part of a tile of codes: `rows` rows of 32 bytes. See wgmma_tile_at. */
typedef struct {
  simt_wgmma_tile tile;
  uint32_t rows;
} proxy_part;

/* The 16 bytes at that row and half of it, as swizzled. */
static inline const uint8_t *proxy_chunk(const proxy_part *p, uint32_t row,
                                         uint32_t half) {
  const uint32_t bytes = p->tile.row_bytes;
  const uint32_t swizzle = bytes == 128 ? row % 8 : row / 2 % 4;
  return (const uint8_t *)p->tile.tile + (size_t)row * bytes +
         (((p->tile.column / 16 + half) ^ swizzle) * 16);
}

/* A new stamp for what an engine starts to do for thread `t`. */
uint32_t proxy_start(block *b, uint32_t engine, const thread *t);
/* Thread `id` has waited for what the engine did until `stamp`. */
void proxy_learn(block *b, uint32_t id, uint32_t engine, uint32_t stamp);
/* The same for all who will leave a barrier with these clocks. */
void proxy_tell(block *b, uint32_t *clocks, uint32_t engine, uint32_t stamp);

/* A product of the warpgroup reads; `check` where it has just been issued. */
void proxy_read(block *b, uint32_t warpgroup, uint32_t pc, uint32_t stamp,
                const proxy_part *part, bool check);

void proxy_fence(block *b, const thread *t);
/* Tells of a missing fence after the cell's write, as far as `count` threads
 * from `first` know. True where there is none missing. */
bool proxy_check_fence(block *b, uint32_t first, uint32_t count, uint32_t pc,
                       uintptr_t address, const cell *c);
/* True where all of them know that writer and fence are done. */
bool proxy_is_fenced(const block *b, uint32_t first, uint32_t count,
                     uint32_t writer, uint32_t stamp);

/* All threads of the block meet: each learns what others know of engines. */
void proxy_block_barrier(block *b);

#endif
