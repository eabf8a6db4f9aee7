#ifndef SHARED_H
#define SHARED_H

#include "common/simt/run/mechanism.h"

/* Shared memory: found when a launch is prepared, and filled with bytes of ones
 * when a block starts. */
extern mechanism shared_memory;

/* True where all these bytes are shared memory that the launch may use. */
bool shared_allows(const block *b, const void *address, size_t size);

/* Nonzero for the true bytes of variables, by their offset. Null until a launch
 * with checks has been prepared. */
extern uint8_t *shared_map;

#endif
