#ifndef RING_ATTEND_H
#define RING_ATTEND_H

#include "further/stage18_ring/ring/exchange.h"
#include "further/stage18_ring/ring/shard.h"

/* One rank's attention: parts of it by libfp8attention, merged as they come. */

/* How keys and values get here: round the ring while those at hand are computed
 * with; round the ring, and only between computing; or all at the beginning. */
typedef enum { RING, SERIAL, ALL_GATHER, EXCHANGES } exchange_arm;

/* "ring", "serial", "all-gather". */
const char *exchange_arm_name(exchange_arm arm);

/* How many slots a shard must have for it. */
int exchange_arm_slots(exchange_arm arm, int ranks);

/* Gives `stream` all that leads to s->out and s->lse, together with all other
 * ranks; does not wait for it. `x` is NULL where there is one rank only; marks
 * may be NULL. False with one sentence. */
bool attend(shard *s, exchange *x, exchange_arm arm, cudaStream_t stream,
            marks *m, reason *why);

/* The merge of one block alone, as attend starts it: for its time. */
bool attend_merge(shard *s, const ring_block *b, cudaStream_t stream,
                  reason *why);

#endif
