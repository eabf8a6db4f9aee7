#ifndef MUTANTS_CALLS_H
#define MUTANTS_CALLS_H

#include "tools/mutants/list.h"

/* Finders of rules about calls; a rule's `where` are patterns of names. */

/* A statement that is nothing but such a call: its `what` is an edit of
 * tools/source/edit.h. It goes up or down past what may touch memory only. */
void find_calls(source *s, const statement *st, const rule *r, mutants *list);

/* `what` begins with the number of an argument, from 1 on, behind which the
 * rest of it comes: "2 + 1". 0 is the template's argument. */
void find_arguments(source *s, const statement *st, const rule *r,
                    mutants *list);

/* atomicAdd(&WORD, NUMBER) as a plain addition. */
void find_atomics(source *s, const statement *st, const rule *r, mutants *list);

#endif
