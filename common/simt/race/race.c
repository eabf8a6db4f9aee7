/* Races inside a block: accesses that shadow.c leaves without an order. Each
 * 4-byte word of memory has a cell: who wrote it last, and who has read
 * it since. A word that is used in parts gets a cell a byte instead. Stamps are
 * never reset, so a cell with stamps older than the block's start is empty. */

#include "common/simt/race/race.h"

/* ---- order that the threads of a block make by flags: who stores to a
 * volatile word, or changes it by an atomic, after a fence, hands on what he
 * knew at the fence; who looks at the word and then fences takes it ---- */

enum { LOOKS = 8 };

typedef struct flags {
  uint32_t *released[MAX_THREADS]; /* at the thread's latest fence; or null */
  uintptr_t looked[MAX_THREADS][LOOKS];
  uint8_t next[MAX_THREADS];
  map handed_on; /* clocks, by the word's address */
} flags;

static void flags_start_block(block *b) {
  flags *f = b->flags;
  if (!f) return;
  for (uint32_t i = 0; i < MAX_THREADS; i++) free(f->released[i]);
  map_clear(&f->handed_on, true);
  free(f);
  b->flags = NULL;
}

void flags_fence(block *b, const thread *t) {
  if (!b->flags) b->flags = allocate_zeros(1, sizeof *b->flags);
  flags *f = b->flags;
  const size_t size = order_row_size(b);
  uint32_t **row = &f->released[t->id];
  if (!*row) *row = allocate_zeros(1, size);
  for (uint32_t i = 0; i < LOOKS; i++) {
    const uint32_t *seen = map_get(&f->handed_on, f->looked[t->id][i]);
    if (seen) order_leave(b, t, seen);
  }
  memset(*row, 0, size);
  order_arrive(b, t, *row);
}

static void look(flags *f, uint32_t id, uintptr_t address) {
  for (uint32_t i = 0; i < LOOKS; i++)
    if (f->looked[id][i] == address) return;
  f->looked[id][f->next[id]++ % LOOKS] = address;
}

/* Lanes read or write a volatile word, or both by an atomic. True where one of
 * them has fenced before it stores. */
static bool flags_access(block *b, const warp *w, uint32_t lanes,
                         uintptr_t address, bool reads, bool writes) {
  flags *f = b->flags;
  bool released = false;
  if (!f) return false;
  FOR_EACH_LANE(lane, lanes) {
    const uint32_t id = w->id * WARP_SIZE + lane;
    if (reads) look(f, id, address);
    if (!writes) continue;
    uint32_t *to = map_get(&f->handed_on, address);
    const uint32_t *row = f->released[id];
    if (!to && row) {
      to = allocate_zeros(1, order_row_size(b));
      map_put(&f->handed_on, address, to);
    }
    if (!to) continue;
    /* An atomic hands on what others did, too. */
    if (!reads) memset(to, 0, order_row_size(b));
    if (row) clocks_join(to, row, b->shadow->row_used);
    released |= row != NULL;
  }
  return released;
}

typedef struct {
  block *b;
  warp *w;
  uint32_t pc, lanes;
  access_kind kind;
  uintptr_t address;
  bool is_known; /* of a store: all lanes store this: */
  uint32_t value;
  bool released; /* a volatile store, after a fence */
} visit;

static const char *const async_note =
    "shared memory is %s while a cp.async to it is under way: no wait for it";
static const char *const tma_note =
    "shared memory is %s while a TMA load to it is under way: no wait for its "
    "mbarrier";
static const char *const product_note =
    "shared memory is %s while a product reads it: no wait for the product";

__attribute__((noinline)) static finding *
tell(const visit *v, simt_finding_kind kind, uint32_t lane, uint32_t other_pc,
     uint32_t other_thread, const char *format, const char *what) {
  return finding_locate(
      v->b,
      finding_report(v->b, kind, v->pc, other_pc, v->w->id * WARP_SIZE + lane,
                     other_thread, format, what),
      v->address);
}

/* Where lanes of one warp race, and threads of two as well, a __syncwarp()
 * would not be enough: the finding is that of the two. Of the same block, so
 * that the story does not depend on the OS's schedule. */
