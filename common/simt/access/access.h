#ifndef ACCESS_H
#define ACCESS_H

#include "common/simt/access/instruction.h"

/* An access of the running thread at `pc`. Stops the kernel where it may not do
 * that. True where the access is one to file: to shared or global memory, and
 * the block makes checks. */
bool access_check(block *b, const void *address, uint32_t size,
                  access_kind kind, uint32_t pc);

/* The same, and files it. */
void access_file(block *b, const void *address, uint32_t size,
                 access_kind kind, uint32_t pc);

#endif
