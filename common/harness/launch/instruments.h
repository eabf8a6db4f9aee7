#ifndef TRACE_H
#define TRACE_H

#include <jansson.h>

#include "common/harness/run/cases.h"
#include "common/harness/object/object.h"

/* The executor's instruments. In a GPU program, or one built without
 * instrumentation, trace_ready says so in one sentence. */
bool trace_ready(char *why, size_t why_size);

/* Runs the kernel on one case with the race checks on; prints each finding
 * with its source lines. Returns 0, 1 if there was one, 3 with one sentence. */
int trace_race(const stage_object *object, const check_case *c, char *why,
               size_t why_size);

/* Runs the kernel on one case with the counters on; prints them by source line
 * and adds an entry to `counters`. Returns 0, or 3 with one sentence. */
int trace_count(const stage_object *object, const check_case *c,
                json_t *counters, char *why, size_t why_size);

#endif
