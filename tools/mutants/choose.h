#ifndef MUTANTS_CHOOSE_H
#define MUTANTS_CHOOSE_H

#include "tools/mutants/list.h"

enum { CHOSEN_MOST = 60 };

/* Which mistakes of a stage are built and judged: for each rule one in each
 * region, and of these CHOSEN_MOST at most, evenly spread. Where the stage
 * before has a statement too, token by token, it was judged there, unless the
 * rule is about what puts threads in order. `before` may be NULL. */
void mutants_choose(const source *s, const mutants *list, const source *before,
                    bool *chosen);

#endif
