#include "common/simt/run/launch.h"
#include "common/simt/run/mechanism.h"

#include <string.h>

/* Those with one request, or requests that read alike. */
typedef struct {
  uint32_t pc;
  char what[sizeof((waiter *)0)->what];
  uint32_t lanes[MAX_WARPS];
} group;

static void describe(const block *b, const request *r, char *text,
                     size_t size) {
  snprintf(text, size, "%s", mechanism_waits_in(r));
  if (r->kind == REQUEST_CARRY_OUT && r->to->describe)
    r->to->describe(b, r, text, size);
}

static void add(const block *b, const thread *t, group *all, uint32_t *count) {
  char what[sizeof all->what];
  describe(b, &t->request, what, sizeof what);
  uint32_t i = 0;
  while (i < *count &&
         (all[i].pc != t->request.pc || strcmp(all[i].what, what)))
    i++;
  if (i == MAX_WAITERS) return;
  if (i == *count) {
    all[i] = (group){.pc = t->request.pc};
    memcpy(all[i].what, what, sizeof what);
    ++*count;
  }
  all[i].lanes[t->id / WARP_SIZE] |= 1u << t->lane;
}

/* "warp 0, lane 0", "warps 4 to 7" */
static size_t name_warps(const block *b, const group *g, uint32_t first,
                         uint32_t last, char *text, size_t size) {
  const uint32_t lanes = g->lanes[first];
  const uint32_t from = (uint32_t)__builtin_ctz(lanes);
  const uint32_t count = (uint32_t)__builtin_popcount(lanes);
  int used;
  if (first < last)
    used = snprintf(text, size, "warps %u %s %u", first,
                    last > first + 1 ? "to" : "and", last);
  else
    used = snprintf(text, size, "warp %u", first);
  if (lanes == b->warps[first].exists) return (size_t)used;
  const bool in_a_row = lanes >> from == (1ull << count) - 1;
  char *rest = text + used;
  const size_t left = size - (size_t)used;
  if (count == 1)
    used += snprintf(rest, left, ", lane %u", from);
  else if (in_a_row)
    used += snprintf(rest, left, ", lanes %u to %u", from, from + count - 1);
  else
    used += snprintf(rest, left, ", %u lanes", count);
  return (size_t)used;
}

static void name_all(const block *b, const group *g, char *text,
                     size_t size) {
  size_t used = 0;
  for (uint32_t w = 0; w < b->warp_count && used + 48 < size; w++) {
    if (!g->lanes[w]) continue;
    uint32_t last = w;
    while (last + 1 < b->warp_count && g->lanes[last + 1] == g->lanes[w])
      last++;
    if (used) used += (size_t)snprintf(text + used, size - used, "; ");
    used += name_warps(b, g, w, last, text + used, size - used);
    w = last;
  }
}

/* It waits for nobody, and what it has filed is done. */
static bool has_its_turn(const block *b, const thread *t) {
  return b->warps[t->id / WARP_SIZE].ready >> t->lane & 1 &&
         t->request.kind != REQUEST_SPIN && !t->request.asks;
}

void waiting_list(const block *b, finding *f) {
  group all[MAX_WAITERS];
  uint32_t count = 0;
  for (const thread *t = b->threads; t < b->threads + b->thread_count; t++)
    if (t->request.kind != REQUEST_EXIT && !has_its_turn(b, t))
      add(b, t, all, &count);
  for (uint32_t i = 0; i < count; i++) {
    waiter *w = &f->waiters[i];
    w->pc = all[i].pc;
    name_all(b, &all[i], w->who, sizeof w->who);
    memcpy(w->what, all[i].what, sizeof w->what);
  }
  f->waiter_count = count;
}
