#ifndef STATEMENTS_H
#define STATEMENTS_H

#include "tools/source/tokens.h"

typedef enum {
  STATEMENT_PLAIN,    /* up to its semicolon, with an if or for before it */
  STATEMENT_HEAD,     /* up to the brace that opens a block */
  STATEMENT_DIRECTIVE /* a line that begins with # */
} statement_kind;

typedef struct {
  statement_kind kind;
  int first, last; /* tokens */
  int core;        /* the first token behind `if (...)`, `for (...)`, `else` */
} statement;

/* Finds the statements among tokens, in order; `found` has room for as many as
 * there are tokens. A block's own statements are listed apart from its head.
 * Braces need not be balanced: #if may open a block that another one closes.
 * Returns how many there are, or -1 if memory is short. */
int statements_find(const char *text, const token *tokens, int count,
                    statement *found);

#endif
