#ifndef RING_BENCH_H
#define RING_BENCH_H

#include "further/stage18_ring/run/run.h"

/* bench: a sample of rows judged, then times. Returns the exit code. */
int run_bench(ring_run *run);

/* Chooses this rank's GPU. False with one sentence where there is none, or
 * where ranks must share one and this NCCL cannot. */
bool bench_device(ring_run *run, reason *why);

#endif
