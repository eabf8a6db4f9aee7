/* Engines, and what a proxy fence orders. Threads see shared memory through the
 * generic proxy, wgmma and TMA through the asynchronous one; what a thread has
 * written is only sure to be seen there once that thread has executed
 * fence.proxy.async. */

#include "common/simt/race/race.h"

#include <string.h>

/* ---- engines ---- */

uint32_t proxy_start(block *b, uint32_t engine, const thread *t) {
  shadow *s = b->shadow;
  if (!s) return 0;
  s->row_used = s->row_length;
  s->engine_thread[engine] = t->id;
  return ++s->clock;
}

void proxy_tell(block *b, uint32_t *clocks, uint32_t engine, uint32_t stamp) {
  shadow *s = b->shadow;
  if (!s) return;
  uint32_t *known = &clocks[shadow_column(b, MAX_THREADS + engine)];
  if (stamp > *known) *known = stamp;
  if (stamp > s->engine_done[engine]) s->engine_done[engine] = stamp;
}

void proxy_learn(block *b, uint32_t id, uint32_t engine, uint32_t stamp) {
  if (b->shadow) proxy_tell(b, shadow_clocks(b->shadow, b, id), engine, stamp);
}

/* All threads of the block meet: each learns what others know of engines. */
static void block_barrier(block *b) {
  shadow *s = b->shadow;
  if (!s || s->row_used < s->row_length) return;
  const uint32_t first = shadow_column(b, MAX_THREADS);
  uint32_t all[ENGINES] = {0};
  for (uint32_t id = 0; id < b->thread_count; id++) {
    const uint32_t *row = shadow_clocks(s, b, id);
    s->fenced[id] = row[shadow_fenced_column(b, id)];
    for (uint32_t i = 0; i < ENGINES; i++)
      if (row[first + i] > all[i]) all[i] = row[first + i];
  }
  for (uint32_t id = 0; id < b->thread_count; id++)
    memcpy(shadow_clocks(s, b, id) + first, all, sizeof all);
}

/* ---- fences ---- */

void proxy_fence(block *b, const thread *t) {
  shadow *s = b->shadow;
  if (!s) return;
  warp *w = &b->warps[t->id / WARP_SIZE];
  s->row_used = s->row_length;
  shadow_clocks(s, b, t->id)[shadow_fenced_column(b, t->id)] = w->clock;
  w->clock = ++s->clock;
}

bool proxy_is_fenced(const block *b, uint32_t first, uint32_t count,
                     uint32_t writer, uint32_t stamp) {
  shadow *s = b->shadow;
  if (!s || s->fenced[writer] >= stamp) return true;
  for (uint32_t id = first; id < first + count; id++)
    if (shadow_clocks(s, b, id)[shadow_fenced_column(b, writer)] < stamp)
      return false;
  return true;
}

bool proxy_check_fence(block *b, uint32_t first, uint32_t count, uint32_t pc,
                       uintptr_t address, const cell *c, const char *what) {
  if (c->write_stamp <= b->shadow->start || c->writer >= MAX_THREADS ||
      proxy_is_fenced(b, first, count, c->writer, c->write_stamp))
    return true;
  finding *f =
      finding_note(b, SIMT_PROXY_FENCE, pc, c->write_pc, first, c->writer);
  if (!f) return false;
  finding_locate(b, f, address);
  snprintf(f->sentence, sizeof f->sentence,
           "%s what a thread has stored, with no fence_async_proxy() of that "
           "thread between its store and the barrier",
           what);
  return false;
}

mechanism proxy_check = {.name = "fences", .block_barrier = block_barrier};
