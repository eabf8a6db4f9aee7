#pragma once

#include "common/simt/access/access.h"
#include "common/simt/memory/memory.h"

/* ---- cells, and what threads know of each other ---- */

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
 * warps read has a list: the first entry lies in its cell. Who has stored the
 * same value as its latest writer, with no order between them, is there too. */
typedef struct {
  uint32_t stamp, lanes, pc;
  /* more: the next one's index, 0 at the end */
  uint32_t more : 22, wrote : 1, is_volatile : 1, warp : 8;
} reader;

typedef struct {
  uint32_t write_stamp, write_pc;
  uint32_t value;  /* of a thread's store, where that is known */
  uint16_t writer; /* thread or engine */
  bool is_known : 1;
  bool in_flight : 1; /* the write is a cp.async that nobody has waited for */
  bool is_atomic : 1, is_volatile : 1;
  bool released : 1; /* a volatile store, after a fence */
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
  uint32_t row_length, row_used; /* columns: see shadow.c */
  uint32_t *scratch;
  uint32_t fenced[MAX_THREADS]; /* see proxy.c */
  uint32_t verified[MAX_WARPGROUPS][MAX_ACTORS];
  uint32_t engine_thread[ENGINES], engine_done[ENGINES];
  cells shared, global;
  reader *readers;
  uint32_t reader_count, reader_capacity, free_reader;
} shadow;

shadow *shadow_create(size_t shared_size, uint32_t threads);
/* Room for so many words of global memory. */
void shadow_set_global(shadow *s, size_t words);
void shadow_destroy(shadow *s); /* or null */

/* To a cell that has readers since the latest barrier. */
void shadow_add_to_readers(shadow *s, cell *c, reader fresh, const warp *w);
void shadow_free_readers(shadow *s, uint32_t first);

/* The cells of a word's bytes, which from now on hold instead of its own. */
cell *shadow_split(shadow *s, cells *of, size_t word);
/* All four bytes have just been written at once: one cell is enough again. */
void shadow_join(cells *of, size_t word);

/* What `thread`, or the barrier after the last thread, knows of each thread. */
static inline uint32_t *shadow_clocks(shadow *s, uint32_t thread) {
  return s->clocks + (size_t)thread * s->row_length;
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
  return actor < MAX_THREADS ? actor : b->thread_count + actor - MAX_THREADS;
}

/* and of a thread's writes that a fence has shown to the engines. */
static inline uint32_t shadow_fenced_column(const block *b, uint32_t thread) {
  return b->thread_count + ENGINES + thread;
}

static inline bool shadow_is_split(const shadow *s, const cell *word) {
  return word->split && word->write_stamp > s->start;
}

static inline void clocks_join(uint32_t *into, const uint32_t *from,
                               uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    if (from[i] > into[i]) into[i] = from[i];
}

/* ---- happens-before order. All below does nothing unless the block checks for
 * races ---- */

void order_start_block(block *b);
void order_block_barrier(block *b);
void order_warp_sync(block *b, warp *w, uint32_t lanes);

/* A barrier that not all threads share: each thread that arrives adds what it
 * knows to the barrier's clocks, one a thread, each that leaves takes what is
 * there. */
/* A named one's; of BARRIERS more, those of its latest use. */
uint32_t *order_barrier_clocks(block *b, uint32_t barrier);
void order_arrive(block *b, const thread *t, uint32_t *clocks);
void order_leave(block *b, const thread *t, const uint32_t *clocks);
size_t order_row_size(const block *b); /* of such clocks, in bytes */

/* The first of `lanes` of warp w that a stamped access by `actor`, a thread or
 * an engine, does not come before; WARP_SIZE where there is none. */
uint32_t order_unordered(const block *b, uint32_t stamp, uint32_t actor,
                         const warp *w, uint32_t lanes);

/* Who has started what an engine does. */
uint32_t order_thread_of(const block *b, uint32_t actor);

void flags_fence(block *b, const thread *t); /* see race.c */

/* Accesses to shared memory that nothing puts in order. */
extern mechanism race_check;

/* A cp.async of some thread has landed, as one knows who waits for the mbarrier
 * that the thread arrives at then. */
