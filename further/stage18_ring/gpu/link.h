#pragma once

#include "further/stage18_ring/run.h"

/* Microseconds of what is put on this rank's stream between these two. */
void clock_begin(const ring_run *run);
double clock_end(const ring_run *run, const char *what);

/* The link between neighbours of the ring, by NCCL's send and receive, on so
 * many multiprocessors; 0: NCCL decides. All ranks call it together. */
enum { LINK_SIZES = 8 };
typedef struct {
  double us[LINK_SIZES]; /* of one exchange, by the size of its message */
  double gb_a_second;    /* with the largest message */
  json_t *json;          /* owned by the caller */
} link_figures;

link_figures measure_link(ring_run *run, exchange *x, int multiprocessors);

/* Of a message of any size, between those that were measured. */
double link_us(const link_figures *link, double bytes);
