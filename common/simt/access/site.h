#ifndef SITE_H
#define SITE_H

#include "common/simt/access/pattern.h"
#include "common/simt/simt.h"

/* One operation at one program counter. */
typedef enum {
  SITE_MEMORY,
  SITE_BARRIER,
  SITE_SYNCWARP,
  SITE_SHUFFLE,
  SITE_TENSOR,
  SITE_WGMMA,
  SITE_TMA,
  SITE_ASYNC_WAIT
} site_kind;

typedef struct site {
  access_key key; /* for SITE_MEMORY; else its pc only */
  site_kind kind;
  simt_counters counters;
  pattern pattern;
} site;

/* All sites of an OS thread: a hash table, null where a slot is empty. */
typedef struct sites {
  site **slots;
  uint32_t capacity, count;
} sites;

/* Finds the site of this OS thread, or makes it. */
site *site_find(block *b, site_kind kind, access_key key);

/* Counts an operation that is not about memory; null unless counting. */
simt_counters *site_counters(block *b, site_kind kind, uint32_t pc);

/* Forgets all of this OS thread. */
void sites_clear(block *b);

#endif
