#ifndef TIMELINE_TRACE_H
#define TIMELINE_TRACE_H

#include "common/harness/program/reason.h"
#include "tools/timeline/record.h"

/* Writes the first blocks of a recording as DIR/NAME.json, in the format that
 * Chrome and Perfetto read: a process for each block, a thread for each warp.
 * `mhz` is the multiprocessors' clock; 0 on the executor, whose steps are shown
 * as microseconds. Returns false with one sentence if it cannot be written. */
bool trace_write(const recording *r, int blocks, double mhz, const char *dir,
                 const char *name, reason *why);

#endif
