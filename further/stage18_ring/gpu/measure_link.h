#ifndef RING_MEASURE_LINK_H
#define RING_MEASURE_LINK_H

#include <jansson.h>

#include "further/stage18_ring/run/run.h"

/* The link between neighbours of the ring, by NCCL's send and receive with as
 * many multiprocessors as the attention leaves it, and, where all ranks are in
 * one machine, by kernels of our own. All ranks call it together. */
typedef struct {
  double latency_us, bytes_a_us; /* of NCCL's exchange */
  json_t *json;                  /* owned by the caller */
} link_figures;

link_figures measure_link(ring_run *run, exchange *x);

#endif
