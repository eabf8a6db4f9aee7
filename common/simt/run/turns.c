#include "common/simt/run/turns.h"
#include "common/simt/simt.h"

static uint64_t order = SIMT_FORWARD;

void simt_set_order(uint64_t wanted) { order = wanted; }

/* splitmix64 */
static uint64_t next_random(uint64_t *state) {
  uint64_t x = *state += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

static uint64_t divisor(uint64_t a, uint64_t b) {
  return b ? divisor(b, a % b) : a;
}

uint64_t turns_block(uint64_t n, uint64_t total) {
  if (order == SIMT_FORWARD) return n;
  if (order == SIMT_BACKWARD) return total - 1 - n;
  /* Steps that have no factor in common with the total reach each block. */
  uint64_t state = order;
  const uint64_t start = next_random(&state) % total;
  uint64_t step = next_random(&state) % total;
  while (divisor(step, total) != 1) step++;
  return (start + n % total * (step % total)) % total;
}

void turns_start(block *b) {
  b->random = order ^ b->number * 0x9e3779b97f4a7c15;
}

void turns_next(block *b, uint8_t list[MAX_WARPS]) {
  const uint32_t count = b->warp_count;
  for (uint32_t i = 0; i < count; i++)
    list[i] = (uint8_t)(order == SIMT_BACKWARD ? count - 1 - i : i);
  if (order == SIMT_FORWARD || order == SIMT_BACKWARD) return;
  for (uint32_t i = count; i > 1; i--) {
    const uint32_t k = (uint32_t)(next_random(&b->random) % i);
    const uint8_t kept = list[k];
    list[k] = list[i - 1];
    list[i - 1] = kept;
  }
}
