#ifndef COUNT_H
#define COUNT_H

#include "common/simt/run/mechanism.h"

/* Adds each warp instruction to the counters of its site. */
extern mechanism counters;

/* Counts how often each basic block of the program is passed. */
extern mechanism arithmetic_counter;

/* An instruction that computes, and the operations of all its executions. */
typedef struct {
  uint32_t pc;
  uint64_t flops;
} arithmetic;

typedef struct {
  arithmetic *entries; /* to be freed by the caller; null where there is none */
  size_t count;
} arithmetic_list;

/* What all OS threads have computed. False where objdump is missing or cannot
 * read this processor's code: then nobody knows. */
bool arithmetic_read(arithmetic_list *list);

#endif
