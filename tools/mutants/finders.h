#ifndef MUTANTS_FINDERS_H
#define MUTANTS_FINDERS_H

#include "tools/mutants/list.h"

/* What rules look for, and what they make of it: as list.h has it. */

/* ---- calls.c; a rule's `where` are patterns of names ---- */

/* A statement that is nothing but such a call: its `what` is an edit of
 * tools/source/edit.h. It goes up or down past what may touch memory only. */
void find_calls(source *s, const statement *st, const rule *r, mutants *list);

/* `what` begins with the number of an argument, from 1 on, behind which the
 * rest of it comes: "2 + 1". 0 is the template's argument. */
void find_arguments(source *s, const statement *st, const rule *r,
                    mutants *list);

/* atomicAdd(&WORD, NUMBER) as a plain addition. */
void find_atomics(source *s, const statement *st, const rule *r, mutants *list);

/* ---- expressions.c: what stands inside statements ---- */

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

/* ---- statements.c: whole statements, their conditions and loops ---- */

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
