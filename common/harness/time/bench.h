#ifndef BENCH_H
#define BENCH_H

#include <jansson.h>

#include "common/harness/problem/check_case.h"
#include "common/harness/program/reason.h"
#include "common/harness/time/timing.h"

enum { ARMS_MAX = 32 };

/* settings.json's launches; `iters`, if not 0, in place of the timed ones. */
timing_options bench_options(int iters, bool flush_l2);

/* Times the kernels at each shape of the list, prints a table, and adds one
 * entry for each shape to perf[i], the perf section of objects[i]. Call it only
 * with kernels that passed their gates. Returns 0, or 3 with one sentence. */
int bench_run(const stage_object *const *objects, int object_count,
              const case_list *list, const timing_options *options,
              json_t **perf, reason *why);

#endif
