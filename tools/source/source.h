#ifndef SOURCE_H
#define SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/harness/program/reason.h"

typedef enum {
  TOKEN_WORD, /* a name or a keyword */
  TOKEN_NUMBER,
  TOKEN_STRING, /* or a character in quotes */
  TOKEN_SIGN,   /* an operator, a bracket, a semicolon */
  TOKEN_COMMENT
} token_kind;

typedef struct {
  token_kind kind;
  bool in_directive;     /* of a line that begins with #, and its comments */
  bool begins_directive; /* that # */
  size_t begin, end; /* in the text */
} token;

/* Cuts C, C++ or CUDA text into tokens; `tokens` has room for as many as the
 * text has characters. Returns how many there are. */
int tokens_scan(const char *text, token *tokens);

bool token_is(const char *text, const token *t, const char *what);
bool tokens_alike(const char *text, const token *t, const char *other_text,
                  const token *other);

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

/* The source of a kernel as text with regions, tokens and statements: for
 * programs that find a place in it, change it there, and write the rest as it
 * was. `//> NAME` alone in a line opens a region, `//< NAME` closes it. */

typedef struct {
  const char *name;  /* not ended by a 0 byte: */
  size_t name_length;
  size_t begin, end; /* of the lines from marker to marker */
  size_t inside, inside_end; /* of the lines between them */
} region;

typedef struct {
  char *path, *text;
  size_t length;
  token *tokens;
  int token_count;
  statement *statements;
  int statement_count;
  region *regions;
  int region_count;
  reason why; /* after a function returned false */
} source;

/* Reads a file. Returns false where it can't, or where a region is opened twice
 * or not closed. Free the source either way. */
bool source_read(source *s, const char *path);

/* The same of text that is in memory; it is copied. */
bool source_from_text(source *s, const char *path, const char *text);

void source_free(source *s);

/* Puts 'ENTRY': before the sentence, that of a list. Returns false. */
bool source_blame(source *s, const char *entry);

/* The line, from 1 on, of an offset. */
int source_line(const source *s, size_t offset);

/* The region of that name, or NULL. */
const region *source_region(const source *s, const char *name, size_t length);

/* The innermost region that holds an offset, or NULL. */
const region *source_region_at(const source *s, size_t offset);

/* The path of a stage's kernel.cu, from the root of the tree. */
void kernel_path(char *path, size_t size, const char *stage);

#endif
