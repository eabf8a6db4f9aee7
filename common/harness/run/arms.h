#ifndef ARMS_H
#define ARMS_H

#include "common/harness/object/object.h"
#include "common/harness/program/reason.h"
#include "common/harness/run/options.h"

/* Opens the shared libraries that --against names. objects[0] is already the
 * program's own kernel; the others follow it. Returns how many there are now,
 * or 0 with one sentence. The libraries stay open to the program's end. */
int arms_open(const stage_object **objects, const stage_options *options,
              reason *why);

#endif
