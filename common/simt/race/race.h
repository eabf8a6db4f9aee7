#ifndef RACE_H
#define RACE_H

#include "common/simt/run/executor.h"

/* Happens-before order, and the accesses that it leaves unordered. All of it
 * does nothing unless the block checks for races. */

void race_prepare(block *b); /* memory for b's number of threads */
void race_release_memory(block *b);

void race_start_block(block *b);
void race_block_barrier(block *b);
void race_warp_sync(block *b, warp *w, uint32_t lanes);

/* A barrier that not all threads share: each thread that arrives adds what it
 * knows to the barrier's clocks, one a thread, each that leaves takes what is
 * there. */
uint32_t *race_barrier_clocks(block *b, uint32_t barrier); /* a named one's */
void race_arrive(block *b, thread *t, uint32_t *clocks);
void race_leave(block *b, thread *t, const uint32_t *clocks);
size_t race_row_size(const block *b); /* of such clocks, in bytes */

/* A cp.async of some thread has landed, as one knows who waits for the mbarrier
 * that the thread arrives at then. */
void race_copy_landed(block *b, const void *address, uint32_t size);

/* The first of `lanes` of warp w that a stamped access by `actor`, a thread or
 * an engine, does not come before; WARP_SIZE where there is none. */
uint32_t race_unordered(const block *b, uint32_t stamp, uint32_t actor,
                        const warp *w, uint32_t lanes);
/* Who has started what an engine does. */
uint32_t race_thread_of(const block *b, uint32_t actor);

/* Thread t starts a TMA load: a write that its mbarrier's engine makes. */
void race_tma_write(block *b, const thread *t, uint32_t pc, uintptr_t address,
                    uint32_t size, uint32_t engine, uint32_t stamp);

/* A warp instruction on shared memory: `count` units of `size` bytes, 4 at
 * most, each with the lanes that touch it. */
typedef struct {
  uint32_t offset; /* from the first address of the instruction */
  uint32_t lanes;
} unit;
void race_check(block *b, warp *w, const instruction *i, uint32_t first,
                uint32_t size, const unit *units, uint32_t count);

#endif
