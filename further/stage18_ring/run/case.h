#ifndef RING_CASE_H
#define RING_CASE_H

#include "common/harness/judge/check.h"
#include "further/stage18_ring/run/sample.h"

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

/* Ends all ranks with one sentence where it cannot. */
void case_new(ring_case *c, const check_case *about, int64_t sample, int rank,
              int ranks, int slots);
void case_free(ring_case *c);

/* The output of the last attend, judged; the verdict is rank 0's. */
void case_judge(ring_case *c, check_result *result, sample_result *sampled);

#endif
