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

#endif
