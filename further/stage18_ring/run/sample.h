#ifndef RING_SAMPLE_H
#define RING_SAMPLE_H

#include "further/stage18_ring/ring/shard.h"

/* A few rows of a rank's output against the reference, where all rows and keys
 * are too many for the harness's gates: the relative RMS error of all samples
 * of all ranks, at most rel_rms_ratio (settings.json) times that of the same
 * arithmetic in the kernel's precision. Rows are spread over heads and
 * positions, the last of each rank with them. */
typedef struct {
  int64_t rows; /* of all ranks */
  double figure, limit;
} sample_result;

/* `o` is this rank's output on the host. All ranks call it together. False with
 * one sentence if memory is short. */
bool sample_judge(const shard *s, const inputs *in, const uint16_t *o,
                  int64_t rows_a_rank, sample_result *result, reason *why);

bool sample_passed(const sample_result *result);

#endif
