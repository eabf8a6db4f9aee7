#include "tools/mutants/mutants.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A statement of the thread's own numbers has neither brackets nor calls. */
static bool may_touch_memory(const source *s, const statement *st) {
  for (int i = st->core; i <= st->last; i++)
    if (token_at(s, st, i, "(") || token_at(s, st, i, "[")) return true;
  return false;
}

static bool is_worth(const source *s, const statement *st, const char *what) {
  const int step = !strcmp(what, "down") - !strcmp(what, "up");
  const statement *other = st + step;
  if (step == 0) return true;
  return other >= s->statements && other < s->statements + s->statement_count &&
         may_touch_memory(s, other);
}

/* Whether it is nothing but one such call, perhaps behind an if. */
static bool is_call(const source *s, const statement *st, const rule *r) {
  return st->kind == STATEMENT_PLAIN && token_fits(s, st->core, r->where) &&
         (token_at(s, st, st->core + 1, "(") ||
          token_at(s, st, st->core + 1, "<"));
}

void find_calls(source *s, const statement *st, const rule *r, mutants *list) {
  const place at = {.statement = st,
                    .begin = statement_begin(s, st),
                    .end = statement_end(s, st)};
  edit edits[2];
  int made = 0;
  if (is_call(s, st, r) && is_worth(s, st, r->what) &&
      edit_read(s, &at, r->what, edits, &made))
    mutants_add(list, s, r, edits, made, at.begin, at.end);
}

/* The bracket before the first argument, where token i names what is called. */
static int open_bracket(const source *s, const statement *st, int i,
                        bool of_template) {
  i = token_after(s, st, i);
  if (token_at(s, st, i, "<")) {
    if (of_template) return i;
    while (i < st->last && !token_at(s, st, i, ">"))
      i++;
    i = token_after(s, st, i);
  } else if (of_template) {
    return -1;
  }
  return token_at(s, st, i, "(") ? i : -1;
}

/* The token behind the argument of that number. */
static int argument_end(const source *s, const statement *st, int open,
                        int number) {
  int depth = 0;
  for (int i = open; i <= st->last; i++) {
    if (number == 0 && token_at(s, st, i, ">")) return i;
    depth += bracket_depth(s, i);
    const bool ends = depth == 0 || (depth == 1 && token_at(s, st, i, ","));
    if (number > 0 && i > open && ends && --number == 0) return i;
    if (number > 0 && depth == 0) return -1;
  }
  return -1;
}

static void edit_argument(source *s, const rule *r, mutants *list,
                          const statement *st, int i) {
  char *text;
  const int number = (int)strtol(r->what, &text, 10);
  const int open = open_bracket(s, st, i, number == 0);
  const int end = open < 0 ? -1 : argument_end(s, st, open, number);
  if (end < 0) return;
  const size_t at = s->tokens[token_before(s, st, end)].end;
  mutants_change(
      list, s, r, (span){at, at}, text,
      (span){s->tokens[i].begin, s->tokens[bracket_end(s, st, open)].end});
}

void find_arguments(source *s, const statement *st, const rule *r,
                    mutants *list) {
  for (int i = st->first; i <= st->last; i++)
    if (s->tokens[i].kind == TOKEN_WORD && token_fits(s, i, r->where))
      edit_argument(s, r, list, st, i);
}

static bool is_atomic(const source *s, const statement *st, int i) {
  return token_at(s, st, i, "atomicAdd") && token_at(s, st, i + 1, "(") &&
         token_at(s, st, i + 2, "&") && token_at(s, st, i + 4, ",") &&
         token_at(s, st, i + 6, ")");
}

void find_atomics(source *s, const statement *st, const rule *r,
                  mutants *list) {
  char text[256];
  for (int i = st->first; i <= st->last; i++) {
    if (!is_atomic(s, st, i)) continue;
    const token *to = &s->tokens[i + 3], *by = &s->tokens[i + 5];
    const int number = (int)(by->end - by->begin);
    snprintf(text, sizeof text, "(%.*s += %.*s) - %.*s",
             (int)(to->end - to->begin), s->text + to->begin, number,
             s->text + by->begin, number, s->text + by->begin);
    mutants_replace(list, s, r, s->tokens[i].begin, s->tokens[i + 6].end, text);
  }
}
