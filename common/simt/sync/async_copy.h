#ifndef ASYNC_COPY_H
#define ASYNC_COPY_H

#include "common/simt/run/mechanism.h"

/* cp.async. */
extern mechanism async_copies;

#endif
