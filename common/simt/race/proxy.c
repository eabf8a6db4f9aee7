/* What wgmma reads, TMA writes, and a proxy fence orders. Threads see shared
 * memory through the generic proxy, wgmma and TMA through the asynchronous one;
 * what a thread has written is only sure to be seen there once that thread has
 * executed fence.proxy.async. A product is an access of its warpgroup's engine,
 * made at its issue and known to those who have waited for it. */

#include "common/simt/race/proxy.h"
#include "common/simt/run/flaws.h"
#include "common/simt/race/race.h"
#include "common/simt/tensor/warpgroup.h"

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

void proxy_block_barrier(block *b) {
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
  warpgroup_read_again(b);
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
                       uintptr_t address, const cell *c) {
  if (c->write_stamp <= b->shadow->start || c->writer >= MAX_THREADS ||
      proxy_is_fenced(b, first, count, c->writer, c->write_stamp))
    return true;
  flaw *f =
      flaw_note(b, SIMT_PROXY_FENCE, pc, c->write_pc, first, c->writer);
  if (!f) return false;
  flaw_locate(b, f, address);
  snprintf(f->sentence, sizeof f->sentence,
           "%s what a thread has stored, with no fence_async_proxy() of that "
           "thread between its store and the barrier",
           count > 1 ? "a product reads" : "a TMA load overwrites");
  return false;
}

/* ---- products ---- */

/* A product of a warpgroup on its way over the cells. */
typedef struct {
  block *b;
  uint32_t pc, first; /* thread */
  uint32_t *verified;
  warp engine; /* as shadow_add_reader wants it */
} reading;

__attribute__((noinline)) static void
tell(const reading *r, simt_finding_kind kind, uint32_t thread, const cell *c,
     uintptr_t address, const char *sentence) {
  const bool written = kind != SIMT_UNINITIALISED;
  flaw *f = flaw_note(r->b, kind, r->pc, written ? c->write_pc : 0, thread,
                      written ? race_thread_of(r->b, c->writer) : 0);
  if (!f) return;
  flaw_locate(r->b, f, address);
  snprintf(f->sentence, sizeof f->sentence, "%s", sentence);
}

/* A write that these threads have not been seen to know. What they know once
 * they know for ever, so that a writer is looked up once a stamp. */
__attribute__((noinline)) static void verify(const reading *r, const cell *c,
                                             uintptr_t address) {
  block *b = r->b;
  if (c->write_stamp <= b->shadow->start) {
    tell(r, SIMT_UNINITIALISED, r->first, c, address,
         "a product reads shared memory that no thread of this block has "
         "written");
    return;
  }
  if (c->in_flight) {
    tell(r, SIMT_READ_IN_FLIGHT, r->first, c, address,
         "a product reads shared memory while a cp.async to it is under way: "
         "no wait for it");
    return;
  }
  for (uint32_t i = 0; i < WARPGROUP / WARP_SIZE; i++) {
    const warp *w = &b->warps[r->first / WARP_SIZE + i];
    const uint32_t lane =
        race_unordered(b, c->write_stamp, c->writer, w, UINT32_MAX);
    if (lane == WARP_SIZE) continue;
    const bool copy = c->writer >= MAX_THREADS;
    tell(r, copy ? SIMT_READ_IN_FLIGHT : SIMT_RACE, w->id * WARP_SIZE + lane,
         c, address,
         copy ? "a product reads shared memory while a TMA load to it is under "
                "way: no wait for its mbarrier"
              : "a read by a product after a write, with no barrier between "
                "the two threads");
    return;
  }
  if (proxy_check_fence(b, r->first, WARPGROUP, r->pc, address, c) &&
      c->write_stamp > r->verified[c->writer])
    r->verified[c->writer] = c->write_stamp;
}

/* The cells of 16 bytes. */
static void read_chunk(const reading *r, uintptr_t address, bool check) {
  shadow *s = r->b->shadow;
  const uintptr_t offset = address - r->b->shared_low;
  for (uint32_t i = 0; i < 4; i++) {
    cell *word = &s->words[offset / 4 + i];
    const bool split = shadow_is_split(s, word);
    cell *first = split ? &s->bytes[offset + 4 * i] : word;
    for (cell *c = first; c < first + (split ? 4 : 1); c++) {
      if (check && (c->write_stamp > r->verified[c->writer] ||
                    c->write_stamp <= s->start || c->in_flight))
        verify(r, c, address + 4 * i);
      shadow_add_reader(s, c, &r->engine, 1, r->pc);
    }
  }
}

void proxy_read(block *b, uint32_t warpgroup, uint32_t pc, uint32_t stamp,
                const proxy_part *part, bool check) {
  shadow *s = b->shadow;
  if (!s) return;
  /* A later product ends after an earlier one: one reader stands for both. */
  const reading r = {.b = b,
                     .pc = pc,
                     .first = warpgroup * WARPGROUP,
                     .verified = s->verified + warpgroup * MAX_ACTORS,
                     .engine = {.id = MAX_WARPS + warpgroup,
                               .clock = stamp,
                               .synced = UINT32_MAX}};
  for (uint32_t row = 0; row < part->rows; row++)
    for (uint32_t half = 0; half < 2; half++)
      read_chunk(&r, (uintptr_t)proxy_chunk(part, row, half), check);
}
