#ifndef ORDER_H
#define ORDER_H

/* Happens-before order. All of it does nothing unless the block checks for
 * races. */

#include "common/simt/race/shadow.h"

void order_start_block(block *b);
void order_block_barrier(block *b);
void order_warp_sync(block *b, warp *w, uint32_t lanes);

/* A barrier that not all threads share: each thread that arrives adds what it
 * knows to the barrier's clocks, one a thread, each that leaves takes what is
 * there. */
uint32_t *order_barrier_clocks(block *b, uint32_t barrier); /* a named one's */
/* What those knew who met at its latest use. */
uint32_t *order_barrier_ended(block *b, uint32_t barrier);
void order_arrive(block *b, const thread *t, uint32_t *clocks);
void order_leave(block *b, const thread *t, const uint32_t *clocks);
/* Whether t knows of the latest arrival of thread `other` in these clocks. */
bool order_knows(const block *b, const thread *t, uint32_t other,
                 const uint32_t *clocks);
size_t order_row_size(const block *b); /* of such clocks, in bytes */

/* The first of `lanes` of warp w that a stamped access by `actor`, a thread or
 * an engine, does not come before; WARP_SIZE where there is none. */
uint32_t order_unordered(const block *b, uint32_t stamp, uint32_t actor,
                         const warp *w, uint32_t lanes);

/* Who has started what an engine does. */
uint32_t order_thread_of(const block *b, uint32_t actor);

#endif