static finding *tell_race(const visit *v, uint32_t lane, uint32_t other_pc,
                          uint32_t other_thread, const char *what) {
  static const char across[] = "%s, with no barrier between the two threads";
  const uint32_t thread = v->w->id * WARP_SIZE + lane;
  if (other_thread / WARP_SIZE == v->w->id)
    return tell(v, SIMT_RACE, lane, other_pc, other_thread,
                "%s, with no __syncwarp() between two lanes of one warp: since "
                "Volta they need not run in step",
                what);
  finding *f = finding_before(v->b, SIMT_RACE, v->pc, other_pc);
  if (f && f->said.block_number == v->b->number &&
      f->said.thread / WARP_SIZE == f->said.other_thread / WARP_SIZE) {
    snprintf(f->said.sentence, sizeof f->said.sentence, across, what);
    f->said.thread = thread;
    f->said.other_thread = other_thread;
  }
  return tell(v, SIMT_RACE, lane, other_pc, other_thread, across, what);
}

static uint32_t first_lane(const visit *v) {
  return (uint32_t)__builtin_ctz(v->lanes);
}

static bool is_write(const visit *v) {
  return v->kind == ACCESS_WRITE || v->kind == ACCESS_VOLATILE_WRITE ||
         v->kind == ACCESS_STMATRIX || v->kind == ACCESS_COPY_WRITE ||
         v->kind == ACCESS_TMA_WRITE;
}

static void check_writer(const visit *v, const cell *c, const char *what) {
  const uint32_t lane =
      order_unordered(v->b, c->write_stamp, c->writer, v->w, v->lanes);
  if (lane == WARP_SIZE) return;
  if (c->writer < MAX_THREADS) {
    finding *f = tell_race(v, lane, c->write_pc, c->writer, what);
    if (f && v->kind == ACCESS_READ && c->is_atomic) f->look_pc = v->pc;
    if (f && v->kind == ACCESS_VOLATILE_READ && c->released) f->flag_pc = v->pc;
  } else
    tell(v, is_write(v) ? SIMT_WRITE_IN_FLIGHT : SIMT_READ_IN_FLIGHT, lane,
         c->write_pc, order_thread_of(v->b, c->writer), tma_note,
         is_write(v) ? "written" : "read");
}

static inline uint32_t shadow_actor(const reader *r, uint32_t lane) {
  const uint32_t w = r->warp;
  return w < MAX_WARPS ? w * WARP_SIZE + lane : MAX_THREADS + w - MAX_WARPS;
}

static void check_reader(const visit *v, const reader *r, bool again) {
  const shadow *s = v->b->shadow;
  if ((v->kind == ACCESS_ATOMIC && r->is_volatile) || (r->wrote && again))
    return;
  FOR_EACH_LANE(reader_lane, r->lanes) {
    const uint32_t by = shadow_actor(r, reader_lane);
    const uint32_t lane = order_unordered(v->b, r->stamp, by, v->w, v->lanes);
    if (lane == WARP_SIZE) continue;
    if (by >= MAX_THREADS && r->stamp > s->engine_done[by - MAX_THREADS])
      tell(v, SIMT_WRITE_IN_FLIGHT, lane, r->pc, order_thread_of(v->b, by),
           product_note, "written");
    else {
      finding *f = tell_race(v, lane, r->pc, order_thread_of(v->b, by),
                             r->wrote ? "a write after a write"
                                      : "a write after a read");
      if (f && v->kind == ACCESS_ATOMIC) f->look_pc = r->pc;
      if (f && v->released && r->is_volatile) f->flag_pc = r->pc;
    }
    return;
  }
}

/* `again`: the value is that of the latest write. */
static void check_readers(const visit *v, cell *c, bool again) {
  shadow *s = v->b->shadow;
  if (c->read.stamp <= s->barrier) return;
  check_reader(v, &c->read, again);
  for (uint32_t n = c->read.more; n; n = s->readers[n].more)
    check_reader(v, &s->readers[n], again);
  shadow_free_readers(s, c->read.more);
}

/* Those who have stored the same value as the cell's latest writer, and this
 * one. Returns how many. */
static int who_wrote(const visit *v, const cell *c, reader those[MAX_WARPS]) {
  const shadow *s = v->b->shadow;
  int count = 0;
  if (c->write_stamp <= s->barrier) return 0;
  those[count++] = (reader){.stamp = c->write_stamp,
                            .lanes = 1u << c->writer % WARP_SIZE,
                            .pc = c->write_pc,
                            .wrote = true,
                            .warp = c->writer / WARP_SIZE & 0xff};
  const reader *r = c->read.stamp <= s->barrier ? NULL : &c->read;
  for (; r && count < MAX_WARPS; r = r->more ? &s->readers[r->more] : NULL)
    if (r->wrote) those[count++] = *r;
  return count;
}

