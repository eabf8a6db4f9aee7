#ifndef RACE_H
#define RACE_H

#include "common/simt/run/mechanism.h"

/* Accesses to shared memory that nothing puts in order. All of it does nothing
 * unless the block checks for races. */
extern mechanism race_check;

/* A cp.async of some thread has landed, as one knows who waits for the mbarrier
 * that the thread arrives at then. */
void race_copy_landed(block *b, const void *address, uint32_t size);

/* Thread t starts a TMA load: a write that its mbarrier's engine makes. The
 * size is a multiple of 4 bytes. */
void race_tma_write(block *b, const thread *t, uint32_t pc, uintptr_t address,
                    uint32_t size, uint32_t engine, uint32_t stamp);

#endif
