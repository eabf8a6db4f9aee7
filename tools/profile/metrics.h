#ifndef PROFILE_METRICS_H
#define PROFILE_METRICS_H

#include <jansson.h>
#include <stdbool.h>

#include "common/harness/program/reason.h"

/* What is asked of the profiler: tools/profile/metrics.list. */

enum { METRICS_MAX = 128 };

typedef struct {
  char key[48], name[96]; /* in the result, and the profiler's */
  bool optional;          /* may be left out where it is not known */
  bool left_out;
} metric;

typedef struct {
  metric all[METRICS_MAX];
  int count;
  bool fewer, bad; /* some were just left out; a line is no metric */
} metric_list;

/* False with one sentence where a line is no metric. */
bool metrics_read(metric_list *list, reason *why);

/* All names that are not left out, with commas between. The caller frees it. */
char *metrics_names(const metric_list *list);

/* Leaves out each optional metric that the profiler's complaints name, and says
 * so. False where they name none that was asked for: it is another fault. */
bool metrics_leave_out(metric_list *list, const char *log);

/* The numbers of the profiler's CSV, {"key": number}: its last columns are the
 * metric's name, its unit and its value, all in quotes. New reference. */
json_t *metrics_json(const metric_list *list, const char *log);

#endif
