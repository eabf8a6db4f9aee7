#ifndef TURNS_H
#define TURNS_H

#include "common/simt/run/block.h"

/* In which order blocks begin and warps run: forward, backward, or at random
 * from a seed. The same order gives the same run of each block. */

/* The nth block to begin, of `total`. */
uint64_t turns_block(uint64_t n, uint64_t total);

/* Before a block's first round, and before each round: fills `list` with the
 * warps of a block in the order of their turns. */
void turns_start(block *b);
void turns_next(block *b, uint8_t list[MAX_WARPS]);

#endif
