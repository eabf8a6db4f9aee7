#include "tools/source/place.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ONLY = 0, LAST = -1, CODE_MAX = 128 };

typedef struct {
  const region *where;
  const char *region_name;
  int region_length;
  int which;        /* from 1 on, or ONLY, or LAST */
  const char *text; /* the code, */
  token code[CODE_MAX];
  int count;        /* as so many tokens */
} wanted;

size_t statement_begin(const source *s, const statement *st) {
  return s->tokens[st->first].begin;
}

size_t statement_end(const source *s, const statement *st) {
  return s->tokens[st->last].end;
}

const char *ordinal_ending(int n) {
  static const char *const endings[] = {"th", "st", "nd", "rd"};
  return n % 10 > 3 || n / 10 % 10 == 1 ? "th" : endings[n % 10];
}

static int next_token(const source *s, const statement *st, int i) {
  do i++;
  while (i <= st->last && s->tokens[i].kind == TOKEN_COMMENT);
  return i;
}

/* NAME(, or NAME<...>( */
static bool is_called(const source *s, const statement *st, int i) {
  i = next_token(s, st, i);
  if (i <= st->last && token_is(s->text, &s->tokens[i], "<")) {
    while (i <= st->last && !token_is(s->text, &s->tokens[i], ">") &&
           !token_is(s->text, &s->tokens[i], ";"))
      i = next_token(s, st, i);
    i = next_token(s, st, i);
  }
  return i <= st->last && token_is(s->text, &s->tokens[i], "(");
}

bool statement_calls(const source *s, const statement *st, const char *name) {
  for (int i = st->first; i <= st->last; i++)
    if (s->tokens[i].kind == TOKEN_WORD &&
        token_is(s->text, &s->tokens[i], name) && is_called(s, st, i))
      return true;
  return false;
}

static bool begins_at(const source *s, const statement *st, int i,
                      const wanted *w) {
  for (int n = 0; n < w->count; n++) {
    if (i > st->last ||
        !tokens_alike(s->text, &s->tokens[i], w->text, &w->code[n]))
      return false;
    i = next_token(s, st, i);
  }
  return true;
}

static bool holds(const source *s, const statement *st, const wanted *w) {
  char word[CODE_MAX];
  const size_t length = w->code[0].end - w->code[0].begin;
  const bool is_directive = st->kind == STATEMENT_DIRECTIVE;
  if (is_directive != token_is(w->text, &w->code[0], "#")) return false;
  if (w->count == 1 && w->code[0].kind == TOKEN_WORD && length < sizeof word) {
    snprintf(word, sizeof word, "%.*s", (int)length,
             w->text + w->code[0].begin);
    return !strcmp(word, "statement") || statement_calls(s, st, word);
  }
  for (int i = st->first; i <= st->last; i++)
    if (s->tokens[i].kind != TOKEN_COMMENT && begins_at(s, st, i, w))
      return true;
  return false;
}

/* "2nd ", "last ": what is left of the text behind it. */
static const char *read_which(const char *text, int *which) {
  char *end;
  const long n = strtol(text, &end, 10);
  *which = ONLY;
  if (!strncmp(text, "last ", 5)) {
    *which = LAST;
    return text + 5;
  }
  if (!isdigit((unsigned char)*text) || n < 1 || n > 1000 ||
      strncmp(end, ordinal_ending((int)n), 2) || end[2] != ' ')
    return text;
  *which = (int)n;
  return end + 3;
}

static bool read_name(source *s, const char *name, wanted *w) {
  *w = (wanted){.region_name = name,
                .region_length = (int)strcspn(name, ": ")};
  const char *rest = name + w->region_length;
  if (w->region_length == 0 || (*rest && strncmp(rest, ": ", 2)))
    return refuse(&s->why, "'%s' is no place: it must be REGION, REGION: CODE "
                  "or REGION: 2nd CODE.", name);
  if (strncmp(name, "*", (size_t)w->region_length)) {
    w->where = source_region(s, name, (size_t)w->region_length);
    if (!w->where)
      return refuse(&s->why, "%s has no region '%.*s'.", s->path,
                    w->region_length, name);
  }
  if (!*rest) return true;
  w->text = read_which(rest + 2 + strspn(rest + 2, " "), &w->which);
  if (strlen(w->text) >= CODE_MAX)
    return refuse(&s->why, "The code in '%s' is longer than %d characters.",
                  name, CODE_MAX - 1);
  w->count = tokens_scan(w->text, w->code);
  return w->count > 0 || refuse(&s->why, "'%s' names no code.", name);
}

static bool is_inside(const source *s, const statement *st, const region *r) {
  const size_t begin = statement_begin(s, st);
  return !r || (begin >= r->inside && begin < r->inside_end);
}

static bool refuse_place(source *s, const wanted *w, int count) {
  char where[256];
  snprintf(where, sizeof where, "%s%.*s%s%s", w->where ? "region " : "",
           w->where ? w->region_length : 0, w->region_name,
           w->where ? " of " : "", s->path);
  if (count == 0)
    return refuse(&s->why, "There is no '%s' in %s.", w->text, where);
  if (w->which == ONLY)
    return refuse(&s->why, "'%s' is in %d statements of %s: say which, as in "
                  "'1st %s'.", w->text, count, where, w->text);
  return refuse(&s->why, "There is no %d%s '%s' in %s, only %d.", w->which,
                ordinal_ending(w->which), w->text, where, count);
}

bool place_find(source *s, const char *name, place *found) {
  wanted w;
  if (!read_name(s, name, &w)) return false;
  *found = (place){.region = w.where, .end = s->length};
  if (w.where) found->begin = w.where->begin, found->end = w.where->end;
  if (!w.text) return true;
  int count = 0;
  for (int i = 0; i < s->statement_count; i++) {
    const statement *st = &s->statements[i];
    if (!is_inside(s, st, w.where) || !holds(s, st, &w)) continue;
    count++;
    if (w.which == LAST || w.which == count || count == 1)
      found->statement = st;
    if (w.which == count) break;
  }
  if (count == 0 || (w.which == ONLY && count > 1) || w.which > count)
    return refuse_place(s, &w, count);
  found->begin = statement_begin(s, found->statement);
  found->end = statement_end(s, found->statement);
  return true;
}
