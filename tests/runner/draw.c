#include "tests/runner/draw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/harness/program/exit_codes.h"
#include "tests/runner/sha256.h"

enum { MOST_CHANGES = 1 << 16 };

/* What a command prints; nothing where there is no git. */
static void said_by(const char *command, char *text, size_t size) {
  FILE *from = popen(command, "r");
  const size_t length = from ? fread(text, 1, size - 1, from) : 0;
  text[length] = '\0';
  if (from) pclose(from);
}

const char *draw_seed(void) {
  static char commit[64];
  const char *asked = getenv("SEED");
  if (asked && *asked) return asked;
  if (!*commit) {
    said_by("git rev-parse --short=12 HEAD 2>/dev/null", commit, sizeof commit);
    commit[strcspn(commit, "\n")] = '\0';
  }
  return *commit ? commit : "1";
}

/* Is a file of this folder among the changed ones, a path a line? */
static bool has_changed(const char *folder, const char *changes) {
  const size_t length = strlen(folder);
  for (const char *line = changes; *line; line += strcspn(line, "\n"),
                  line += *line == '\n')
    if (!strncmp(line, folder, length) && line[length] == '/') return true;
  return false;
}

typedef struct {
  unit what;
  bool changed;
  char lot[SHA256_TEXT];
} ticket;

static int order(const void *a, const void *b) {
  const ticket *one = a, *other = b;
  if (one->changed != other->changed) return other->changed - one->changed;
  return strcmp(one->lot, other->lot);
}

static void *checked(void *memory) {
  if (memory) return memory;
  fprintf(stderr, "The tests' runner has no memory left.\n");
  exit(EXIT_IMPOSSIBLE);
}

int draw(unit_list *units) {
  static char changes[MOST_CHANGES];
  const size_t count = (size_t)units->count;
  ticket *tickets = checked(malloc((count + 1) * sizeof *tickets));
  unit *left = checked(malloc((count + 1) * sizeof *left));
  int kept = 0, others = 0;
  said_by("git diff --name-only HEAD~1 2>/dev/null; "
          "git ls-files -o --exclude-standard 2>/dev/null",
          changes, sizeof changes);
  for (int i = 0; i < units->count;) {
    const unit *first = &units->list[i];
    int same = 0;
    for (; i < units->count && !strcmp(units->list[i].program, first->program);
         i++) {
      ticket *one = &tickets[same++];
      char lot[512];
      one->what = units->list[i];
      const char *folder = one->what.argument ? one->what.argument : "";
      one->changed = *folder && has_changed(folder, changes);
      snprintf(lot, sizeof lot, "%s %s", draw_seed(), one->what.name);
      sha256_text(lot, strlen(lot), one->lot);
    }
    const int most = first->drawn ? first->drawn : same;
    if (most < same) qsort(tickets, (size_t)same, sizeof *tickets, order);
    for (int t = 0; t < same; t++)
      if (t < most)
        units->list[kept++] = tickets[t].what;
      else
        left[others++] = tickets[t].what;
  }
  for (int i = 0; i < others; i++) units->list[kept + i] = left[i];
  free(tickets);
  free(left);
  return kept;
}
