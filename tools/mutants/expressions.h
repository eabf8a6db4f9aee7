#ifndef MUTANTS_EXPRESSIONS_H
#define MUTANTS_EXPRESSIONS_H

#include "tools/mutants/list.h"

/* Finders of rules about what stands inside statements. */

/* A value that is used, not declared or written: each of `where` is a pattern
 * of tokens with blanks between them. An index behind it belongs to it. `what`
 * takes its place, where %s stands for it. */
void find_values(source *s, const statement *st, const rule *r, mutants *list);

/* A sign between two operands, one of `where`; `what` takes its place. Not in
 * the head of a for loop. */
void find_operators(source *s, const statement *st, const rule *r,
                    mutants *list);

/* A sign, one of `where`, with a number behind it, which becomes twice that. */
void find_numbers(source *s, const statement *st, const rule *r, mutants *list);

/* The first number of elements of a __shared__ array. `what` follows it. */
void find_arrays(source *s, const statement *st, const rule *r, mutants *list);

#endif
