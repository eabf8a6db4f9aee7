#include "tests/races/findings.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool lies_in(int line, line_range range) {
  return line >= range.first && line <= range.last;
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

bool findings_name(FILE *log, const char *file, const char *kind,
                   line_range one, line_range other) {
  char text[1024];
  bool is_kind = false, found = false;
  int here = 0;
  while (fgets(text, sizeof text, log)) {
    if (islower((unsigned char)*text)) {
      const size_t length = strlen(kind);
      is_kind = !strncmp(text, kind, length) && text[length] == ':';
      here = 0;
    }
    const int line = line_of(text, "here ", file);
    const int there = line_of(text, "there ", file);
    if (line) here = line;
    found = found || (is_kind && here && there &&
                      ((lies_in(here, one) && lies_in(there, other)) ||
                       (lies_in(here, other) && lies_in(there, one))));
  }
  return found;
}
