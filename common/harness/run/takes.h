#ifndef TAKES_H
#define TAKES_H

#include "common/device/interface/attention.h"
#include "common/harness/problem/shape.h"
#include "common/harness/program/reason.h"

/* Does a kernel with this support take the shape `name`? If not, false with one
 * sentence, whose subject is `who`: "This stage". */
bool takes_shape(const attention_support *support, const char *who,
                 const attention_shape *shape, const char *name, reason *why);

#endif
