#ifndef INSTRUMENTS_H
#define INSTRUMENTS_H

#include <jansson.h>

#include "common/harness/object/object.h"
#include "common/harness/problem/check_case.h"
#include "common/harness/program/reason.h"

/* The executor's instruments. In a GPU program, or one built without
 * instrumentation, instruments_ready says so in one sentence. */
bool instruments_ready(reason *why);

/* Runs the kernel on one case with the race checks on, in one order of warps
 * and blocks after another, or only in `order` where that is not NULL:
 * "forward", "backward" or a seed; and where the case names no number of
 * multiprocessors and the kernel asks for it, with one of settings.json's after
 * another; until there are findings. Prints each with its source lines. Returns
 * 0, 1 if there was one, 3 with one sentence. */
int instruments_race(const stage_object *object, const check_case *c,
                     const char *order, reason *why);

/* Runs the kernel on one case with the counters on; prints them by source line
 * and adds an entry to `counters`. Returns 0, or 3 with one sentence. */
int instruments_count(const stage_object *object, const check_case *c,
                      json_t *counters, reason *why);

#endif
