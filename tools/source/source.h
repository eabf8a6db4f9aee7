#ifndef SOURCE_H
#define SOURCE_H

/* The source of a kernel as text with regions, tokens and statements: for
 * programs that find a place in it, change it there, and write the rest as it
 * was. `//> NAME` alone in a line opens a region, `//< NAME` closes it. */

#include "common/harness/program/reason.h"
#include "tools/source/statements.h"

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

#endif
