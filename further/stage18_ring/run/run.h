#ifndef RING_RUN_H
#define RING_RUN_H

#include "common/harness/device/device.h"
#include "further/stage18_ring/run/case.h"
#include "further/stage18_ring/run/options.h"
#include "further/stage18_ring/ranks/ranks.h"

/* What all verbs share: where this rank is, what was asked for, the cases. */
typedef struct {
  ring_options options;
  rank_place place;
  device_info device;
  case_list list;
  exchange_arm arms[EXCHANGES];
  int arm_count;
  cudaStream_t stream;
} ring_run;

/* Fills list from the options, or with the verb's own shapes. Returns an exit
 * code, with one sentence if it is not 0. */
int run_cases(ring_run *run, reason *why);

/* check and race. Returns the exit code, the same on all ranks. */
int run_check(ring_run *run);
int run_race(ring_run *run);

/* One attention by all ranks, waited for. Ends all of them if it fails. */
void run_once(ring_run *run, ring_case *c, exchange *x, exchange_arm arm,
              marks *times);

/* Rows of each rank to judge where nobody said: 0 means all. */
int64_t run_sample(const ring_run *run, const attention_shape *shape);

/* An exchange that takes so many multiprocessors; NULL for a single rank. Ends
 * all ranks if it fails, also later. Of two that are open, the watchdog looks
 * at the last one. */
exchange *run_exchange(const ring_run *run, exchange_arrival arrival,
                       int multiprocessors);
void run_exchange_end(exchange *x);

#endif
