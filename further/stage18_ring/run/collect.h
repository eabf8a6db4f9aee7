#ifndef RING_COLLECT_H
#define RING_COLLECT_H

#include "further/stage18_ring/ring/shard.h"

/* Rank 0 gets the outputs of all ranks, `own` of each, as one tensor: fp16
 * bits, [batch][heads][S][D], NaN where no rank has the row; to be freed. The
 * others get NULL. All ranks call it together; it ends them where memory is
 * short. */
uint16_t *collect_output(const shard *s, const uint16_t *own);

/* How many numbers of the output are a rank's. */
size_t collect_elements(const shard *s, int rank);

#endif
