#ifndef TILE_H
#define TILE_H

#include "common/simt/include/simt_abi.h"

/* A part of a tile of codes in shared memory: `rows` rows of 32 bytes. See
 * wgmma_tile_at. */
typedef struct {
  simt_wgmma_tile tile;
  uint32_t rows;
} tile_part;

/* The 16 bytes at that row and half of it, as swizzled. */
static inline const uint8_t *tile_chunk(const tile_part *p, uint32_t row,
                                        uint32_t half) {
  const uint32_t bytes = p->tile.row_bytes;
  const uint32_t swizzle = bytes == 128 ? row % 8 : row / 2 % 4;
  return (const uint8_t *)p->tile.tile + (size_t)row * bytes +
         (((p->tile.column / 16 + half) ^ swizzle) * 16);
}

#endif
