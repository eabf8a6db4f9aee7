#ifndef TIMELINE_SUMMARY_H
#define TIMELINE_SUMMARY_H

#include <jansson.h>
#include <stdio.h>

#include "tools/timeline/record.h"

/* What one launch shows, by role: warps that multiply and warps that do not.
 * Cycles and shares only where `is_time`: the executor's steps are none. New
 * reference; NULL if memory is short. */
json_t *summary_json(const recording *r, bool is_time);

/* The share of the producers' working time, in percent, in which a consumer of
 * their block works too; NAN where there are no producers. */
double summary_overlap(const recording *r);

/* Two steps in the middle of the block whose time is the median: what a drawing
 * shows. New reference. */
json_t *summary_drawing(const recording *r);


bool is_waiting(int phase);
bool is_producer(const recording *r, int block, int warp);

#endif
