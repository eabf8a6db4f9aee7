#ifndef OPERANDS_H
#define OPERANDS_H

#include "common/simt/run/executor.h"

/* Registers that products of a warpgroup work on: variables of the thread, of
 * which the traced build sees each access. Nothing here happens unless the
 * block tracks operands. */

typedef enum {
  OPERAND_ACCUMULATOR = 1, /* nobody may read or write it */
  OPERAND_A                /* nobody may write it */
} operand_use;

/* An access of the running thread to its own memory. */
void operands_access(block *b, uintptr_t address, uint32_t size,
                     access_kind kind, uint32_t pc);

/* wgmma_fence: what the thread has used until now is known to be ready. */
void operands_fence(block *b, thread *t);

/* A product at `pc` takes `words` words, or gives them back. */
void operands_take(block *b, thread *t, const void *operand, uint32_t words,
                   operand_use use, uint32_t pc);
void operands_give_back(block *b, thread *t, const void *operand,
                        uint32_t words);

/* The place of an access to these words since the fence; 0 where there is
 * none. */
uint32_t operands_unfenced(const block *b, const thread *t,
                           const void *operand, uint32_t words);

void operands_release_memory(thread *t);

#endif
