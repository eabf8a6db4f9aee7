#ifndef OPERANDS_H
#define OPERANDS_H

#include "common/simt/run/mechanism.h"

/* Registers that products of a warpgroup work on: variables of the thread, of
 * which the instrumented build sees each access. */
extern mechanism operand_check;

/* The block uses a warpgroup. Where it checks for races, operands are looked at
 * from now on until its end; else nothing below happens. */
void operands_watch(block *b);

typedef enum {
  OPERAND_ACCUMULATOR = 1, /* nobody may read or write it */
  OPERAND_A                /* nobody may write it */
} operand_use;

/* wgmma_fence: what the thread has used until now is known to be ready. */
void operands_fence(block *b, const thread *t);

/* A product at `pc` takes `words` words, or gives them back. */
void operands_take(block *b, const thread *t, const void *operand,
                   uint32_t words, operand_use use, uint32_t pc);
void operands_give_back(block *b, const thread *t, const void *operand,
                        uint32_t words);

/* The place of an access to these words since the fence; 0 where there is
 * none. */
uint32_t operands_unfenced(const block *b, const thread *t, const void *operand,
                           uint32_t words);

#endif
