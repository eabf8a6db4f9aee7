#ifndef LAB_WARMUP_RUN_H
#define LAB_WARMUP_RUN_H

#include "tools/labs/warmup/matrix.h"

/* Runs the warm-up's kernels that this program is linked with on a matrix; the
 * room for the answers was overwritten before. False with one sentence. */
bool warmup_run(const matrix_case *c, const float *in, float *answers,
                reason *why);

#endif
