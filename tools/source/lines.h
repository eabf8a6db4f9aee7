#ifndef LINES_H
#define LINES_H

#include "tools/source/place.h"

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
