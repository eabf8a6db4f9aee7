#include "tests/runner/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_LINES = 60 };

static const char *next_line(const char *line) {
  const char *end = strchr(line, '\n');
  return end ? end + 1 : line + strlen(line);
}

static int length_of(const char *line) {
  return (int)strcspn(line, "\n");
}

static bool begins(const char *line, const char *text) {
  return strncmp(line, text, strlen(text)) == 0;
}

static const char *skip_of(const char *line) {
  if (!begins(line, "ok ")) return NULL;
  const char *found = strcasestr(line, "# skip");
  return found && found - line < length_of(line) ? found : NULL;
}

tap tap_read(const char *text, int exit_code) {
  tap result = {0};
  int planned = 0;
  for (const char *line = text; *line; line = next_line(line)) {
    if (begins(line, "not ok "))
      result.failed++;
    else if (skip_of(line))
      result.skipped++;
    else if (begins(line, "ok "))
      result.passed++;
    else if (begins(line, "1.."))
      planned += atoi(line + 3);
  }
  const int ran = result.passed + result.failed + result.skipped;
  if (ran != planned || planned == 0)
    snprintf(result.why, sizeof result.why,
             "ran %d tests of %d, exit code %d", ran, planned, exit_code);
  else if (result.failed == 0 && exit_code != 0)
    snprintf(result.why, sizeof result.why,
             "all tests passed, but its exit code was %d", exit_code);
  if (*result.why) result.failed++;
  return result;
}

char *tap_skips(const char *text) {
  char *skips = NULL;
  size_t size = 0;
  FILE *file = open_memstream(&skips, &size);
  for (const char *line = text; file && *line; line = next_line(line)) {
    if (!skip_of(line)) continue;
    const int numbered = 3 + (int)strspn(line + 3, "0123456789");
    const int start = numbered + (int)strspn(line + numbered, " -");
    fprintf(file, "skipped %.*s\n", length_of(line) - start, line + start);
  }
  if (file) fclose(file);
  return skips ? skips : strdup("");
}

void tap_print_failures(const char *text) {
  int lines = 0;
  for (const char *line = text; *line; line = next_line(line))
    lines += !begins(line, "ok ");
  for (const char *line = text; *line; line = next_line(line))
    if (!begins(line, "ok ") && lines-- <= SHOWN_LINES)
      printf("    %.*s\n", length_of(line), line);
}