static void add_who_wrote(const visit *v, cell *c, reader r) {
  shadow *s = v->b->shadow;
  r.more = 0;
  if (c->read.stamp <= s->barrier)
    c->read = r;
  else
    shadow_add_to_readers(s, c, r, &v->b->warps[r.warp]);
}

/* True when the cell holds a write of this block. If not, `what` is told of,
 * but for a write to a variable, which is as it should be. */
static bool is_written(const visit *v, const cell *c, const char *what) {
  if (c->write_stamp > v->b->shadow->start) return true;
  if (!in_shared(v->b, (void *)v->address)) return false;
  if (!shared_map[v->address - v->b->shared_low]) {
    tell(v, SIMT_OUTSIDE_SHARED, first_lane(v), 0, 0,
         "%s shared memory that belongs to no variable", what);
    v->b->error = cudaErrorIllegalAddress;
  } else if (!is_write(v)) {
    tell(v, SIMT_UNINITIALISED, first_lane(v), 0, 0,
         "%s shared memory that no thread of this block has written", what);
  }
  return false;
}

static const char *const same_note =
    "two threads %s, with no order between them, and store the same value";

/* The latest write was a thread's store of this value, as is this one. */
static bool stores_same(const visit *v, const cell *c) {
  return v->is_known && c->is_known && c->value == v->value &&
         c->writer < MAX_THREADS && !c->is_atomic;
}

static void visit_write(const visit *v, cell *c) {
  shadow *s = v->b->shadow;
  reader those[MAX_WARPS];
  int others = 0;
  if (is_written(v, c, "a write to")) {
    if (c->in_flight)
      tell(v, SIMT_WRITE_IN_FLIGHT, first_lane(v), c->write_pc, c->writer,
           async_note, "written");
    else if (stores_same(v, c)) {
      const uint32_t lane =
          order_unordered(v->b, c->write_stamp, c->writer, v->w, v->lanes);
      others = who_wrote(v, c, those);
      if (lane < WARP_SIZE)
        tell(v, SIMT_SAME_VALUE, lane, c->write_pc, c->writer, same_note,
             "write to one address");
    } else if (v->kind != ACCESS_VOLATILE_WRITE || !c->is_atomic)
      check_writer(v, c, "a write after a write");
  }
  check_readers(v, c, others > 0);
  const bool same = v->is_known;
  if (v->lanes & (v->lanes - 1))
    tell(v, same ? SIMT_SAME_VALUE : SIMT_RACE,
         31 - (uint32_t)__builtin_clz(v->lanes), v->pc,
         v->w->id * WARP_SIZE + first_lane(v),
         same ? same_note : "two lanes %s: nobody knows whose value stays",
         "write to one address at once");
  c->write_stamp = v->w->clock;
  c->write_pc = v->pc;
  c->writer = (uint16_t)(v->w->id * WARP_SIZE + first_lane(v));
  c->in_flight = v->kind == ACCESS_COPY_WRITE;
  c->is_atomic = false;
  c->is_volatile = v->kind == ACCESS_VOLATILE_WRITE;
  c->value = v->value;
  c->is_known = v->is_known;
  c->released = v->released;
  c->read.stamp = s->start;
  c->read.more = 0;
  while (others > 0) add_who_wrote(v, c, those[--others]);
  const uint32_t more = v->lanes & (v->lanes - 1);
  if (more && same)
    add_who_wrote(v, c, (reader){.stamp = v->w->clock,
                                 .lanes = more,
                                 .pc = v->pc,
                                 .wrote = true,
                                 .warp = v->w->id & 0xff});
}

static void visit_read(const visit *v, cell *c) {
  const bool is_volatile = v->kind == ACCESS_VOLATILE_READ;
  if (is_written(v, c, "a read of")) {
    if (c->in_flight)
      tell(v, SIMT_READ_IN_FLIGHT, first_lane(v), c->write_pc, c->writer,
           async_note, "read");
    else if (!is_volatile || !c->is_atomic)
      check_writer(v, c, is_volatile ? "a volatile read, which orders nothing, "
                                       "after a write"
                                     : "a read after a write");
  }
  shadow_add_reader(v->b->shadow, c, v->w, v->lanes, v->pc, is_volatile);
}

/* Atomic accesses race with plain ones only. Volatile ones race with each
 * other, too: a warp's may need a barrier in between. */
