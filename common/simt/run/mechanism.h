#pragma once

/* One row of the executor's table (executor.c): an instruction or a family of
 * them, a kind of memory, or a check. The scheduler knows rows only. A row has
 * the functions that it needs and leaves out the others; where several rows
 * have one, they are called in the order of the table. */

#include "common/simt/run/block.h"

struct instruction;
struct pattern;
struct site;

struct mechanism {
  const char *name; /* where a thread waits, unless waits_in says more: */
  const char *const *waits_in; /* by operation */
  uint32_t number;  /* in the table: see mechanism_state */
  size_t state_size; /* what it keeps of a block: zeros at first */

  /* ---- a block's life ---- */

  /* An OS thread is about to run blocks of a launch. */
  void (*prepare)(block *b);
  void (*start_block)(block *b);
  void (*thread_exit)(block *b, thread *t);
  /* All threads have returned, or b->error has ended it. */
  void (*end_block)(block *b);
  void (*clear)(block *b);

  /* ---- what threads ask for ---- */

  /* A thread has filed a request. Makes it ready to run again, or sets `filed`
   * and does so later. */
  void (*carry_out)(block *b, thread *t);
  /* In place of carry_out, for what a warp does together: all `lanes` of a mask
   * have filed the same request. The caller makes them ready. */
  void (*carry_out_together)(block *b, warp *w, uint32_t lanes);
  bool whole_warp; /* and that mask must have all lanes */
  /* What a thread with this request waits for, in more words: of this
   * variable, in its present state. */
  void (*describe)(const block *b, const request *r, char *text, size_t size);
  /* Nobody can go on: adds to the finding what else is known of it. */
  void (*explain)(block *b, finding *f);

  /* ---- what others tell of ---- */

  /* The lanes of a warp have stopped. True where those that can must run again,
   * for what they did goes together with what they will do. */
  bool (*warp_stopped)(block *b, warp *w);
  void (*block_barrier)(block *b);
  /* A thread waits for this mbarrier: copies that count there land now, and
   * what they tell goes to its clocks. Returns their bytes. */
  uint32_t (*land)(block *b, const uint64_t *mbarrier, uint32_t *clocks);
  /* A signal has stopped thread t anywhere, and the block will end: returns a
   * place of the kernel that t has passed lately, or 0. */
  uint32_t (*interrupted)(block *b, thread *t);

  /* ---- what checks look at, where a block makes these ---- */

  unsigned checks; /* SIMT_RACES, SIMT_COUNTS */
  /* A warp instruction on shared memory, or any that is counted. */
  void (*instruction)(block *b, warp *w, const struct instruction *i,
                      struct site *s, const struct pattern *p);
  /* The running thread's access to memory of its own, while block.watches_own
   * is set. */
  void (*own_access)(block *b, uintptr_t address, uint32_t size, bool writes,
                     uint32_t pc);
};

static inline void *mechanism_state(const block *b, const mechanism *m) {
  return b->states[m->number];
}

/* "a shuffle": where a thread with this request waits. */
static inline const char *mechanism_waits_in(const request *r) {
  if (r->kind != REQUEST_CARRY_OUT) return r->spins_in;
  return r->to->waits_in ? r->to->waits_in[r->operation] : r->to->name;
}

#define FOR_EACH_MECHANISM(b, function, ...)                                   \
  for (mechanism *const *m = (b)->mechanisms; *m; m++)                         \
    if ((*m)->function) (*m)->function(__VA_ARGS__)
