#include "tools/source/source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool source_blame(source *s, const char *entry) {
  const reason why = s->why;
  return refuse(&s->why, "'%s': %s", entry, why.text);
}

int source_line(const source *s, size_t offset) {
  int line = 1;
  for (size_t i = 0; i < offset; i++) line += s->text[i] == '\n';
  return line;
}

const region *source_region(const source *s, const char *name, size_t length) {
  for (const region *r = s->regions; r < s->regions + s->region_count; r++)
    if (r->name_length == length && !memcmp(r->name, name, length)) return r;
  return NULL;
}

const region *source_region_at(const source *s, size_t offset) {
  const region *inner = NULL;
  for (const region *r = s->regions; r < s->regions + s->region_count; r++)
    if (offset >= r->inside && offset < r->inside_end &&
        (!inner || r->begin > inner->begin))
      inner = r;
  return inner;
}

/* '>' for a marker that opens, '<' for one that closes, 0 for what is none. */
static char marker(const source *s, const token *t) {
  const char *at = s->text + t->begin;
  const bool begins_line = t->begin == 0 || at[-1] == '\n';
  if (t->kind != TOKEN_COMMENT || !begins_line || strncmp(at, "//", 2) ||
      (at[2] != '>' && at[2] != '<') || at[3] != ' ')
    return 0;
  return at[2];
}

static bool open_region(source *s, const region *new, const token *t) {
  if (source_region(s, new->name, new->name_length))
    return refuse(&s->why, "%s:%d opens region %.*s a second time.", s->path,
                  source_line(s, t->begin), (int)new->name_length,
                  new->name);
  s->regions[s->region_count++] = *new;
  return true;
}

static bool close_region(source *s, const region *end, const token *t) {
  region *open = (region *)source_region(s, end->name, end->name_length);
  if (!open || open->end)
    return refuse(&s->why, "%s:%d closes region %.*s, which is not open.",
                  s->path, source_line(s, t->begin),
                  (int)end->name_length, end->name);
  open->inside_end = t->begin;
  open->end = end->inside;
  return true;
}

static bool find_regions(source *s) {
  for (const token *t = s->tokens; t < s->tokens + s->token_count; t++) {
    const char which = marker(s, t);
    if (!which) continue;
    region found = {.name = s->text + t->begin + 4, .begin = t->begin};
    found.name_length = strcspn(found.name, " \t\r\n");
    found.inside = t->end + (s->text[t->end] == '\n');
    if (!(which == '>' ? open_region(s, &found, t)
                       : close_region(s, &found, t)))
      return false;
  }
  for (const region *r = s->regions; r < s->regions + s->region_count; r++)
    if (!r->end)
      return refuse(&s->why, "%s:%d opens region %.*s, which is never closed.",
                    s->path, source_line(s, r->begin),
                    (int)r->name_length, r->name);
  return true;
}

/* A file with as many tokens as it has characters is the most there can be. */
static bool analyse(source *s) {
  const size_t most = s->length + 1;
  s->tokens = malloc(most * sizeof *s->tokens);
  s->statements = malloc(most * sizeof *s->statements);
  s->regions = malloc(most * sizeof *s->regions);
  if (!s->tokens || !s->statements || !s->regions)
    return refuse(&s->why, "There is too little memory to read %s.", s->path);
  s->token_count = tokens_scan(s->text, s->tokens);
  s->statement_count = statements_find(s->text, s->tokens, s->token_count,
                                       s->statements);
  if (s->statement_count < 0)
    return refuse(&s->why, "There is too little memory to read %s.", s->path);
  return find_regions(s);
}

bool source_from_text(source *s, const char *path, const char *text) {
  *s = (source){.path = strdup(path), .text = strdup(text),
                .length = strlen(text)};
  if (!s->path || !s->text)
    return refuse(&s->why, "There is too little memory to read %s.", path);
  return analyse(s);
}

static char *read_all(FILE *file) {
  char *text = NULL;
  size_t length = 0;
  /* Up to a 0 byte, which no source has. */
  if (getdelim(&text, &length, '\0', file) < 0 && text) *text = '\0';
  return text;
}

bool source_read(source *s, const char *path) {
  FILE *file = fopen(path, "r");
  char *text = file ? read_all(file) : NULL;
  bool good;
  if (text && !ferror(file)) {
    good = source_from_text(s, path, text);
  } else {
    *s = (source){0};
    good = refuse(&s->why, "Cannot read %s: %s.", path, strerror(errno));
  }
  if (file) fclose(file);
  free(text);
  return good;
}

void source_free(source *s) {
  free(s->path);
  free(s->text);
  free(s->tokens);
  free(s->statements);
  free(s->regions);
  *s = (source){0};
}
