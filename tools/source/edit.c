#include "tools/source/place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/source/source.h"

static char *copy(const source *s, size_t begin, size_t end) {
  return strndup(s->text + begin, end - begin);
}

static edit insert_before(const source *s, const place *at, const char *code) {
  const size_t to = at->statement ? begin_with_lead(s, at) : at->begin;
  return (edit){to, to, indented(s, at, "", code, "\n")};
}

static edit insert_after(const source *s, const place *at, const char *code) {
  const size_t to = at->statement ? end_with_comment(s, at) : at->end;
  return (edit){to, to, at->statement ? indented(s, at, "\n", code, "")
                                      : indented(s, at, "", code, "\n")};
}

static edit remove_it(const source *s, const place *at) {
  size_t begin = at->begin, end = end_with_comment(s, at);
  if (is_alone(s, begin, end)) {
    begin = line_begin(s, begin);
    end = skip_blanks(s, end);
    end += s->text[end] == '\n';
  }
  return (edit){begin, end, strdup("")};
}

static edit double_it(const source *s, const place *at) {
  char *again = copy(s, at->begin, at->end);
  const edit made = insert_after(s, at, again);
  free(again);
  return made;
}

/* Between the two there may be comments, and no brace and no #if. */
static bool swap(source *s, const place *at, int step, edit edits[2]) {
  const statement *mine = at->statement, *other = mine + step;
  const bool exists = other >= s->statements &&
                      other < s->statements + s->statement_count;
  const statement *upper = step < 0 ? other : mine;
  const statement *lower = step < 0 ? mine : other;
  bool beside = exists && mine->kind == STATEMENT_PLAIN &&
                other->kind == STATEMENT_PLAIN;
  for (int i = beside ? upper->last + 1 : 0; beside && i < lower->first; i++)
    beside = s->tokens[i].kind == TOKEN_COMMENT;
  if (!beside)
    return refuse(&s->why, "The statement cannot go %s: it is the %s of its "
                  "block.", step < 0 ? "up" : "down",
                  step < 0 ? "first" : "last");
  const size_t begin = statement_begin(s, other);
  const size_t end = statement_end(s, other);
  edits[0] = (edit){at->begin, at->end, copy(s, begin, end)};
  edits[1] = (edit){begin, end, copy(s, at->begin, at->end)};
  return true;
}

/* Whether the statement has these tokens from token i on; the last of them. */
static bool has_at(const source *s, const statement *st, int i,
                   const char *code, const token *wanted, int count,
                   int *last) {
  if (s->tokens[i].kind == TOKEN_COMMENT) return false;
  for (int n = 0; n < count; n++, i++) {
    while (i <= st->last && s->tokens[i].kind == TOKEN_COMMENT) i++;
    if (i > st->last || !tokens_alike(s->text, &s->tokens[i], code, &wanted[n]))
      return false;
    *last = i;
  }
  return count > 0;
}

static bool replace(source *s, const place *at, const char *words,
                    const char *arrow, edit *made) {
  char code[256];
  token wanted[256];
  const statement *st = at->statement;
  int found = 0;
  snprintf(code, sizeof code, "%.*s", (int)(arrow - words), words);
  const int count = tokens_scan(code, wanted);
  for (int i = st->first, last; i <= st->last; i++)
    if (has_at(s, st, i, code, wanted, count, &last) && ++found == 1)
      *made = (edit){s->tokens[i].begin, s->tokens[last].end, NULL};
  if (found != 1)
    return refuse(&s->why, "'%s' must be in the statement once, and is there "
                  "%d times.", code, found);
  made->text = strdup(arrow + strlen(" => "));
  return true;
}

/* What follows a verb and a blank, or NULL. */
static const char *behind(const char *words, const char *verb) {
  const size_t length = strlen(verb);
  const bool begins = !strncmp(words, verb, length) && words[length] == ' ';
  return begins ? words + length + 1 : NULL;
}

static bool change(source *s, const place *at, const char *words,
                   edit edits[2], int *count) {
  const char *code, *arrow = strstr(words, " => ");
  const size_t core = s->tokens[at->statement->core].begin;
  if ((code = behind(words, "write"))) {
    edits[0] = (edit){at->begin, end_with_comment(s, at),
                      indented(s, at, "", code, "")};
  } else if (arrow) {
    return replace(s, at, words, arrow, &edits[0]);
  } else if (!strcmp(words, "remove")) {
    edits[0] = remove_it(s, at);
  } else if (!strcmp(words, "empty")) {
    edits[0] = (edit){core, end_with_comment(s, at), strdup(";")};
  } else if (!strcmp(words, "double")) {
    edits[0] = double_it(s, at);
  } else if (!strcmp(words, "up") || !strcmp(words, "down")) {
    *count = 2;
    return swap(s, at, *words == 'u' ? -1 : 1, edits);
  } else {
    return refuse(&s->why, "'%s' is no edit: there are remove, empty, double, "
                  "up, down, before CODE, after CODE, write CODE and "
                  "CODE => CODE.", words);
  }
  return true;
}

bool edit_read(source *s, const place *at, const char *words, edit edits[2],
               int *count) {
  const char *code;
  *count = 1;
  if ((code = behind(words, "before")))
    edits[0] = insert_before(s, at, code);
  else if ((code = behind(words, "after")))
    edits[0] = insert_after(s, at, code);
  else if (at->statement)
    return change(s, at, words, edits, count);
  else
    return refuse(&s->why, "To a region as a whole code can be added before it "
                  "or after it, and '%s' is another edit.", words);
  return true;
}

char *edits_apply(const source *s, const edit *edits, int count) {
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  if (!out) return NULL;
  for (size_t at = 0; at <= s->length;) {
    size_t next = at;
    for (int i = 0; i < count; i++) {
      if (edits[i].begin != at) continue;
      fputs(edits[i].text ? edits[i].text : "", out);
      if (edits[i].end > next) next = edits[i].end;
    }
    if (next == at) {
      if (at < s->length) fputc(s->text[at], out);
      next++;
    }
    at = next;
  }
  fclose(out);
  return text;
}

void edits_free(edit *edits, int count) {
  for (int i = 0; i < count; i++) free(edits[i].text);
}
