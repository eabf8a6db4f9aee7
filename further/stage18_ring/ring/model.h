#ifndef RING_MODEL_H
#define RING_MODEL_H

#include "further/stage18_ring/ring/plan.h"

/* How long a ring takes, from what was measured: the attention of one card, the
 * merge, and the link. A rank goes on to the next step when it has computed and
 * the next keys are there; an exchange begins when both sides have computed the
 * step before. */

typedef struct {
  double one_card_us;    /* all of the attention on one card */
  double merge_row_ns;   /* a merge, by rows of all heads */
  double message_row_bytes, message_bytes; /* by rows, and whatever the rows */
  double latency_us, bytes_a_us;           /* of a link within a machine */
  double network_latency_us, network_bytes_a_us; /* of one between them */
  int ranks_a_machine;
  double slowdown; /* of computing while messages are under way, 1 or more */
} model_input;

/* Microseconds until the last rank is done; NAN if memory is short. */
double model_ring_us(const model_input *in, const ring_plan *plan);

#endif
