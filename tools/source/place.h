#ifndef PLACE_H
#define PLACE_H

#include "tools/source/source.h"

/* A place in a source, named so that edits elsewhere don't move it:
 *   REGION               the region, from marker to marker
 *   REGION: CODE         the only statement there that holds this code
 *   REGION: 2nd CODE     the second one; also `last CODE`
 * A lone word as CODE is a function that is called: `load-kv: __syncthreads`.
 * Other code is compared token by token, so that white space, line breaks and
 * comments don't count: `ring: mbarrier_wait(k_full`. `statement` is any
 * statement: `load-kv: 1st statement`. CODE that begins with # is a directive.
 * As REGION, * is the whole file. */
typedef struct {
  const region *region;       /* NULL for the whole file */
  const statement *statement; /* NULL for a whole region */
  size_t begin, end;          /* of the region's lines, or the statement */
} place;

/* Returns false with a sentence in `why` where the name fits nothing in the
 * source, or more than one statement. */
bool place_find(source *s, const char *name, place *found);

/* Whether the statement calls a function of that name. */
bool statement_calls(const source *s, const statement *st, const char *name);

size_t statement_begin(const source *s, const statement *st);
size_t statement_end(const source *s, const statement *st);

/* 1 -> "st", 2 -> "nd" */
const char *ordinal_ending(int n);

/* How the lines lie in which a statement stands. */

/* Where the line begins that holds an offset. */
size_t line_begin(const source *s, size_t offset);

/* The first offset from here on that is no blank. */
size_t skip_blanks(const source *s, size_t offset);

/* Whether nothing else is in the lines from begin to end. */
bool is_alone(const source *s, size_t begin, size_t end);

/* Above the comments and pragmas that belong to a statement. */
size_t begin_with_lead(const source *s, const place *at);

/* Past the comment behind a statement, in its line. */
size_t end_with_comment(const source *s, const place *at);

/* Three texts in a row; every line break in them, also one written \n, is
 * followed by the blanks that the place's statement has before it. NULL if
 * memory is short. */
char *indented(const source *s, const place *at, const char *before,
               const char *code, const char *after);

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
