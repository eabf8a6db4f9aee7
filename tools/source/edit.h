#ifndef EDIT_H
#define EDIT_H

#include "tools/source/place.h"

/* This text takes the place of what was from begin to end. */
typedef struct {
  size_t begin, end;
  char *text;
} edit;

/* What can be done to a statement, as a list of mistakes says it:
 *   remove         it goes, and its line
 *   empty          a semicolon takes its place, behind the `if` that it has
 *   double         it is there twice
 *   up, down       it changes places with the statement before it, after it
 *   before CODE    this code comes before it, in lines of its own
 *   after CODE     or after it; both also of a region, and its markers
 *   write CODE     this code takes its place
 *   CODE => CODE   one piece of it takes the place of another, which must be
 *                  there once
 * A comment behind the statement goes with it where that is removed, emptied or
 * written anew. \n in CODE begins a new line. Stores at most two edits in
 * `edits` and how many in `count`. Returns false with a sentence in the
 * source's `why`. */
bool edit_read(source *s, const place *at, const char *words, edit edits[2],
               int *count);

/* The text with all edits made, of which none may reach into another; those at
 * one place come in the order of the list. NULL if memory is short. */
char *edits_apply(const source *s, const edit *edits, int count);

void edits_free(edit *edits, int count);

#endif
