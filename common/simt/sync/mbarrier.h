#ifndef MBARRIER_H
#define MBARRIER_H

#include "common/simt/run/flaws.h"

/* The engine that makes the copies which count at this mbarrier. Tells of an
 * initialisation that thread t's TMA load at `pc` may not see. */
uint32_t mbarrier_engine(block *b, const thread *t, const uint64_t *address,
                         uint32_t pc);

/* Adds to a deadlock the name of an mbarrier that threads wait for, and what
 * its phase lacks. */
void mbarrier_name_culprit(block *b, flaw *f);

#endif
