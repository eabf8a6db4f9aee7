#ifndef COUNT_H
#define COUNT_H

#include "common/simt/run/mechanism.h"

/* Adds each warp instruction to the counters of its site. */
extern mechanism counters;

#endif
