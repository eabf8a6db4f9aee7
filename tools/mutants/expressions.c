#include "tools/mutants/mutants.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

/* The last token of what fits the pattern from token i on, or -1. */
static int fits(const source *s, const statement *st, int i,
                const char *pattern) {
  char words[128], *rest = words;
  int last = -1;
  snprintf(words, sizeof words, "%s", pattern);
  for (char *word; (word = strsep(&rest, " "));) {
    const char *const one[] = {word, NULL};
    if (i > st->last || !token_fits(s, i, one)) return -1;
    last = i;
    i = token_after(s, st, i);
  }
  while (token_at(s, st, token_after(s, st, last), "["))
    last = bracket_end(s, st, token_after(s, st, last));
  return last;
}

/* Behind a type it is declared, before an = written, behind a dot a member. */
static bool is_used(const source *s, const statement *st, int first, int last) {
  const int before = token_before(s, st, first);
  const int after = token_after(s, st, last);
  const bool declared = before >= st->first &&
                        s->tokens[before].kind == TOKEN_WORD &&
                        !token_at(s, st, before, "return");
  return !declared && !token_at(s, st, before, ".") &&
         !token_at(s, st, before, "&") &&
         (after > st->last || !token_assigns(s, after));
}

/* `what` with the code in the place of its %s. */
static void write_value(const source *s, const rule *r, size_t begin,
                        size_t end, char *text, size_t size) {
  const char *at = strstr(r->what, "%s");
  if (at)
    snprintf(text, size, "%.*s%.*s%s", (int)(at - r->what), r->what,
             (int)(end - begin), s->text + begin, at + 2);
  else
    snprintf(text, size, "%s", r->what);
}

static void replace_value(source *s, const rule *r, mutants *list, int first,
                          int last) {
  char text[256];
  const size_t begin = s->tokens[first].begin, end = s->tokens[last].end;
  write_value(s, r, begin, end, text, sizeof text);
  mutants_replace(list, s, r, begin, end, text);
}

void find_values(source *s, const statement *st, const rule *r, mutants *list) {
  for (int i = st->first; i <= st->last; i++)
    for (const char *const *p = r->where; *p; p++) {
      const int last = fits(s, st, i, *p);
      if (last < 0 || !is_used(s, st, i, last)) continue;
      replace_value(s, r, list, i, last);
      break;
    }
}

/* Not the sign of a number, nor a template's bracket. */
static bool is_between(const source *s, const statement *st, int i) {
  const int before = token_before(s, st, i);
  if (i == st->first || s->tokens[i].kind != TOKEN_SIGN ||
      s->text[s->tokens[i].begin - 1] == '(' || before < st->first)
    return false;
  return isspace((unsigned char)s->text[s->tokens[i].begin - 1]) &&
         isspace((unsigned char)s->text[s->tokens[i].end]) &&
         !token_at(s, st, before, "=") && !token_at(s, st, before, "?") &&
         !token_at(s, st, before, ":") && !token_at(s, st, before, ",");
}

/* The operator with its two neighbours, for the sentence. */
static void replace_operator(source *s, const rule *r, mutants *list,
                             const statement *st, int i) {
  const int before = token_before(s, st, i), after = token_after(s, st, i);
  mutants_change(list, s, r, (span){s->tokens[i].begin, s->tokens[i].end},
                 r->what,
                 (span){s->tokens[before].begin, s->tokens[after].end});
}

void find_operators(source *s, const statement *st, const rule *r,
                    mutants *list) {
  for (int i = st->first; i < st->last; i++) {
    if (token_at(s, st, i, "for")) i = bracket_end(s, st, i + 1);
    if (token_fits(s, i, r->where) && is_between(s, st, i))
      replace_operator(s, r, list, st, i);
  }
}

void find_numbers(source *s, const statement *st, const rule *r,
                  mutants *list) {
  char text[64];
  for (int i = st->first; i < st->last; i++) {
    const token *t = &s->tokens[token_after(s, st, i)];
    if (s->tokens[i].kind != TOKEN_SIGN || t->kind != TOKEN_NUMBER ||
        !token_fits(s, i, r->where))
      continue;
    snprintf(text, sizeof text, "(2 * %.*s)", (int)(t->end - t->begin),
             s->text + t->begin);
    mutants_change(list, s, r, (span){t->begin, t->end}, text,
                   (span){s->tokens[token_before(s, st, i)].begin, t->end});
  }
}

void find_arrays(source *s, const statement *st, const rule *r, mutants *list) {
  int i = st->first;
  if (!token_at(s, st, i, "__shared__")) return;
  while (i < st->last && !token_at(s, st, i, "["))
    i++;
  if (i == st->last) return;
  const size_t at = s->tokens[bracket_end(s, st, i)].begin;
  mutants_change(list, s, r, (span){at, at}, r->what,
                 (span){statement_begin(s, st), statement_end(s, st)});
}