static void visit_atomic(const visit *v, cell *c) {
  if (c->in_flight)
    tell(v, SIMT_WRITE_IN_FLIGHT, first_lane(v), c->write_pc, c->writer,
         async_note, "written");
  if (is_written(v, c, "an atomic access to") && !c->is_atomic &&
      !c->is_volatile)
    check_writer(v, c, "an atomic access after a plain write");
  check_readers(v, c, false);
  c->read.stamp = v->b->shadow->start;
  c->read.more = 0;
  c->write_stamp = v->w->clock;
  c->write_pc = v->pc;
  c->writer = (uint16_t)(v->w->id * WARP_SIZE + first_lane(v));
  c->is_atomic = true;
}

static void visit_cell(const visit *v, cell *c) {
  switch (v->kind) {
  case ACCESS_READ:
  case ACCESS_COPY_READ:
  case ACCESS_LDMATRIX:
  case ACCESS_VOLATILE_READ:
    visit_read(v, c);
    break;
  case ACCESS_ATOMIC:
  case ACCESS_MBARRIER:
    visit_atomic(v, c);
    break;
  case ACCESS_COPY_DONE:
    if (!c->in_flight) break;
    c->in_flight = false;
    c->write_stamp = v->w->clock;
    break;
  default:
    visit_write(v, c);
  }
}

/* Blocks share it: see global.c. */
static bool is_plain(access_kind kind) {
  return kind == ACCESS_READ || kind == ACCESS_WRITE ||
         kind == ACCESS_COPY_READ;
}

/* A part of a word of the arena that was only handed out until now. */
__attribute__((noinline)) static void visit_fresh(const visit *v, uint8_t *bits,
                                                  uint8_t mask) {
  if (!is_write(v))
    tell(v, SIMT_UNINITIALISED, first_lane(v), 0, 0,
         "%s global memory that nobody has written since cudaMalloc()",
         v->kind == ACCESS_ATOMIC ? "an atomic access to" : "a read of");
  if (is_write(v) || v->kind == ACCESS_ATOMIC)
    __atomic_fetch_and(bits, (uint8_t)~mask, __ATOMIC_RELAXED);
}

/* What the lanes store in this unit, if it is the same. */
static void compare_values(visit *v, const instruction *i, uint32_t size) {
  v->is_known = true;
  FOR_EACH_LANE(lane, v->lanes) {
    const uintptr_t place = v->address - i->address[lane];
    const uint32_t value = i->value[lane]->words[place / 4 & 3];
    if (lane == first_lane(v)) v->value = value;
    v->is_known &= i->value[lane]->known && value == v->value &&
                   (size == 4 || place == 0);
  }
}

/* A pointer may be into one of two variables, or run from one into the next. */
static void compare_variables(const visit *v, struct site *site) {
  const uint8_t *map = shared_map - v->b->shared_low;
  char first[64];
  if (!site->variable) site->variable = v->address;
  if (map[v->address] == map[site->variable] || !map[v->address]) return;
  symbol_of_shared(site->variable - v->b->shared_low, first, sizeof first);
  tell(v, SIMT_TWO_VARIABLES, first_lane(v), 0, 0,
       "this instruction also uses %s: a pointer to either, or one that runs "
       "from one into the next",
       first);
}

static void visit_global(const visit *v, uint32_t size) {
  const uint32_t thread = v->w->id * WARP_SIZE + first_lane(v);
  const uintptr_t offset = v->address - arena_low;
  if (v->kind != ACCESS_ATOMIC)
    global_access(v->b, &(global_visit){.thread = thread,
                                        .pc = v->pc,
                                        .size = size,
                                        .address = v->address,
                                        .writes = is_write(v),
                                        .is_volatile = !is_plain(v->kind),
                                        .is_known = v->is_known,
                                        .value = v->value
                                                 << v->address % 4 * 8});
  if (arena_fresh && offset < arena_size) {
    uint8_t *bits = &arena_fresh[offset / 8];
    const uint8_t mask = (uint8_t)(((1u << size) - 1) << offset % 8);
    if (*bits & mask) visit_fresh(v, bits, mask);
  }
  if (v->b->checks & SIMT_STREAMS)
    streams_access(v->b, thread, v->pc, v->address, size,
                   is_write(v) || v->kind == ACCESS_ATOMIC,
                   v->kind == ACCESS_ATOMIC);
}

