#ifndef PRODUCT_READS_H
#define PRODUCT_READS_H

#include "common/simt/memory/tile.h"
#include "common/simt/run/block.h"

/* A product of the warpgroup reads a part of a tile; `check` where it has just
 * been issued. Does nothing unless the block checks for races. */
void product_reads(block *b, uint32_t warpgroup, uint32_t pc, uint32_t stamp,
                   const tile_part *part, bool check);

#endif
