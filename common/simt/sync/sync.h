#pragma once

#include "common/simt/run/mechanism.h"

extern mechanism async_copies;

extern mechanism barriers;

extern mechanism fences; /* __threadfence */

extern mechanism collectives, active_lanes;

/* The running thread waits with a request for the lanes of its mask. Returns
 * the result. */
static inline uint64_t collective_meet(request r) {
  block *b = simt_here;
  const thread *t = b->running;
  if (!(r.warp.mask >> t->lane & 1))
    BLOCK_REFUSE(b, SIMT_WARP_MASK, cudaErrorIllegalInstruction, r.pc,
                 "lane %u is not in the mask %08x that it names", t->lane,
                 r.warp.mask);
  r.kind = REQUEST_CARRY_OUT;
  return block_ask(b, r);
}

/* Barriers in shared memory that count arrivals, and the bytes of copies. */
extern mechanism mbarriers;

/* The running thread uses an mbarrier at `pc`: stops the kernel where it is
 * none. */
void mbarrier_check(uint64_t *mbarrier, uint32_t pc);

/* Its phase waits for one arrival more than it was initialised with. */
void mbarrier_await_one_more(uint64_t *mbarrier);

void mbarrier_arrive_for(block *b, thread *t, const uint64_t *mbarrier);

/* The engine that makes the copies which count at this mbarrier. Tells of an
 * initialisation that thread t's TMA load at `pc` may not see. */
uint32_t mbarrier_engine(block *b, const thread *t, const uint64_t *mbarrier,
                         uint32_t pc);
/* One for what thread t starts that counts at none. */
uint32_t mbarrier_new_engine(block *b, const thread *t);
