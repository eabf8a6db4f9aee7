#pragma once

#include <stdbool.h>

#include "common/harness/judge/judge.h"
#include "common/harness/launch.h"
#include "common/harness/stage.h"
#include "further/stage18_ring/ranks/ranks.h"
#include "further/stage18_ring/ring/plan.h"

typedef enum { RING_CHECK, RING_RACE, RING_BENCH, RING_FOLDER } ring_verb;

enum { MOST_RINGS = 8 };

typedef struct {
  ring_verb verb;
  stage_options inputs; /* shapes, distributions and seeds */
  unsigned exchanges; /* a bit for each exchange_arm; 0: all */
  int64_t sample;      /* rows of each rank; 0: all, by the harness's gates */
  int multiprocessors[MOST_RINGS]; /* that messages take on a GPU; bench times
                                    * a ring for each, the others take the
                                    * first */
  int ring_count;
  int iters;           /* timed runs; 0: as many as fit into a second or so */
  const char *json, *commit;
} ring_options;

/* One input, with what this rank needs of it: its shard, and on rank 0 the
 * references. All ranks call these functions together. */
typedef struct {
  const check_case *about;
  problem whole; /* empty with a sample */
  inputs in;
  shard share;
  references right; /* of rank 0, where there is no sample */
  uint16_t *o;      /* this rank's output on the host */
  int64_t sample;   /* rows of each rank to judge, 0: all rows */
} ring_case;

/* What all verbs share: where this rank is, what was asked for, the cases. */
typedef struct {
  text_list shapes; /* the verbs' own; grades read them in driver.c, too */
  ring_options options;
  rank_place place;
  device_info device;
  case_list list;
  exchange_arm arms[EXCHANGES];
  int arm_count;
  cudaStream_t stream;
} ring_run;

/* Ends all ranks with one sentence where it cannot. */
void case_new(ring_case *c, const ring_run *run, const check_case *about);
void case_free(ring_case *c);

/* Rank 0 judges the output of the last attend by all gates, and returns 0.
 * Where all rows and keys are too many, all ranks judge a few rows of each
 * rank, spread over heads and positions from its first to its last, and return
 * how many: by the relative RMS error alone, at most rel_rms_ratio
 * (settings.json) times that of the same arithmetic in the kernel's precision.
 * Each row is measured by its own reference, because under a mask the numbers
 * of a late row are a thousand times smaller than those of an early one. */
int64_t case_judge(ring_case *c, check_result *result);

/* Fills list from the options. Returns an exit code, with one sentence if it is
 * not 0. */
int run_cases(ring_run *run, reason *why);

/* The verbs. Return the exit code, the same on all ranks. race is check with
 * the executor's race checks, and messages that come at once and at the end;
 * bench judges a sample of rows, then times. */
int run_check(ring_run *run);
int run_race(ring_run *run);
int run_bench(ring_run *run);

/* One attention by all ranks, waited for. Ends all of them if it fails. */
void run_once(ring_run *run, ring_case *c, exchange *x, exchange_arm arm,
              marks *times);

/* Ends all ranks where CUDA has refused something to this one. */
void run_must(const ring_run *run, cudaError_t error);

/* Rows of each rank to judge where nobody said and all are too many. */
enum { SAMPLE_ROWS = 32 };

/* An exchange that takes so many multiprocessors; NULL for a single rank. Ends
 * all ranks if it fails, also later. Of two that are open, the watchdog looks
 * at the last one. */
exchange *run_exchange(const ring_run *run, exchange_arrival arrival,
                       int multiprocessors);
void run_exchange_end(exchange *x);

/* Chooses this rank's GPU. False with one sentence where there is none, or
 * where ranks must share one and this NCCL cannot. */
bool bench_device(ring_run *run, reason *why);
