#include "tools/mutants/kernel.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

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

void mark_kernel(const source *s, bool *inside) {
  int depth = 0, outside = -1, token = 0;
  for (int i = 0; i < s->statement_count; i++) {
    const statement *st = &s->statements[i];
    for (; token < st->first; token++)
      if (!s->tokens[token].in_directive)
        depth += is(s, token, "{") - is(s, token, "}");
    if (depth <= outside) outside = -1;
    inside[i] = outside >= 0 && st->kind != STATEMENT_DIRECTIVE;
    if (outside < 0 && runs_on_gpu(s, st)) outside = depth;
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