static void check(block *b, warp *w, const instruction *i, struct site *site,
                  const pattern *p) {
  shadow *s = b->shadow;
  const bool shared = i->key.shared;
  cells *of = shared ? &s->shared : &s->global;
  const uint32_t size = p->unit_size;
  visit v = {.b = b,
             .w = w,
             .pc = i->key.pc,
             .kind = (access_kind)i->key.kind};
  for (const unit *u = p->units; u < p->units + p->unit_count; u++) {
    v.address = i->address[p->first] + (int32_t)u->offset;
    /* ldmatrix hands what any lane addresses to all of them. */
    v.lanes = v.kind == ACCESS_LDMATRIX ? i->lanes : u->lanes;
    v.released = false;
    /* An mbarrier is sure to be one. */
    if (shared && b->checks & SIMT_STREAMS && v.kind != ACCESS_MBARRIER)
      compare_variables(&v, site);
    if (is_store(v.kind)) compare_values(&v, i, size);
    if (b->flags && !is_plain(v.kind)) {
      const bool atomic = v.kind == ACCESS_ATOMIC;
      v.released = flags_access(b, w, v.lanes, v.address & ~(uintptr_t)3,
                                atomic || v.kind == ACCESS_VOLATILE_READ,
                                atomic || v.kind == ACCESS_VOLATILE_WRITE);
    }
    if (!shared) visit_global(&v, size);
    const size_t index = shared ? (v.address - b->shared_low) / 4
                                : global_word(v.address);
    cell *word = &of->words[index];
    if (size == 4 && !shadow_is_split(s, word)) {
      word->split = false; /* an earlier block's may be left over */
      visit_cell(&v, word);
      continue;
    }
    cell *bytes = shadow_split(s, of, index);
    const uintptr_t first = v.address % 4;
    const uint32_t value = v.value;
    for (uint32_t n = 0; n < size; n++) {
      v.value = value >> 8 * n & 0xff;
      visit_cell(&v, &bytes[first + n]);
      v.address++;
    }
    if (size != 4 || (v.kind != ACCESS_WRITE && v.kind != ACCESS_STMATRIX))
      continue;
    shadow_join(of, index);
    word->value = value;
  }
}

static void prepare(block *b) {
  const bool wanted = b->checks & SIMT_RACES;
  if (b->shadow && (!wanted || b->shadow->threads != b->thread_count ||
                    b->shadow->clock > UINT32_MAX / 2)) {
    shadow_destroy(b->shadow);
    b->shadow = NULL;
  }
  if (wanted && !b->shadow)
    b->shadow = shadow_create(b->shared_size, b->thread_count);
  if (wanted) shadow_set_global(b->shadow, global_words());
}

static void start_block(block *b) {
  b->fenced = false;
  flags_start_block(b);
  global_start_block(b);
  order_start_block(b);
}

static void block_barrier(block *b) {
  order_block_barrier(b);
  if (b->shadow) global_block_barrier(b);
}

mechanism race_check = {.name = "races",
                        .prepare = prepare,
                        .start_block = start_block,
                        .block_barrier = block_barrier,
                        .checks = SIMT_RACES,
                        .instruction = check};

void race_tma_write(block *b, const thread *t, uint32_t pc, uintptr_t address,
                    uint32_t size, uint32_t engine, uint32_t stamp) {
  shadow *s = b->shadow;
  visit v = {.b = b,
             .w = &b->warps[t->id / WARP_SIZE],
             .pc = pc,
             .lanes = 1u << t->lane,
             .kind = ACCESS_TMA_WRITE};
  for (v.address = address; size > 0; size -= 4, v.address += 4) {
    const uintptr_t offset = v.address - b->shared_low;
    cell *word = &s->shared.words[offset / 4];
    const bool split = shadow_is_split(s, word);
    cell *first = split ? &s->shared.bytes[offset] : word;
    for (cell *c = first; c < first + (split ? 4 : 1); c++) {
      if (order_unordered(b, c->write_stamp, c->writer, v.w, v.lanes) ==
          WARP_SIZE)
        proxy_check_fence(b, t->id, 1, pc, v.address, c,
                          "a TMA load overwrites");
      visit_write(&v, c);
      c->writer = (uint16_t)(MAX_THREADS + engine);
      c->write_stamp = stamp;
    }
    if (split)
      shadow_join(&s->shared, offset / 4);
    else
      word->split = false;
  }
}

void race_copy_landed(block *b, const void *address, uint32_t size) {
  shadow *s = b->shadow;
  if (!s) return;
  const uintptr_t offset = (uintptr_t)address - b->shared_low;
  for (size_t word = offset / 4; word < (offset + size) / 4; word++) {
    s->shared.words[word].in_flight = false;
    if (!shadow_is_split(s, &s->shared.words[word])) continue;
    for (size_t i = 4 * word; i < 4 * word + 4; i++)
      s->shared.bytes[i].in_flight = false;
  }
}
