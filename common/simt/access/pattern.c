/* From the addresses of a warp instruction to what memory makes of them. */

#include "common/simt/access/access.h"

#include <string.h>

enum { BANKS = 32, SECTOR = 32 };

/* True where every lane reads what its neighbour at `distance` reads. */
static bool in_pairs(const instruction *i, uint32_t distance) {
  for (uint32_t lanes = i->lanes; lanes; lanes &= lanes - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
    const uint32_t other = lane ^ distance;
    if (i->lanes >> other & 1 && i->address[lane] != i->address[other])
      return false;
  }
  return true;
}

/* How many lanes shared memory serves together: all where each needs up to 4
 * bytes, half of them with 8, a quarter with 16. Twice as many, measured on an
 * H200, where neighbours, or lanes two apart, load the same; not in stores. */
static uint32_t lanes_together(const instruction *i) {
  const uint32_t size = i->key.size;
  if (size <= 4) return WARP_SIZE;
  const uint32_t lanes = size == 8 ? 16 : 8;
  const bool pairs =
      i->key.kind == ACCESS_READ && (in_pairs(i, 1) || in_pairs(i, 2));
  return pairs ? 2 * lanes : lanes;
}

/* Shared memory has 32 banks of 4 bytes. Two different words of one bank wait
 * for each other; one word serves all lanes that ask for it. */
static void count_wavefronts(const instruction *i, pattern *p) {
  const uint32_t together = lanes_together(i);
  const uint32_t words = i->key.size <= 4 ? 1 : i->key.size / 4;
  for (uint32_t begin = 0; begin < WARP_SIZE; begin += together) {
    uint64_t seen[BANKS][WARP_SIZE];
    uint32_t depth[BANKS] = {0}, deepest = 0;
    for (uint32_t lane = begin; lane < begin + together; lane++) {
      if (!(i->lanes >> lane & 1)) continue;
      for (uint32_t k = 0; k < words; k++) {
        const uint64_t word = i->address[lane] / 4 + k;
        const uint32_t bank = word % BANKS;
        uint32_t n = 0;
        while (n < depth[bank] && seen[bank][n] != word) n++;
        if (n < depth[bank]) continue;
        seen[bank][depth[bank]++] = word;
        if (depth[bank] > deepest) deepest = depth[bank];
      }
    }
    p->wavefronts += deepest;
    p->wavefronts_ideal += deepest > 0;
  }
}

/* Global memory moves in sectors of 32 bytes. An access lies in one of them,
 * for it is aligned. */
static void count_sectors(const instruction *i, pattern *p) {
  uint64_t sectors[WARP_SIZE];
  uint32_t count = 0;
  for (uint32_t lanes = i->lanes; lanes; lanes &= lanes - 1) {
    const uint64_t sector = i->address[__builtin_ctz(lanes)] / SECTOR;
    uint32_t n = 0;
    while (n < count && sectors[n] != sector) n++;
    if (n == count) sectors[count++] = sector;
  }
  p->sectors = count;
  p->sectors_ideal =
      (p->unit_count * p->unit_size + SECTOR - 1) / SECTOR;
}

/* The different words, or parts of one, that the lanes touch. */
static void list_units(const instruction *i, pattern *p) {
  enum { SLOTS = 256 };
  uint8_t slots[SLOTS] = {0}; /* index + 1 */
  p->unit_size = i->key.size > 4 ? 4 : i->key.size;
  p->unit_count = 0;
  const uint32_t per_lane = i->key.size / p->unit_size;
  for (uint32_t lanes = i->lanes; lanes; lanes &= lanes - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
    for (uint32_t k = 0; k < per_lane; k++) {
      const uint32_t offset =
          (uint32_t)p->relative[lane] + k * p->unit_size;
      uint32_t slot = offset / p->unit_size % SLOTS;
      while (slots[slot] && p->units[slots[slot] - 1].offset != offset)
        slot = (slot + 1) % SLOTS;
      if (!slots[slot]) {
        p->units[p->unit_count] = (unit){.offset = offset};
        slots[slot] = (uint8_t)++p->unit_count;
      }
      p->units[slots[slot] - 1].lanes |= 1u << lane;
    }
  }
}

const pattern *pattern_find(pattern *p, const instruction *i) {
  const uint32_t first = (uint32_t)__builtin_ctz(i->lanes);
  const uint64_t base = i->address[first];
  /* All banks are alike, so only the place within a word matters there. */
  const uint32_t phase = base % (i->key.shared ? 4 : SECTOR);
  int64_t relative[WARP_SIZE];
  for (uint32_t lane = 0; lane < WARP_SIZE; lane++)
    relative[lane] = (int64_t)(i->address[lane] - base);
  if (p->lanes == i->lanes && p->phase == phase &&
      !memcmp(p->relative, relative, sizeof relative))
    return p;
  p->lanes = i->lanes;
  p->phase = phase;
  p->first = first;
  p->wavefronts = p->wavefronts_ideal = p->sectors = p->sectors_ideal = 0;
  memcpy(p->relative, relative, sizeof relative);
  list_units(i, p);
  if (i->key.shared)
    count_wavefronts(i, p);
  else
    count_sectors(i, p);
  return p;
}
