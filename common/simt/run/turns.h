#ifndef TURNS_H
#define TURNS_H

#include "common/simt/run/block.h"
#include "common/simt/simt.h"

/* In which order blocks begin and warps run: SIMT_FORWARD, SIMT_BACKWARD, or at
 * random from a seed. With the same one each block runs the same way. */

/* splitmix64 */
static inline uint64_t turns_random(uint64_t *state) {
  uint64_t x = *state += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

static inline uint64_t turns_divisor(uint64_t a, uint64_t b) {
  while (b) {
    const uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/* The nth block to begin, of `total`. */
static inline uint64_t turns_block(uint64_t order, uint64_t n,
                                   uint64_t total) {
  if (order == SIMT_FORWARD) return n;
  if (order == SIMT_BACKWARD) return total - 1 - n;
  /* Steps that have no factor in common with the total reach each block. */
  uint64_t state = order;
  const uint64_t start = turns_random(&state) % total;
  uint64_t step = turns_random(&state) % total;
  while (turns_divisor(step, total) != 1) step++;
  return (start + n * (step % total)) % total;
}

/* Before a block's first round, and before each: fills `list` with the warps
 * in the order of their turns. */
static inline void turns_start(block *b) {
  b->random = b->order ^ b->number * 0x9e3779b97f4a7c15;
}

static inline void turns_next(block *b, uint8_t list[MAX_WARPS]) {
  const uint32_t count = b->warp_count;
  for (uint32_t i = 0; i < count; i++)
    list[i] = (uint8_t)(b->order == SIMT_BACKWARD ? count - 1 - i : i);
  if (b->order == SIMT_FORWARD || b->order == SIMT_BACKWARD) return;
  for (uint32_t i = count; i > 1; i--) {
    const uint32_t k = (uint32_t)(turns_random(&b->random) % i);
    const uint8_t kept = list[k];
    list[k] = list[i - 1];
    list[i - 1] = kept;
  }
}

#endif
