#ifndef SHADOW_H
#define SHADOW_H

#include "common/simt/run/block.h"

/* Who reads and writes beside the threads: the products of each warpgroup, and
 * the copies that count at each mbarrier. As writers they have numbers behind
 * all threads', as readers each is lane 0 of a warp of its own. */
enum {
  COPY_ENGINES = 64,
  ENGINES = MAX_WARPGROUPS + COPY_ENGINES,
  MAX_ACTORS = MAX_THREADS + ENGINES,
  BARRIERS = 16 /* of a block, each with two rows of clocks */
};

/* Lanes of one warp that have read a word under one stamp. A word that several
 * warps read has a list: the first entry lies in its cell. */
typedef struct {
  uint32_t stamp, lanes, pc;
  /* more: the next one's index, 0 at the end */
  uint32_t more : 23, is_volatile : 1, warp : 8;
} reader;

typedef struct {
  uint32_t write_stamp, write_pc;
  uint16_t writer; /* thread or engine */
  uint16_t value;  /* tells apart what was stored: see access/log.c */
  bool in_flight : 1; /* the write is a cp.async that nobody has waited for */
  bool is_atomic : 1, is_volatile : 1;
  bool released : 1; /* a volatile store, after a fence */
  bool plain_store : 1; /* by a thread, of `value` */
  bool split : 1; /* the four cells of the bytes hold instead of this one */
  reader read;
} cell;

_Static_assert(sizeof(cell) == 32, "two share a line of the cache");

/* Of a piece of memory. */
typedef struct {
  cell *words, *bytes; /* bytes is touched where a word is split only */
  size_t count;        /* of words */
} cells;

typedef struct shadow {
  uint32_t threads; /* that it is made for */
  uint32_t clock;   /* now */
  uint32_t start;   /* the clock when the block began */
  uint32_t barrier; /* and at its latest __syncthreads() */
  uint32_t *clocks; /* [thread, barrier, its last use][column] */
  uint32_t row_length, row_used; /* columns: see order.c */
  uint32_t *scratch;
  uint32_t *fenced;   /* [thread]: see proxy.c */
  uint32_t *verified; /* [warpgroup][who] */
  uint32_t engine_thread[ENGINES], engine_done[ENGINES];
  cells shared, global;
  size_t clock_count;
  reader *readers;
  uint32_t reader_count, reader_capacity, free_reader;
} shadow;

shadow *shadow_create(size_t shared_size, uint32_t threads);
/* Room for so many words of global memory. */
void shadow_set_global(shadow *s, size_t words);
void shadow_destroy(shadow *s); /* or null */
/* Empties all cells and starts the clock again. */
void shadow_forget(shadow *s);

/* To a cell that has readers since the latest barrier. */
void shadow_add_to_readers(shadow *s, cell *c, reader fresh, const warp *w);
void shadow_free_readers(shadow *s, uint32_t first);

/* The cells of a word's bytes, which from now on hold instead of its own. */
cell *shadow_split(shadow *s, cells *of, size_t word);
/* All four bytes have just been written at once: one cell is enough again. */
void shadow_join(cells *of, size_t word);

/* What `thread`, or the barrier after the last thread, knows of each thread. */
static inline uint32_t *shadow_clocks(shadow *s, const block *b,
                                      uint32_t thread) {
  (void)b;
  return s->clocks + (size_t)thread * s->row_length;
}

static inline uint32_t shadow_actor(const reader *r, uint32_t lane) {
  const uint32_t w = r->warp;
  return w < MAX_WARPS ? w * WARP_SIZE + lane : MAX_THREADS + w - MAX_WARPS;
}

static inline void shadow_add_reader(shadow *s, cell *c, const warp *w,
                                     uint32_t lanes, uint32_t pc,
                                     bool is_volatile) {
  const reader fresh = {.stamp = w->clock,
                        .lanes = lanes,
                        .pc = pc,
                        .is_volatile = is_volatile,
                        .warp = w->id & 0xff};
  if (c->read.stamp <= s->barrier)
    c->read = fresh;
  else
    shadow_add_to_readers(s, c, fresh, w);
}

/* Where a row has what is known of a thread or an engine, */
static inline uint32_t shadow_column(const block *b, uint32_t actor) {
  return actor < MAX_THREADS ? actor
                             : b->thread_count + actor - MAX_THREADS;
}

/* and of a thread's writes that a fence has shown to the engines. */
static inline uint32_t shadow_fenced_column(const block *b, uint32_t thread) {
  return b->thread_count + ENGINES + thread;
}

static inline bool shadow_is_split(const shadow *s, const cell *word) {
  return word->split && word->write_stamp > s->start;
}

#endif
