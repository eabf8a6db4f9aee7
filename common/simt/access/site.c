/* Where counting happens: one site for each operation at each program counter,
 * in a hash table of the OS thread. */

#include "common/simt/access/access.h"

#include <stdlib.h>
#include <string.h>

static uint32_t hash(site_kind kind, access_key key) {
  const uint64_t mixed =
      (key.bits ^ (uint64_t)kind << 60) * UINT64_C(0x9e3779b97f4a7c15);
  return (uint32_t)(mixed >> 40);
}

static site **slot_of(site **slots, uint32_t capacity, site_kind kind,
                      access_key key) {
  uint32_t i = hash(kind, key) & (capacity - 1);
  while (slots[i] &&
         (slots[i]->key.bits != key.bits || slots[i]->kind != kind))
    i = (i + 1) & (capacity - 1);
  return &slots[i];
}

static void grow(sites *all) {
  const uint32_t capacity = all->capacity ? 2 * all->capacity : 1024;
  site **slots = calloc(capacity, sizeof *slots);
  if (!slots) abort();
  for (uint32_t i = 0; i < all->capacity; i++) {
    site *s = all->slots[i];
    if (s) *slot_of(slots, capacity, s->kind, s->key) = s;
  }
  free(all->slots);
  all->slots = slots;
  all->capacity = capacity;
}

site *site_find(block *b, site_kind kind, access_key key) {
  if (!b->sites) b->sites = calloc(1, sizeof *b->sites);
  sites *all = b->sites;
  if (!all) abort();
  if (2 * all->count >= all->capacity) grow(all);
  site **slot = slot_of(all->slots, all->capacity, kind, key);
  if (!*slot) {
    *slot = calloc(1, sizeof **slot);
    if (!*slot) abort();
    (*slot)->key = key;
    (*slot)->kind = kind;
    all->count++;
  }
  return *slot;
}

simt_counters *site_counters(block *b, site_kind kind, uint32_t pc) {
  if (!(b->checks & SIMT_COUNTS)) return NULL;
  return &site_find(b, kind, (access_key){.pc = pc})->counters;
}

void sites_clear(block *b) {
  sites *all = b->sites;
  for (uint32_t i = 0; all && i < all->capacity; i++) free(all->slots[i]);
  if (all) free(all->slots);
  free(all);
  b->sites = NULL;
}
