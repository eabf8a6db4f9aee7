#ifndef GLOBAL_H
#define GLOBAL_H

#include "common/simt/access/pattern.h"

/* Global memory as the blocks of one launch share it: what cudaMalloc has
 * handed out, and the kernel's __device__ variables. All of it does nothing
 * unless the block checks for races. */

/* Before the blocks of a launch run; `blocks` is how many there are. */
void global_prepare(uint64_t blocks);

/* Words of global memory in a row: the number of the one at `address`, and how
 * many there are. */
size_t global_word(uintptr_t address);
size_t global_words(void);

/* A plain access by the lanes of a unit to `size` bytes of one word. */
void global_access(block *b, uint32_t thread, uint32_t pc, uintptr_t address,
                   uint32_t size, bool writes);

/* Around an atomic of the running thread: a launch's go one after the other.
 * Who has fenced before gives away what it has written so far; who comes later
 * takes it. */
void global_atomic_begin(block *b, uintptr_t address, uint32_t size,
                         uint32_t pc);
void global_atomic_end(block *b);

#endif
