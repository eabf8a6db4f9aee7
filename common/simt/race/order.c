/* What came before what.
 *
 * A block has one clock that only counts synchronisations; every warp keeps the
 * value at its own latest one, and stamps its accesses with it. An access with
 * stamp s came before what a thread does now when
 *   s <= the clock at the latest __syncthreads(), or
 *   it was of the same warp, and s <= the clock at its latest full
 *   __syncwarp(), or
 *   the thread's vector clock, which it gets through every other kind of
 *   synchronisation, has s or more for the thread that made the access.
 *
 * A row of clocks has a column for each thread; then one for each engine, which
 * is not a thread and takes no part in barriers: only its column counts; then,
 * for each thread, the latest stamp whose writes a fence has shown to engines.
 * The last two lie idle until a kernel uses them. */

#include "common/simt/race/race.h"

#include <string.h>

static void join(uint32_t *into, const uint32_t *from, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    if (from[i] > into[i]) into[i] = from[i];
}

void order_start_block(block *b) {
  shadow *s = b->shadow;
  if (!s) return;
  if (s->clock > UINT32_MAX / 2) shadow_forget(s);
  s->start = s->barrier = s->clock++;
  for (uint32_t w = 0; w < b->warp_count; w++) {
    b->warps[w].synced = s->barrier;
    b->warps[w].clock = s->clock;
  }
  s->reader_count = 1;
  s->free_reader = 0;
}

void order_block_barrier(block *b) {
  shadow *s = b->shadow;
  if (!s) return;
  s->barrier = s->clock++;
  for (uint32_t w = 0; w < b->warp_count; w++) b->warps[w].clock = s->clock;
  s->reader_count = 1; /* older lists are dead: nobody will look at them */
  s->free_reader = 0;
}

void order_warp_sync(block *b, warp *w, uint32_t lanes) {
  shadow *s = b->shadow;
  if (!s) return;
  const uint32_t first = w->first->id;
  uint32_t *all = s->scratch;
  memset(all, 0, s->row_used * sizeof *all);
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    const uint32_t id = first + (uint32_t)__builtin_ctz(rest);
    uint32_t *own = shadow_clocks(s, b, id);
    own[id] = w->clock;
    join(all, own, s->row_used);
  }
  for (uint32_t rest = lanes; rest; rest &= rest - 1)
    memcpy(shadow_clocks(s, b, first + (uint32_t)__builtin_ctz(rest)), all,
           s->row_used * sizeof *all);
  if (lanes == w->exists) w->synced = w->clock;
  w->clock = ++s->clock;
}

uint32_t *order_barrier_clocks(block *b, uint32_t barrier) {
  shadow *s = b->shadow;
  return s ? shadow_clocks(s, b, b->thread_count + barrier) : NULL;
}

uint32_t *order_barrier_ended(block *b, uint32_t barrier) {
  shadow *s = b->shadow;
  return s ? shadow_clocks(s, b, b->thread_count + BARRIERS + barrier) : NULL;
}

void order_arrive(block *b, const thread *t, uint32_t *clocks) {
  shadow *s = b->shadow;
  if (!s) return;
  warp *w = &b->warps[t->id / WARP_SIZE];
  uint32_t *own = shadow_clocks(s, b, t->id);
  own[t->id] = w->clock;
  join(clocks, own, s->row_used);
  w->clock = ++s->clock;
}

void order_leave(block *b, const thread *t, const uint32_t *clocks) {
  shadow *s = b->shadow;
  if (s) join(shadow_clocks(s, b, t->id), clocks, s->row_used);
}

bool order_knows(const block *b, const thread *t, uint32_t other,
                 const uint32_t *clocks) {
  const warp *w = &b->warps[t->id / WARP_SIZE];
  return order_unordered(b, clocks[other], other, w, 1u << t->lane) ==
         WARP_SIZE;
}

void order_join(const block *b, uint32_t *into, const uint32_t *from) {
  join(into, from, b->shadow->row_used);
}

size_t order_row_size(const block *b) {
  return b->shadow ? b->shadow->row_length * sizeof(uint32_t) : 0;
}

uint32_t order_unordered(const block *b, uint32_t stamp, uint32_t actor,
                         const warp *w, uint32_t lanes) {
  shadow *s = b->shadow;
  const uint32_t of = actor / WARP_SIZE;
  if (of < MAX_WARPS &&
      (stamp <= s->barrier || (of == w->id && stamp <= w->synced)))
    return WARP_SIZE;
  const uint32_t column = shadow_column(b, actor);
  for (; lanes; lanes &= lanes - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
    const uint32_t id = w->id * WARP_SIZE + lane;
    if (id != actor && shadow_clocks(s, b, id)[column] < stamp) return lane;
  }
  return WARP_SIZE;
}

uint32_t order_thread_of(const block *b, uint32_t actor) {
  return actor < MAX_THREADS ? actor
                             : b->shadow->engine_thread[actor - MAX_THREADS];
}
