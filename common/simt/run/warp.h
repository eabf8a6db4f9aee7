#ifndef WARP_H
#define WARP_H

#include "common/simt/run/block.h"

/* Carries out what lanes of a warp have to do together, where all of a mask
 * have come. */
void warp_requests(block *b, warp *w);

#endif
