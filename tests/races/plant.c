/* Mistakes in kernels; usage() below lists what it does. */

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/harness/program/reason.h"
#include "tools/source/place.h"
#include "tools/source/source.h"

enum { SITES_MAX = 1000, LINE_MAX_SIZE = 1024, PATH_SIZE = 300 };

static int usage(void) {
  fprintf(stderr,
          "usage: plant list LIST               one a line: STAGE|NAME\n"
          "       plant kernel LIST STAGE NAME  prints the stage's kernel with "
          "that mistake\n"
          "       plant found LIST STAGE NAME KERNEL LOG\n"
          "                                     has race, which said LOG of "
          "that kernel, named it?\n"
          "       plant edit FILE PLACE EDIT    prints a file with any edit\n"
          "       plant sites FILE              names each barrier, wait, "
          "arrival, fence and commit\n"
          "Exit status: 0 pass, 1 something does not fit, 2 wrong command "
          "line.\n");
  return EXIT_USAGE;
}

static int fail(const char *what, const char *why) {
  fprintf(stderr, "%s: %s\n", what, why);
  return EXIT_FAILED;
}

/* ---- one file ---- */

static int run_edit(char **arguments) {
  source s;
  place at;
  edit edits[2];
  int count = 0;
  char *text = NULL;
  if (source_read(&s, arguments[0]) && place_find(&s, arguments[1], &at) &&
      edit_read(&s, &at, arguments[2], edits, &count)) {
    text = edits_apply(&s, edits, count);
    edits_free(edits, count);
  }
  if (text) fputs(text, stdout);
  const int code = text ? EXIT_PASS : fail(arguments[0], s.why.text);
  source_free(&s);
  free(text);
  return code;
}

static int run_sites(char **arguments) {
  static site found[SITES_MAX];
  source s;
  if (!source_read(&s, arguments[0])) return fail(arguments[0], s.why.text);
  const int count = sites_find(&s, synchronising, found, SITES_MAX);
  for (int i = 0; i < count && i < SITES_MAX; i++) {
    char name[256];
    site_name(&s, &found[i], name, sizeof name);
    printf("%s\n", name);
  }
  source_free(&s);
  return count <= SITES_MAX ? EXIT_PASS : EXIT_FAILED;
}

/* ---- a list ---- */

/* The fields of a line; places and edits are those of tools/source. */
enum { STAGE, NAME, PLACE, EDIT, FINDING, ONE, OTHER, FIELDS };
typedef struct {
  char line[LINE_MAX_SIZE];
  char *field[FIELDS];
} mistake;

static char *trimmed(char *text) {
  text += strspn(text, " ");
  for (size_t n = strlen(text); n > 0 && isspace((unsigned char)text[n - 1]);)
    text[--n] = '\0';
  return text;
}

/* The next line that is no comment; false at the end, or where one has not
 * seven fields, which is said. */
static bool next_mistake(FILE *list, mistake *m) {
  while (fgets(m->line, sizeof m->line, list)) {
    if (*m->line == '#' || *m->line == '\n') continue;
    int count = 0;
    for (char *rest = m->line, *field; (field = strsep(&rest, "|")); count++)
      if (count < FIELDS) m->field[count] = trimmed(field);
    if (count != FIELDS) fail(m->field[NAME], "not seven fields in the list.");
    return count == FIELDS;
  }
  return false;
}

static int run_list(char **arguments) {
  mistake m;
  FILE *list = fopen(arguments[0], "r");
  if (!list) return fail(arguments[0], "cannot be read.");
  while (next_mistake(list, &m))
    printf("%s|%s\n", m.field[STAGE], m.field[NAME]);
  const bool whole = feof(list);
  fclose(list);
  return whole ? EXIT_PASS : EXIT_FAILED;
}

/* The mistake that the arguments name: LIST STAGE NAME. */
static bool find_mistake(char **arguments, mistake *m) {
  FILE *list = fopen(arguments[0], "r");
  bool found = false;
  while (list && !found && next_mistake(list, m))
    found = !strcmp(m->field[STAGE], arguments[1]) &&
            !strcmp(m->field[NAME], arguments[2]);
  if (list) fclose(list);
  if (!found) fail(arguments[2], "there is no such mistake in that list.");
  return found;
}

static int run_kernel(char **arguments) {
  mistake m;
  char path[PATH_SIZE];
  if (!find_mistake(arguments, &m)) return EXIT_FAILED;
  kernel_path(path, sizeof path, m.field[STAGE]);
  return run_edit((char *[]){path, m.field[PLACE], m.field[EDIT]});
}

/* ---- what race has said ---- */

typedef struct {
  int first, last;
} lines;

static bool lines_of(source *s, const char *name, lines *of) {
  place at;
  if (!place_find(s, name, &at)) return false;
  *of = (lines){source_line(s, at.begin), source_line(s, at.end)};
  return true;
}

/* The number behind these words, or 0. */
static int number_behind(const char *text, const char *words) {
  const size_t length = strlen(words);
  text += strspn(text, " ");
  return strncmp(text, words, length) ? 0 : atoi(text + length);
}

/* Whether it says a finding of that kind one of whose two places lies in these
 * lines of the file, and the other one in those: itself, or a call that led
 * there. */
static bool is_named(FILE *log, const char *file, const char *kind, lines one,
                     lines other) {
  char text[1024], label[2][PATH_SIZE + 16], head[128];
  bool is_kind = false, hit[2][2] = {{false}};
  int now = 0;
  snprintf(label[0], sizeof label[0], "here  %s:", file);
  snprintf(label[1], sizeof label[1], "there %s:", file);
  snprintf(head, sizeof head, "%s:", kind);
  while (fgets(text, sizeof text, log)) {
    if (islower((unsigned char)*text)) {
      is_kind = !strncmp(text, head, strlen(head));
      memset(hit, 0, sizeof hit);
    }
    int line = number_behind(text, "called in line ");
    for (int i = 0; i < 2; i++)
      if (number_behind(text, label[i]))
        now = i, line = number_behind(text, label[i]);
    hit[now][0] |= line >= one.first && line <= one.last;
    hit[now][1] |= line >= other.first && line <= other.last;
    if (is_kind && ((hit[0][0] && hit[1][1]) || (hit[0][1] && hit[1][0])))
      return true;
  }
  return false;
}

static int run_found(char **arguments) {
  mistake m;
  source s;
  lines one, other;
  char path[PATH_SIZE];
  if (!find_mistake(arguments, &m)) return EXIT_FAILED;
  kernel_path(path, sizeof path, m.field[STAGE]);
  FILE *log = fopen(arguments[4], "r");
  if (!log) return fail(arguments[4], "cannot be read.");
  const bool placed = source_read(&s, arguments[3]) &&
                      lines_of(&s, m.field[ONE], &one) &&
                      lines_of(&s, m.field[OTHER], &other);
  const bool found =
      placed && is_named(log, path, m.field[FINDING], one, other);
  if (!placed) fail(arguments[3], s.why.text);
  else if (!found) fail(m.field[FINDING], "none with its two lines.");
  source_free(&s);
  fclose(log);
  return found ? EXIT_PASS : EXIT_FAILED;
}

int main(int argc, char **argv) {
  static const struct {
    const char *verb;
    int arguments;
    int (*run)(char **arguments);
  } known[] = {{"list", 1, run_list},
               {"kernel", 3, run_kernel},
               {"found", 5, run_found},
               {"edit", 3, run_edit},
               {"sites", 1, run_sites}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (argc == known[i].arguments + 2 && !strcmp(argv[1], known[i].verb))
      return known[i].run(argv + 2);
  return usage();
}
