/* Where counting happens: one site for each operation at each program counter,
 * in a hash table of the OS thread. */

#include "common/simt/access/counting.h"

#include <stdlib.h>
#include <string.h>

static uint32_t hash(site_kind kind, access_key key) {
  const uint64_t mixed =
      (key.bits ^ (uint64_t)kind << 60) * UINT64_C(0x9e3779b97f4a7c15);
  return (uint32_t)(mixed >> 40);
}

static site **slot_of(site **sites, uint32_t capacity, site_kind kind,
                      access_key key) {
  uint32_t i = hash(kind, key) & (capacity - 1);
  while (sites[i] &&
         (sites[i]->key.bits != key.bits || sites[i]->kind != kind))
    i = (i + 1) & (capacity - 1);
  return &sites[i];
}

static void grow(block *b) {
  const uint32_t capacity = b->site_capacity ? 2 * b->site_capacity : 1024;
  site **sites = calloc(capacity, sizeof *sites);
  if (!sites) abort();
  for (uint32_t i = 0; i < b->site_capacity; i++) {
    site *s = b->sites[i];
    if (s) *slot_of(sites, capacity, s->kind, s->key) = s;
  }
  free(b->sites);
  b->sites = sites;
  b->site_capacity = capacity;
}

site *site_find(block *b, site_kind kind, access_key key) {
  if (2 * b->site_count >= b->site_capacity) grow(b);
  site **slot = slot_of(b->sites, b->site_capacity, kind, key);
  if (!*slot) {
    *slot = calloc(1, sizeof **slot);
    if (!*slot) abort();
    (*slot)->key = key;
    (*slot)->kind = kind;
    b->site_count++;
  }
  return *slot;
}

simt_counters *site_counters(block *b, site_kind kind, uint32_t pc) {
  if (!(b->checks & SIMT_COUNTS)) return NULL;
  return &site_find(b, kind, (access_key){.pc = pc})->counters;
}
