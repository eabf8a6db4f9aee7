#ifndef MBARRIER_H
#define MBARRIER_H

#include "common/simt/run/mechanism.h"

/* Barriers in shared memory that count arrivals, and the bytes of copies. */
extern mechanism mbarriers;

/* The running thread uses an mbarrier at `pc`: stops the kernel where it is
 * none. */
void mbarrier_check(uint64_t *mbarrier, uint32_t pc);

/* Thread t arrives, without a request of its own. */
void mbarrier_arrive_for(block *b, thread *t, const uint64_t *mbarrier);

/* The engine that makes the copies which count at this mbarrier. Tells of an
 * initialisation that thread t's TMA load at `pc` may not see. */
uint32_t mbarrier_engine(block *b, const thread *t, const uint64_t *mbarrier,
                         uint32_t pc);

#endif
