#ifndef BARRIER_H
#define BARRIER_H

#include "common/simt/run/mechanism.h"

/* __syncthreads and its kin; bar.sync and bar.arrive. */
extern mechanism barriers;

#endif
