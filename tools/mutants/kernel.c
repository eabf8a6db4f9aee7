#include "tools/mutants/mutants.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

enum { MOST_CONDITIONS = 16 };

static bool is(const source *s, int i, const char *what) {
  return token_is(s->text, &s->tokens[i], what);
}

/* A function's head, behind which its body begins. */
static bool runs_on_gpu(const source *s, const statement *st) {
  for (int i = st->first; i <= st->last; i++)
    if (is(s, i, "__device__") || is(s, i, "__global__"))
      return st->kind == STATEMENT_HEAD;
  return false;
}

/* How deep in braces a token is. Arms that exclude each other begin equally
 * deep: both may open the loop that is closed once behind them. */
typedef struct {
  int depth, conditions;
  int at_condition[MOST_CONDITIONS]; /* the depth where each #if begins */
} nesting;

static void follow_directive(nesting *n, const source *s, int name) {
  if (is(s, name, "if") || is(s, name, "ifdef") || is(s, name, "ifndef")) {
    if (n->conditions < MOST_CONDITIONS)
      n->at_condition[n->conditions] = n->depth;
    n->conditions++;
  } else if (n->conditions && is(s, name, "endif")) {
    n->conditions--;
  } else if (n->conditions && n->conditions <= MOST_CONDITIONS &&
             (is(s, name, "else") || is(s, name, "elif"))) {
    n->depth = n->at_condition[n->conditions - 1];
  }
}

static void follow(nesting *n, const source *s, int i) {
  const token *t = &s->tokens[i];
  if (t->begins_directive)
    follow_directive(n, s, i + 1);
  else if (!t->in_directive)
    n->depth += is(s, i, "{") - is(s, i, "}");
}

void mark_kernel(const source *s, bool *inside) {
  nesting now = {0};
  int outside = -1, token = 0;
  for (int i = 0; i < s->statement_count; i++) {
    const statement *st = &s->statements[i];
    for (; token < st->first; token++) follow(&now, s, token);
    if (now.depth <= outside) outside = -1;
    inside[i] = outside >= 0 && st->kind != STATEMENT_DIRECTIVE;
    if (outside < 0 && runs_on_gpu(s, st)) outside = now.depth;
  }
}

bool token_fits(const source *s, int i, const char *const patterns[]) {
  char text[128];
  const token *t = &s->tokens[i];
  snprintf(text, sizeof text, "%.*s", (int)(t->end - t->begin),
           s->text + t->begin);
  for (; *patterns; patterns++)
    if (!fnmatch(*patterns, text, 0)) return true;
  return false;
}

bool token_assigns(const source *s, int i) {
  static const char *const signs[] = {
      "=", "+=", "-=", "[*]=", "/=", "^=", "|=", NULL};
  return s->tokens[i].kind == TOKEN_SIGN && token_fits(s, i, signs);
}

int token_after(const source *s, const statement *st, int i) {
  do
    i++;
  while (i <= st->last && s->tokens[i].kind == TOKEN_COMMENT);
  return i;
}

int token_before(const source *s, const statement *st, int i) {
  do
    i--;
  while (i >= st->first && s->tokens[i].kind == TOKEN_COMMENT);
  return i;
}

bool token_at(const source *s, const statement *st, int i, const char *what) {
  return i >= st->first && i <= st->last && is(s, i, what);
}

int bracket_depth(const source *s, int i) {
  const char c = s->text[s->tokens[i].begin];
  if (s->tokens[i].kind != TOKEN_SIGN) return 0;
  return (c == '(' || c == '[' || c == '{') -
         (c == ')' || c == ']' || c == '}');
}

int bracket_end(const source *s, const statement *st, int i) {
  int depth = 0;
  for (; i < st->last; i++) {
    depth += bracket_depth(s, i);
    if (depth == 0) break;
  }
  return i;
}
