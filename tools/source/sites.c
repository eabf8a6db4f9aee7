#include "tools/source/place.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

const char *const synchronising[] = {
    "__syncthreads", "__syncwarp", "__pipeline_commit",
    "__pipeline_wait_prior", "named_barrier_*", "mbarrier_*",
    "fence_async_proxy", "wgmma_fence", "wgmma_commit", "wgmma_wait",
    /* stages 5 and 10 */
    "say_*", "wait_*", "release", "await_turn", "pass_turn", NULL};

static bool matches(const char *name, const char *const patterns[]) {
  for (; *patterns; patterns++)
    if (!fnmatch(*patterns, name, 0)) return true;
  return false;
}

/* The last token of the call that begins at a token is the one before the
 * semicolon, and a bracket. */
static bool is_one_call(const source *s, const statement *st) {
  return st->kind == STATEMENT_PLAIN && st->core + 2 < st->last &&
         s->tokens[st->core].kind == TOKEN_WORD &&
         (token_is(s->text, &s->tokens[st->core + 1], "(") ||
          token_is(s->text, &s->tokens[st->core + 1], "<"));
}

int sites_find(const source *s, const char *const patterns[], site *found,
               int room) {
  int count = 0;
  char name[128];
  for (int i = 0; i < s->statement_count; i++) {
    const statement *st = &s->statements[i];
    const token *t = &s->tokens[st->core];
    const int length = (int)(t->end - t->begin);
    snprintf(name, sizeof name, "%.*s", length, s->text + t->begin);
    if (!is_one_call(s, st) || !matches(name, patterns) ||
        !statement_calls(s, st, name))
      continue;
    if (count < room)
      found[count] = (site){st, s->text + t->begin, length};
    count++;
  }
  return count;
}

void site_name(const source *s, const site *of, char *name, size_t size) {
  const region *where = source_region_at(s, statement_begin(s, of->statement));
  char callee[128], which[16] = "";
  snprintf(callee, sizeof callee, "%.*s", of->callee_length, of->callee);
  int count = 0, mine = 0;
  for (int i = 0; i < s->statement_count; i++) {
    const statement *st = &s->statements[i];
    const size_t begin = statement_begin(s, st);
    const bool inside = !where || (begin >= where->inside &&
                                   begin < where->inside_end);
    if (!inside || !statement_calls(s, st, callee)) continue;
    count++;
    if (st == of->statement) mine = count;
  }
  if (count > 1) snprintf(which, sizeof which, "%d%s ", mine,
                          ordinal_ending(mine));
  snprintf(name, size, "%.*s: %s%s", where ? (int)where->name_length : 1,
           where ? where->name : "*", which, callee);
}