void race_copy_landed(block *b, const void *address, uint32_t size);

/* Thread t starts a TMA load: a write that its mbarrier's engine makes. The
 * size is a multiple of 4 bytes. */
void race_tma_write(block *b, const thread *t, uint32_t pc, uintptr_t address,
                    uint32_t size, uint32_t engine, uint32_t stamp);

/* A product of the warpgroup reads a part of a tile; `check` where it has just
 * been issued. */
void product_reads(block *b, uint32_t warpgroup, uint32_t pc, uint32_t stamp,
                   const tile_part *part, bool check);
/* A TMA store of thread t reads bytes, a multiple of 16. */
void store_reads(block *b, const thread *t, uint32_t pc, uint32_t engine,
                 uint32_t stamp, uintptr_t address, uint32_t size, bool check);

/* Shared memory as wgmma and TMA see it: through the asynchronous proxy, at any
 * time between the instruction and the wait for it. */
extern mechanism proxy_check;

/* A new stamp for what an engine starts to do for thread `t`. */
uint32_t proxy_start(block *b, uint32_t engine, const thread *t);
/* Who has these clocks, or will leave a barrier with them, has waited for what
 * the engine did until `stamp`. */
void proxy_tell(block *b, uint32_t *clocks, uint32_t engine, uint32_t stamp);

void proxy_fence(block *b, const thread *t);
/* Tells of a missing fence after the cell's write, as far as `count` threads
 * from `first` know. True where there is none missing. */
bool proxy_check_fence(block *b, uint32_t first, uint32_t count, uint32_t pc,
                       uintptr_t address, const cell *c, const char *what);
/* True where all of them know that writer and fence are done. */
bool proxy_is_fenced(const block *b, uint32_t first, uint32_t count,
                     uint32_t writer, uint32_t stamp);

/* Global memory as the blocks of one launch share it: what cudaMalloc has
 * handed out, and the kernel's __device__ variables. */

/* Before the blocks of a launch run; `blocks` is how many there are. */
void global_prepare(uint64_t blocks);

/* Words of global memory in a row: the number of the one at `address`, and how
 * many there are. */
size_t global_word(uintptr_t address);
size_t global_words(void);

/* An access by the lanes of a unit to `size` bytes of one word. */
typedef struct {
  uint32_t thread, pc, size;
  uintptr_t address;
  bool writes, is_volatile;
  bool is_known; /* all lanes store the same: this, in its place in the word */
  uint32_t value;
} global_visit;
void global_access(block *b, const global_visit *v);
void global_start_block(block *b);
void global_fence(block *b, const thread *t);
void global_block_barrier(block *b);
extern bool global_is_coarse; /* a launch had too many blocks for exact order */

/* Around an atomic of the running thread: a launch's go one after the other.
 * Who has fenced before gives away what it has written so far; who comes later
 * takes it. */
void global_atomic_begin(block *b, uintptr_t address, uint32_t size,
                         uint32_t pc);
void global_atomic_end(void);

/* What streams and the host do to memory, and in which order. */

enum { STREAM_HOST, STREAM_DEFAULT, MAX_STREAMS = 64 };
extern bool streams_overflowed; /* too many streams or operations */
/* A number for a new stream; blocking: it and the default one wait. */
uint32_t streams_new(bool blocking);

/* An operation begins in the stream: what is accessed from now on is its. The
 * name stays valid. */
void streams_begin(uint32_t stream, const char *name);
/* The host has waited for the stream, or for all. */
void streams_done(uint32_t stream);
void streams_all_done(void);
/* What the stream has done so far, to `clock` of MAX_STREAMS numbers; and a
 * stream, or the host, that has waited for it. */
void streams_record(uint32_t stream, uint32_t *clock);
void streams_learn(uint32_t actor, const uint32_t *clock);

/* A part of one word, by a thread of the operation, a kernel. */
void streams_access(block *b, uint32_t thread, uint32_t pc, uintptr_t address,
                    uint32_t size, bool writes, bool atomic);
/* Memory of any size, by the operation, a copy; and by the host itself. */
void streams_range(uint32_t pc, const void *memory, size_t size, bool writes);
void streams_host_access(uint32_t pc, const void *memory, size_t size,
                         bool writes);
