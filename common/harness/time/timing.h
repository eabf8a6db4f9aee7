#ifndef TIMING_H
#define TIMING_H

#include <stdbool.h>
#include <stddef.h>

#include "common/harness/object/object.h"
#include "common/harness/program/reason.h"
#include "common/harness/time/samples.h"

/* GPU only: gpu/timing.c. */

typedef struct {
  int warmup, timed;  /* launches */
  bool flush_l2;      /* overwrite the L2 cache before each launch */
} timing_options;

/* One arm's times at one shape. */
typedef struct {
  samples event; /* one launch between two CUDA events */
  samples graph; /* one launch of a replayed CUDA graph of GRAPH_LAUNCHES */
} arm_timing;

enum { GRAPH_LAUNCHES = 20, NOISE_BATCHES = 10 };

/* Times all arms in turn: each round launches every arm once, and the next
 * round starts with the next arm. timings[i] belongs to arms[i]. The arguments
 * must have passed the gates. On failure returns false with one sentence. */
bool timing_run(launch_function *const *arms, int arm_count,
                const attention_args *args, const timing_options *options,
                arm_timing *timings, reason *why);
void timing_free(arm_timing *timing);

/* The kernel that does nothing (common/device/interface/empty_kernel.cu). */
cudaError_t empty_launch(const attention_args *args, cudaStream_t stream);

#endif
