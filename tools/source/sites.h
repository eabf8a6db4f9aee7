#ifndef SITES_H
#define SITES_H

#include "tools/source/place.h"

/* A statement that is nothing but one call, perhaps behind an if. */
typedef struct {
  const statement *statement;
  const char *callee; /* not ended by a 0 byte: */
  int callee_length;
} site;

/* Lists the calls of functions whose names match one of these patterns of
 * fnmatch (`mbarrier_*`); a NULL ends them. In the order of the text. Returns
 * how many there are, of which the first `room` are stored. */
int sites_find(const source *s, const char *const patterns[], site *found,
               int room);

/* The patterns of all barriers, waits, arrivals, fences and commits: CUDA's,
 * those of common/device, and what kernels call their own. */
extern const char *const synchronising[];

/* The site's name, as place_find reads it: `load-kv: 2nd __syncthreads`. */
void site_name(const source *s, const site *of, char *name, size_t size);

#endif
