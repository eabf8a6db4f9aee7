#include "tools/mutants/mutants.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- statements left out ---- */

/* TYPE NAME, TYPE<...> NAME, TYPE *NAME, TYPE &NAME before what is assigned. */
static bool declares(const source *s, const statement *st) {
  int depth = 0;
  if (s->tokens[st->core].kind != TOKEN_WORD) return false;
  for (int i = st->core; i < st->last && !token_assigns(s, i); i++) {
    const int next = token_after(s, st, i);
    const bool star = token_at(s, st, next, "*") || token_at(s, st, next, "&");
    const bool type =
        s->tokens[i].kind == TOKEN_WORD || token_at(s, st, i, ">");
    depth += bracket_depth(s, i);
    if (depth == 0 && type && (star || s->tokens[next].kind == TOKEN_WORD))
      return true;
  }
  return false;
}

static bool is_action(const source *s, const statement *st) {
  static const char *const others[] = {
      "return", "using", "continue", "break", "printf", "template", NULL};
  return st->kind == STATEMENT_PLAIN && st->core < st->last &&
         !token_fits(s, st->core, others) && !declares(s, st);
}

void find_actions(source *s, const statement *st, const rule *r,
                  mutants *list) {
  if (is_action(s, st))
    mutants_replace(list, s, r, s->tokens[st->core].begin, statement_end(s, st),
                    ";");
}

/* ---- conditions ---- */

/* Of names in capitals and numbers alone: the compiler knows it. */
static bool is_constant(const source *s, int first, int last) {
  for (int i = first; i <= last; i++)
    if (s->tokens[i].kind == TOKEN_WORD &&
        islower((unsigned char)s->text[s->tokens[i].begin]))
      return false;
  return true;
}

static void replace_condition(source *s, const rule *r, mutants *list,
                              int first, int last) {
  if (first > last || is_constant(s, first, last)) return;
  mutants_replace(list, s, r, s->tokens[first].begin, s->tokens[last].end,
                  r->what);
}

/* Where the condition before a ? begins. */
static int choice_begin(const source *s, const statement *st, int i) {
  static const char *const ends[] = {"=",   "+=", ",", "return",
                                     "[?]", ":",  NULL};
  int depth = 0, first = i;
  for (int n = token_before(s, st, i); n >= st->first;
       n = token_before(s, st, n)) {
    depth -= bracket_depth(s, n);
    if (depth < 0 || (depth == 0 && token_fits(s, n, ends))) break;
    first = n;
  }
  return first;
}

void find_conditions(source *s, const statement *st, const rule *r,
                     mutants *list) {
  for (int i = st->first; i < st->last; i++) {
    if (token_at(s, st, i, "if") && token_at(s, st, i + 1, "("))
      replace_condition(s, r, list, i + 2, bracket_end(s, st, i + 1) - 1);
    if (token_at(s, st, i, "?"))
      replace_condition(s, r, list, choice_begin(s, st, i),
                        token_before(s, st, i));
  }
}

/* ---- loops ---- */

typedef struct {
  int start; /* the 0, */
  int less;  /* the <, */
  int end;   /* the ; behind its limit, */
  int close; /* and the bracket at the end */
  char step[128];
} loop;

static void read_step(const source *s, const statement *st, loop *l) {
  snprintf(l->step, sizeof l->step, "1");
  for (int i = l->end; i < l->close; i++)
    if (token_at(s, st, i, "+="))
      snprintf(l->step, sizeof l->step, "%.*s",
               (int)(s->tokens[l->close].begin - s->tokens[i + 1].begin),
               s->text + s->tokens[i + 1].begin);
}

static bool read_loop(const source *s, const statement *st, int i, loop *l) {
  *l = (loop){0};
  if (!token_at(s, st, i, "for") || !token_at(s, st, i + 1, "(")) return false;
  l->close = bracket_end(s, st, i + 1);
  for (int n = i; n < l->close; n++) {
    if (token_at(s, st, n, "=") && token_at(s, st, n + 1, "0") && !l->start)
      l->start = n + 1;
    if (token_at(s, st, n, "<") && l->start) l->less = n;
    if (token_at(s, st, n, ";") && l->less && !l->end) l->end = n;
  }
  read_step(s, st, l);
  return l->end > 0;
}

static void edit_loop(source *s, const rule *r, mutants *list, int i,
                      const loop *l) {
  char text[160];
  size_t begin = s->tokens[l->start].begin, end = s->tokens[l->start].end;
  snprintf(text, sizeof text, "%s", l->step);
  if (!strcmp(r->what, "short")) {
    begin = end = s->tokens[l->end].begin;
    snprintf(text, sizeof text, " - %s", l->step);
  } else if (!strcmp(r->what, "long")) {
    if (is_constant(s, l->less, l->end)) return;
    begin = s->tokens[l->less].begin, end = s->tokens[l->less].end;
    snprintf(text, sizeof text, "<=");
  }
  mutants_change(list, s, r, (span){begin, end}, text,
                 (span){s->tokens[i].begin, s->tokens[l->close].end});
}

void find_loops(source *s, const statement *st, const rule *r, mutants *list) {
  loop l;
  for (int i = st->first; i < st->last; i++)
    if (read_loop(s, st, i, &l)) edit_loop(s, r, list, i, &l);
}
