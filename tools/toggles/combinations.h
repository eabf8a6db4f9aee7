#ifndef TOGGLES_COMBINATIONS_H
#define TOGGLES_COMBINATIONS_H

#include "tools/toggles/declared.h"

/* One value for each toggle of a layer, as indices: 0 is the default, then
 * the others as declared. */
typedef struct {
  const toggle_list *list;
  const char *layer;
  int chosen[TOGGLES_MAX];
} combination;

/* The first: all defaults. Toggles that only print (DEBUG_) stay at theirs. */
void combination_first(combination *c, const toggle_list *list,
                       const char *layer);

/* The next, the last toggle changing fastest; false behind the last. */
bool combination_next(combination *c);

/* Puts the layer's values into an arm, in place of what it says of them: in
 * the order of the kernel, without defaults. */
void combination_apply(const combination *c, arm *a);

#endif
