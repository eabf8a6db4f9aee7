#ifndef RING_MEASURE_LINK_H
#define RING_MEASURE_LINK_H

#include <jansson.h>

#include "further/stage18_ring/run/run.h"

/* The link between neighbours of the ring. All ranks call these together. */

enum { LINK_SIZES = 8 };

/* By NCCL's send and receive, with as many multiprocessors as the attention
 * leaves it. */
typedef struct {
  double us[LINK_SIZES]; /* of one exchange, by the size of its message */
  json_t *json;          /* owned by the caller */
} link_figures;

link_figures measure_link(ring_run *run, exchange *x);

/* Of a message of any size, between those that were measured. */
double link_us(const link_figures *link, double bytes);

/* By kernels of our own, where all ranks are in one machine; else null. The
 * caller owns the value. */
json_t *measure_own_kernels(ring_run *run);

#endif
