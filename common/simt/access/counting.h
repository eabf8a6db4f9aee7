#ifndef COUNTING_H
#define COUNTING_H

#include "common/simt/run/executor.h"
#include "common/simt/race/race.h"

enum { MAX_UNITS = 128 }; /* 32 lanes of 16 bytes */

/* What the addresses of a warp instruction look like, relative to the first
 * one. An instruction in a loop mostly repeats its pattern, and then the
 * figures need not be computed again. */
typedef struct {
  uint32_t lanes, phase;
  int64_t relative[WARP_SIZE];
  uint32_t first; /* a lane of `lanes` */
  uint32_t wavefronts, wavefronts_ideal, sectors, sectors_ideal;
  uint32_t unit_size, unit_count;
  unit units[MAX_UNITS];
} pattern;

/* One operation at one program counter. */
typedef enum {
  SITE_MEMORY,
  SITE_BARRIER,
  SITE_SYNCWARP,
  SITE_SHUFFLE,
  SITE_TENSOR,
  SITE_WGMMA,
  SITE_TMA
} site_kind;

typedef struct site {
  access_key key; /* for SITE_MEMORY; else its pc only */
  site_kind kind;
  simt_counters counters;
  pattern pattern;
} site;

/* Finds the site of this OS thread, or makes it. */
site *site_find(block *b, site_kind kind, access_key key);

/* Counts an operation that is not about memory; null unless counting. */
simt_counters *site_counters(block *b, site_kind kind, uint32_t pc);

const pattern *pattern_find(site *s, const instruction *i);
void count_instruction(site *s, const instruction *i, const pattern *p);

#endif
