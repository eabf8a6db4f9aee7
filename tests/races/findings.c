#include "tests/races/findings.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool lies_in(int line, line_range range) {
  return line >= range.first && line <= range.last;
}

/* The lines of one of a finding's places: its own, and those of the calls that
 * led there. */
enum { LINES_MAX = 16 };
typedef struct {
  int count, lines[LINES_MAX];
} story;

static void add_line(story *s, int line) {
  if (line && s->count < LINES_MAX) s->lines[s->count++] = line;
}

static bool has_line(const story *s, line_range range) {
  for (int i = 0; i < s->count; i++)
    if (lies_in(s->lines[i], range)) return true;
  return false;
}

/* "  here  FILE:LINE ...", "  there FILE:LINE ...": the line, or 0. */
static int line_of(const char *text, const char *label, const char *file) {
  const size_t length = strlen(file);
  text += strspn(text, " ");
  if (strncmp(text, label, strlen(label))) return 0;
  text += strlen(label);
  text += strspn(text, " ");
  return strncmp(text, file, length) || text[length] != ':'
             ? 0
             : atoi(text + length + 1);
}

/* "        called in line LINE: ...": the line, or 0. */
static int call_of(const char *text) {
  static const char words[] = "called in line ";
  text += strspn(text, " ");
  return strncmp(text, words, strlen(words)) ? 0 : atoi(text + strlen(words));
}

bool findings_name(FILE *log, const char *file, const char *kind,
                   line_range one, line_range other) {
  char text[1024];
  bool is_kind = false, found = false;
  story here = {0}, there = {0}, *now = NULL;
  while (fgets(text, sizeof text, log)) {
    if (islower((unsigned char)*text)) {
      const size_t length = strlen(kind);
      is_kind = !strncmp(text, kind, length) && text[length] == ':';
      here = there = (story){0};
      now = NULL;
    }
    const int first = line_of(text, "here ", file);
    const int second = line_of(text, "there ", file);
    if (first || second) now = first ? &here : &there;
    if (now) add_line(now, first ? first : second ? second : call_of(text));
    found = found || (is_kind &&
                      ((has_line(&here, one) && has_line(&there, other)) ||
                       (has_line(&here, other) && has_line(&there, one))));
  }
  return found;
}
