/* Engines, and what a proxy fence orders. Threads see shared memory through the
 * generic proxy, wgmma and TMA through the asynchronous one; what a thread has
 * written is only sure to be seen there once that thread has executed
 * fence.proxy.async. */

#include "common/simt/race/race.h"

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

/* All threads of the block meet: each learns what others know of engines. */
static void block_barrier(block *b) {
  shadow *s = b->shadow;
  if (!s || s->row_used < s->row_length) return;
  const uint32_t first = shadow_column(b, MAX_THREADS);
  uint32_t all[ENGINES] = {0};
  for (uint32_t id = 0; id < b->thread_count; id++) {
    const uint32_t *row = shadow_clocks(s, id);
    s->fenced[id] = row[shadow_fenced_column(b, id)];
    clocks_join(all, row + first, ENGINES);
  }
  for (uint32_t id = 0; id < b->thread_count; id++)
    memcpy(shadow_clocks(s, id) + first, all, sizeof all);
}

/* ---- fences ---- */

void proxy_fence(block *b, const thread *t) {
  shadow *s = b->shadow;
  if (!s) return;
  warp *w = &b->warps[t->id / WARP_SIZE];
  s->row_used = s->row_length;
  shadow_clocks(s, t->id)[shadow_fenced_column(b, t->id)] = w->clock;
  w->clock = ++s->clock;
}

bool proxy_is_fenced(const block *b, uint32_t first, uint32_t count,
                     uint32_t writer, uint32_t stamp) {
  shadow *s = b->shadow;
  if (!s || s->fenced[writer] >= stamp) return true;
  for (uint32_t id = first; id < first + count; id++)
    if (shadow_clocks(s, id)[shadow_fenced_column(b, writer)] < stamp)
      return false;
  return true;
}

bool proxy_check_fence(block *b, uint32_t first, uint32_t count, uint32_t pc,
                       uintptr_t address, const cell *c, const char *what) {
  if (c->write_stamp <= b->shadow->start || c->writer >= MAX_THREADS ||
      proxy_is_fenced(b, first, count, c->writer, c->write_stamp))
    return true;
  finding_locate(
      b,
      finding_report(b, SIMT_PROXY_FENCE, pc, c->write_pc, first, c->writer,
                     "%s what a thread has stored, with no fence_async_proxy() "
                     "of that thread between its store and the barrier",
                     what),
      address);
  return false;
}

mechanism proxy_check = {.name = "fences", .block_barrier = block_barrier};

/* ---- what products and TMA stores read of shared memory: accesses of an
 * engine, made at the issue and known to those who have waited ---- */

/* A product of a warpgroup, or a store of one thread, on its way over cells. */
typedef struct {
  block *b;
  const char *what, *reads;
  uint32_t pc, first, count; /* threads */
  uint32_t *verified;
  warp engine; /* as shadow_add_reader wants it */
} reading;

__attribute__((noinline)) static void
tell(const reading *r, simt_finding_kind kind, uint32_t thread, const cell *c,
     uintptr_t address, const char *sentence) {
  const bool written = kind != SIMT_UNINITIALISED;
  finding_locate(
      r->b,
      finding_report(r->b, kind, r->pc, written ? c->write_pc : 0, thread,
                     written ? order_thread_of(r->b, c->writer) : 0, sentence,
                     r->what),
      address);
}

/* A write that these threads have not been seen to know. What they know once
 * they know for ever, so that a writer is looked up once a stamp. */
__attribute__((noinline)) static void verify(const reading *r, const cell *c,
                                             uintptr_t address) {
  block *b = r->b;
  if (c->write_stamp <= b->shadow->start) {
    tell(r, SIMT_UNINITIALISED, r->first, c, address,
         "%s reads shared memory that no thread of this block has written");
    return;
  }
  if (c->in_flight) {
    tell(r, SIMT_READ_IN_FLIGHT, r->first, c, address,
         "%s reads shared memory while a cp.async to it is under way: no wait "
         "for it");
    return;
  }
  const uint32_t end = r->first + r->count;
  for (uint32_t i = r->first / WARP_SIZE; i * WARP_SIZE < end; i++) {
    const warp *w = &b->warps[i];
    const uint32_t lane = order_unordered(
        b, c->write_stamp, c->writer, w,
        r->count == 1 ? 1u << r->first % WARP_SIZE : UINT32_MAX);
    if (lane == WARP_SIZE) continue;
    const bool copy = c->writer >= MAX_THREADS;
    tell(r, copy ? SIMT_READ_IN_FLIGHT : SIMT_RACE, w->id * WARP_SIZE + lane, c,
         address,
         copy ? "%s reads shared memory while a TMA load to it is under way: "
                "no wait for its mbarrier"
              : "a read by %s after a write, with no barrier between the two "
                "threads");
    return;
  }
  if (proxy_check_fence(b, r->first, r->count, r->pc, address, c, r->reads) &&
      r->verified && c->write_stamp > r->verified[c->writer])
    r->verified[c->writer] = c->write_stamp;
}

static void read_chunk(const reading *r, uintptr_t address, bool check) {
  shadow *s = r->b->shadow;
  const uintptr_t offset = address - r->b->shared_low;
  for (uint32_t i = 0; i < 4; i++) {
    cell *word = &s->shared.words[offset / 4 + i];
    const bool split = shadow_is_split(s, word);
    cell *first = split ? &s->shared.bytes[offset + 4 * i] : word;
    for (cell *c = first; c < first + (split ? 4 : 1); c++) {
      if (check && (!r->verified || c->write_stamp > r->verified[c->writer] ||
                    c->write_stamp <= s->start || c->in_flight))
        verify(r, c, address + 4 * i);
      shadow_add_reader(s, c, &r->engine, 1, r->pc, false);
    }
  }
}

void product_reads(block *b, uint32_t warpgroup, uint32_t pc, uint32_t stamp,
                   const tile_part *part, bool check) {
  shadow *s = b->shadow;
  if (!s) return;
  /* A later product ends after an earlier one: one reader stands for both. */
  const reading r = {.b = b,
                     .what = "a product",
                     .reads = "a product reads",
                     .pc = pc,
                     .first = warpgroup * WARPGROUP,
                     .count = WARPGROUP,
                     .verified = s->verified[warpgroup],
                     .engine = {.id = MAX_WARPS + warpgroup,
                                .clock = stamp,
                                .synced = UINT32_MAX}};
  for (uint32_t i = 0; i < 2 * part->rows; i++)
    read_chunk(&r, (uintptr_t)tile_chunk(part, i), check);
}

void store_reads(block *b, const thread *t, uint32_t pc, uint32_t engine,
                 uint32_t stamp, uintptr_t address, uint32_t size, bool check) {
  if (!b->shadow) return;
  const reading r = {.b = b,
                     .what = "a TMA store",
                     .reads = "a TMA store reads",
                     .pc = pc,
                     .first = t->id,
                     .count = 1,
                     .engine = {.id = MAX_WARPS + engine,
                                .clock = stamp,
                                .synced = UINT32_MAX}};
  for (uint32_t at = 0; at < size; at += 16)
    read_chunk(&r, address + at, check);
}
