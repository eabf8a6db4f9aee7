#ifndef DRAW_H
#define DRAW_H

#include "tests/runner/unit.h"

/* What grows with the number of stages would not end in time: of a script that
 * says so, check-all takes a few runs only. Those come first whose folder the
 * last commit or the reader has changed; then a seed decides, SEED or else the
 * name of the last commit. `make check-more` runs all of them. */

/* Is a unit of this list among those? */
bool draw_takes(const unit_list *units, const unit *one);

/* What the drawing hangs on, as a reader would set it. */
const char *draw_seed(void);

#endif
