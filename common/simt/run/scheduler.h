#ifndef SCHEDULER_H
#define SCHEDULER_H

#include "common/simt/run/block.h"

/* Runs all threads of the block, until they have returned or b->error is set.
 */
void scheduler_run(block *b);

#endif
