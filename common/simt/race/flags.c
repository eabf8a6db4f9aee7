/* Order that the threads of a block make by flags: who stores to a volatile
 * word, or changes it by an atomic, after a fence, hands on what he knew at the
 * fence; who looks at the word and then fences takes it. */

#include "common/simt/race/race.h"

#include <stdlib.h>
#include <string.h>

enum { LOOKS = 8 };

typedef struct {
  uintptr_t address;
  uint32_t *clocks; /* what is handed on; null: nothing */
} flag;

typedef struct flags {
  uint32_t *released[MAX_THREADS]; /* at the thread's latest fence; or null */
  uintptr_t looked[MAX_THREADS][LOOKS];
  uint8_t next[MAX_THREADS];
  flag *all;
  uint32_t count, capacity;
} flags;

void flags_start_block(block *b) {
  flags *f = b->flags;
  if (!f) return;
  for (uint32_t i = 0; i < MAX_THREADS; i++) free(f->released[i]);
  for (uint32_t i = 0; i < f->count; i++) free(f->all[i].clocks);
  free(f->all);
  free(f);
  b->flags = NULL;
}

static flag *find(flags *f, uintptr_t address, bool make) {
  for (uint32_t i = 0; i < f->count; i++)
    if (f->all[i].address == address) return &f->all[i];
  if (!make) return NULL;
  if (f->count == f->capacity) {
    f->capacity = f->capacity ? 2 * f->capacity : 16;
    f->all = realloc(f->all, f->capacity * sizeof *f->all);
    if (!f->all) abort();
  }
  f->all[f->count] = (flag){.address = address};
  return &f->all[f->count++];
}

void flags_fence(block *b, const thread *t) {
  if (!b->flags) b->flags = calloc(1, sizeof *b->flags);
  flags *f = b->flags;
  const size_t size = order_row_size(b);
  uint32_t **row = &f->released[t->id];
  if (!*row) *row = malloc(size);
  if (!*row) abort();
  for (uint32_t i = 0; i < LOOKS; i++) {
    const flag *seen =
        f->looked[t->id][i] ? find(f, f->looked[t->id][i], false) : NULL;
    if (seen && seen->clocks) order_leave(b, t, seen->clocks);
  }
  memset(*row, 0, size);
  order_arrive(b, t, *row);
}

static void look(flags *f, uint32_t id, uintptr_t address) {
  for (uint32_t i = 0; i < LOOKS; i++)
    if (f->looked[id][i] == address) return;
  f->looked[id][f->next[id]++ % LOOKS] = address;
}

bool flags_access(block *b, const warp *w, uint32_t lanes, uintptr_t address,
                  bool reads, bool writes) {
  flags *f = b->flags;
  bool released = false;
  if (!f) return false;
  for (; lanes; lanes &= lanes - 1) {
    const uint32_t id =
        w->id * WARP_SIZE + (uint32_t)__builtin_ctz(lanes);
    if (reads) look(f, id, address);
    if (!writes) continue;
    flag *to = find(f, address, true);
    const uint32_t *row = f->released[id];
    if (!to->clocks && row) to->clocks = calloc(1, order_row_size(b));
    if (!to->clocks) continue;
    /* An atomic hands on what others did, too. */
    if (!reads) memset(to->clocks, 0, order_row_size(b));
    if (row) order_join(b, to->clocks, row);
    released |= row != NULL;
  }
  return released;
}
