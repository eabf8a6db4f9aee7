#ifndef PATTERN_H
#define PATTERN_H

#include "common/simt/access/instruction.h"

enum { MAX_UNITS = 128 }; /* 32 lanes of 16 bytes */

/* A word, or a part of one, and the lanes that touch it. */
typedef struct {
  uint32_t offset; /* from the first address of the instruction */
  uint32_t lanes;
} unit;

/* What the addresses of a warp instruction look like, relative to the first
 * one, and what banks and sectors make of them. */
typedef struct pattern {
  uint32_t lanes, phase;
  int64_t relative[WARP_SIZE];
  uint32_t first; /* a lane of `lanes` */
  uint32_t wavefronts, wavefronts_ideal, sectors, sectors_ideal;
  uint32_t unit_size, unit_count; /* bytes: 4 at most */
  unit units[MAX_UNITS];
} pattern;

/* Makes *p the instruction's. In a loop it mostly is already, and then the
 * figures need not be computed again. */
const pattern *pattern_find(pattern *p, const instruction *i);

#endif
