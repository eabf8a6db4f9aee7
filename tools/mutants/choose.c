#include "tools/mutants/mutants.h"

static bool alike(const source *s, const statement *one, const source *other,
                  const statement *two) {
  int i = one->first, n = two->first;
  while (i <= one->last && n <= two->last &&
         tokens_alike(s->text, &s->tokens[i], other->text, &other->tokens[n])) {
    i = token_after(s, one, i);
    n = token_after(other, two, n);
  }
  return i > one->last && n > two->last;
}

/* Whether the other source has the statement at an offset. */
static bool is_shared(const source *s, size_t offset, const source *other) {
  const statement *at = s->statements;
  while (at < s->statements + s->statement_count &&
         s->tokens[at->last].end <= offset)
    at++;
  if (at == s->statements + s->statement_count) return false;
  for (int i = 0; i < other->statement_count; i++)
    if (alike(s, at, other, &other->statements[i])) return true;
  return false;
}

static bool is_repeated(const mutants *list, const bool *chosen, int i) {
  for (int n = 0; n < i; n++)
    if (chosen[n] && list->all[n].by == list->all[i].by &&
        list->all[n].where == list->all[i].where)
      return true;
  return false;
}

static void thin(int count, bool *chosen, int sum) {
  for (int i = 0, nth = 0; i < count; i++)
    if (chosen[i]) {
      chosen[i] = nth * CHOSEN_MOST / sum != (nth + 1) * CHOSEN_MOST / sum;
      nth++;
    }
}

void mutants_choose(const source *s, const mutants *list, const source *before,
                    bool *chosen) {
  int sum = 0;
  for (int i = 0; i < list->count; i++) {
    const mutant *m = &list->all[i];
    chosen[i] = (m->by->orders || !before || !is_shared(s, m->begin, before)) &&
                !is_repeated(list, chosen, i);
    sum += chosen[i];
  }
  if (sum > CHOSEN_MOST) thin(list->count, chosen, sum);
}
