/* Shadow memory: who has used each word, and vector clocks, from which follows
 * what came before what. */

#include "common/simt/race/race.h"

#include <sys/mman.h>

static void *reserve(size_t size) {
  return allocate_pages(size, "its race check");
}

static cells make_cells(size_t count) {
  return (cells){.words = reserve(count * sizeof(cell)),
                 .bytes = reserve(4 * count * sizeof(cell)),
                 .count = count};
}

static void drop_cells(cells *c) {
  if (!c->count) return;
  munmap(c->words, c->count * sizeof(cell));
  munmap(c->bytes, 4 * c->count * sizeof(cell));
  *c = (cells){0};
}

void shadow_set_global(shadow *s, size_t words) {
  if (s->global.count == words) return;
  drop_cells(&s->global);
  s->global = make_cells(words);
}

shadow *shadow_create(size_t shared_size, uint32_t threads) {
  shadow *s = allocate_zeros(1, sizeof *s);
  s->shared = make_cells(shared_size / 4 + 1);
  s->threads = threads;
  s->row_used = threads;
  s->row_length = 2 * threads + ENGINES;
  const size_t rows = threads + 2 * BARRIERS;
  s->clocks = allocate_zeros(rows * s->row_length, sizeof *s->clocks);
  s->scratch = allocate_zeros(s->row_length, sizeof *s->scratch);
  s->clock = 1;
  return s;
}

void shadow_destroy(shadow *s) {
  if (!s) return;
  drop_cells(&s->shared);
  drop_cells(&s->global);
  free(s->clocks);
  free(s->scratch);
  free(s->readers);
  free(s);
}

/* ---- readers ---- */

static uint32_t new_reader(shadow *s, reader r) {
  uint32_t n = s->free_reader;
  if (n) {
    s->free_reader = s->readers[n].more;
  } else {
    n = s->reader_count++;
    MAKE_ROOM(s->readers, n, s->reader_capacity);
  }
  s->readers[n] = r;
  return n;
}

void shadow_free_readers(shadow *s, uint32_t first) {
  if (!first) return;
  uint32_t last = first;
  while (s->readers[last].more) last = s->readers[last].more;
  s->readers[last].more = s->free_reader;
  s->free_reader = first;
}

/* One entry can stand for both reads: the same warp under the same stamp, or
 * a warp that has met in __syncwarp() since the first. */
static bool merge(reader *r, const reader *fresh, const warp *w) {
  if (r->warp != fresh->warp || r->is_volatile != fresh->is_volatile ||
      r->wrote != fresh->wrote)
    return false;
  if (r->stamp == fresh->stamp) {
    r->lanes |= fresh->lanes;
    return true;
  }
  if (r->stamp > w->synced || fresh->stamp < r->stamp) return false;
  r->stamp = fresh->stamp;
  r->lanes = fresh->lanes;
  r->pc = fresh->pc;
  return true;
}

void shadow_add_to_readers(shadow *s, cell *c, reader fresh, const warp *w) {
  if (merge(&c->read, &fresh, w)) return;
  for (uint32_t n = c->read.more; n; n = s->readers[n].more)
    if (merge(&s->readers[n], &fresh, w)) return;
  fresh.more = c->read.more;
  c->read.more = new_reader(s, fresh) & 0x3fffff;
}

/* ---- words in parts ---- */

static uint32_t copy_readers(shadow *s, uint32_t from) {
  uint32_t list = 0;
  for (; from; from = s->readers[from].more) {
    reader r = s->readers[from];
    r.more = list & 0x3fffff;
    list = new_reader(s, r);
  }
  return list;
}

cell *shadow_split(shadow *s, cells *of, size_t word) {
  cell *whole = &of->words[word], *bytes = &of->bytes[4 * word];
  if (shadow_is_split(s, whole)) return bytes;
  whole->split = false;
  for (int i = 0; i < 4; i++) {
    bytes[i] = *whole;
    bytes[i].value = whole->value >> 8 * i & 0xff;
    if (i > 0 && whole->read.stamp > s->barrier)
      bytes[i].read.more = copy_readers(s, whole->read.more) & 0x3fffff;
  }
  whole->split = true;
  whole->write_stamp = s->clock;
  return bytes;
}

void shadow_join(cells *of, size_t word) {
  cell *whole = &of->words[word];
  *whole = of->bytes[4 * word];
  whole->split = false;
}

/* ---- order ---- */

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

void order_start_block(block *b) {
  shadow *s = b->shadow;
  if (!s) return;
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
  FOR_EACH_LANE(lane, lanes) {
    uint32_t *own = shadow_clocks(s, first + lane);
    own[first + lane] = w->clock;
    clocks_join(all, own, s->row_used);
  }
  FOR_EACH_LANE(lane, lanes)
    memcpy(shadow_clocks(s, first + lane), all, s->row_used * sizeof *all);
  if (lanes == w->exists) w->synced = w->clock;
  w->clock = ++s->clock;
}

uint32_t *order_barrier_clocks(block *b, uint32_t barrier) {
  shadow *s = b->shadow;
  return s ? shadow_clocks(s, b->thread_count + barrier) : NULL;
}

void order_arrive(block *b, const thread *t, uint32_t *clocks) {
  shadow *s = b->shadow;
  if (!s) return;
  warp *w = &b->warps[t->id / WARP_SIZE];
  uint32_t *own = shadow_clocks(s, t->id);
  own[t->id] = w->clock;
  clocks_join(clocks, own, s->row_used);
  w->clock = ++s->clock;
}

void order_leave(block *b, const thread *t, const uint32_t *clocks) {
  shadow *s = b->shadow;
  if (s) clocks_join(shadow_clocks(s, t->id), clocks, s->row_used);
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
  FOR_EACH_LANE(lane, lanes) {
    const uint32_t id = w->id * WARP_SIZE + lane;
    if (id != actor && shadow_clocks(s, id)[column] < stamp) return lane;
  }
  return WARP_SIZE;
}

uint32_t order_thread_of(const block *b, uint32_t actor) {
  return actor < MAX_THREADS ? actor
                             : b->shadow->engine_thread[actor - MAX_THREADS];
}
