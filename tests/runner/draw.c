#include "tests/runner/draw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/runner/command.h"
#include "tests/runner/sha256.h"

const char *draw_seed(void) {
  static char *commit;
  const char *asked = getenv("SEED");
  if (asked && *asked) return asked;
  if (!commit) {
    commit = command_output("git rev-parse --short=12 HEAD 2>/dev/null");
    commit[strcspn(commit, "\n")] = '\0';
  }
  return *commit ? commit : "1";
}

/* Has the last commit or the reader changed it, or a file of that folder? */
static bool has_changed(const char *path) {
  static char *changes; /* a path a line */
  const size_t length = strlen(path);
  if (!changes)
    changes = command_output("git diff --name-only HEAD~1 2>/dev/null; "
                             "git ls-files -o --exclude-standard 2>/dev/null");
  for (const char *line = changes; line; line = strchr(line, '\n')) {
    line += *line == '\n';
    if (!strncmp(line, path, length) && strchr("/\n", line[length]))
      return true;
  }
  return false;
}

static void lot_of(const unit *one, char lot[SHA256_TEXT]) {
  char text[512];
  snprintf(text, sizeof text, "%s %s", draw_seed(), one->name);
  sha256_text(text, strlen(text), lot);
}

static bool goes_before(const unit *one, const unit *other) {
  const bool changed = has_changed(one->argument);
  char lot[SHA256_TEXT], other_lot[SHA256_TEXT];
  if (changed != has_changed(other->argument)) return changed;
  lot_of(one, lot);
  lot_of(other, other_lot);
  return strcmp(lot, other_lot) < 0;
}

bool draw_takes(const unit_list *units, const unit *one) {
  int before = 0;
  if (!one->drawn || !one->argument) return true;
  for (int i = 0; i < units->count; i++) {
    const unit *other = &units->list[i];
    before += other->argument && !strcmp(other->program, one->program) &&
              goes_before(other, one);
  }
  return before < one->drawn;
}
