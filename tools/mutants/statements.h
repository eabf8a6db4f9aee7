#ifndef MUTANTS_STATEMENTS_H
#define MUTANTS_STATEMENTS_H

#include "tools/mutants/list.h"

/* Finders of rules about whole statements, their conditions and loops. */

/* A statement that writes, or calls a function, and declares nothing: an
 * empty one takes its place. */
void find_actions(source *s, const statement *st, const rule *r, mutants *list);

/* The condition of an if or of a choice with ?, unless it is of constants
 * alone. `what` takes its place. */
void find_conditions(source *s, const statement *st, const rule *r,
                     mutants *list);

/* A for loop that begins at 0 and counts up. `what` is "late": it begins with
 * the second; "short": it ends before the last; or "long": it has one more,
 * where the limit is no constant. */
void find_loops(source *s, const statement *st, const rule *r, mutants *list);

#endif
