#ifndef TMA_H
#define TMA_H

#include "common/simt/run/mechanism.h"

/* TMA loads, and fence_async_proxy. */
extern mechanism tma_loads;

#endif
