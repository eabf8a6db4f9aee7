#include "tools/mutants/mutants.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 60 };

static void *checked(void *memory) {
  if (memory) return memory;
  fprintf(stderr, "There is too little memory for all mistakes.\n");
  exit(EXIT_FAILURE);
}

/* The code in one line, cut off where it is long. */
static void show(const source *s, size_t begin, size_t end, char *shown) {
  int length = 0;
  for (size_t i = begin; i < end && length < SHOWN; i++) {
    const bool blank = isspace((unsigned char)s->text[i]);
    if (blank && (!length || shown[length - 1] == ' ')) continue;
    shown[length++] = blank ? ' ' : s->text[i];
  }
  strcpy(shown + length, length == SHOWN ? "..." : "");
}

static char *sentence_of(const source *s, const rule *by, size_t begin,
                         size_t end) {
  char shown[SHOWN + 4];
  const char *at = strstr(by->sentence, "%s");
  const int before = at ? (int)(at - by->sentence) : 0;
  char *sentence = checked(malloc(strlen(by->sentence) + sizeof shown));
  show(s, begin, end, shown);
  sprintf(sentence, "%.*s%s%s", before, by->sentence, at ? shown : "",
          at ? at + 2 : by->sentence);
  return sentence;
}

static bool is_new(const mutants *list, const source *s, const char *text,
                   size_t length) {
  for (int i = 0; i < list->count; i++)
    if (list->all[i].length == length && !strcmp(list->all[i].text, text))
      return false;
  return strcmp(s->text, text) != 0;
}

void mutants_add(mutants *list, source *s, const rule *by, edit *edits,
                 int count, size_t begin, size_t end) {
  char *text = checked(edits_apply(s, edits, count));
  edits_free(edits, count);
  const size_t length = strlen(text);
  if (!is_new(list, s, text, length)) {
    free(text);
    return;
  }
  list->all = checked(
      realloc(list->all, (size_t)(list->count + 1) * sizeof *list->all));
  list->all[list->count++] =
      (mutant){.by = by,
               .where = source_region_at(s, begin),
               .line = source_line(s, begin),
               .begin = begin,
               .sentence = sentence_of(s, by, begin, end),
               .text = text,
               .length = length};
}

void mutants_change(mutants *list, source *s, const rule *by, span what,
                    const char *text, span shown) {
  edit one = {what.begin, what.end, checked(strdup(text))};
  mutants_add(list, s, by, &one, 1, shown.begin, shown.end);
}

void mutants_replace(mutants *list, source *s, const rule *by, size_t begin,
                     size_t end, const char *text) {
  mutants_change(list, s, by, (span){begin, end}, text, (span){begin, end});
}

void mutants_free(mutants *list) {
  for (int i = 0; i < list->count; i++) {
    free(list->all[i].sentence);
    free(list->all[i].text);
  }
  free(list->all);
  *list = (mutants){NULL, 0};
}
