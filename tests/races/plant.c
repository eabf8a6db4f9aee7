/* The mistakes of planted.list, in kernels:
 *   plant list LIST                 one a line: STAGE|NAME
 *   plant kernel LIST STAGE NAME    prints the stage's kernel with that mistake
 *   plant found LIST STAGE NAME KERNEL LOG
 *                                   has `race`, which said LOG of that kernel,
 *                                   named the mistake and both places?
 *   plant gates <VERDICTS           makes JSON of lines STAGE|NAME|VERDICT
 *   plant edit FILE PLACE EDIT      prints any file with any edit
 *   plant sites FILE                names each barrier, wait, arrival, fence
 *                                   and commit of a kernel, one a line
 * Exit 1 if something is not found, 2 if the command line is wrong. */

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/races/findings.h"
#include "tests/races/mistakes.h"
#include "tools/source/edit.h"
#include "tools/source/sites.h"

enum { PASS = 0, FAILED = 1, USAGE = 2, SITES_MAX = 1000 };

static int fail(const char *list, const char *entry, const char *why) {
  fprintf(stderr, "%s%s%s%s%s\n", list, *list ? ", " : "", entry,
          *entry ? ": " : "", why);
  return FAILED;
}

/* Prints the file with the edit. */
static int print_edited(const char *list, const char *entry, const char *path,
                        const char *where, const char *words) {
  source s;
  place at;
  edit edits[2];
  int count = 0;
  char *text = NULL;
  if (source_read(&s, path) && place_find(&s, where, &at) &&
      edit_read(&s, &at, words, edits, &count))
    text = edits_apply(&s, edits, count);
  else
    count = 0;
  if (text) fputs(text, stdout);
  const int code = text ? PASS : fail(list, entry, s.why.text);
  free(text);
  edits_free(edits, count);
  source_free(&s);
  return code;
}

static int plant(const char *list, const mistake *m) {
  char path[256], entry[256];
  snprintf(path, sizeof path, "%s/kernel.cu", m->stage);
  snprintf(entry, sizeof entry, "'%s' of %s", m->name, m->stage);
  return print_edited(list, entry, path, m->place, m->edit);
}

static bool lines_of(source *s, const char *name, line_range *lines) {
  place at;
  if (!place_find(s, name, &at)) return false;
  *lines = (line_range){source_line(s, at.begin), source_line(s, at.end)};
  return true;
}

static int find(const char *list, const mistake *m, const char *kernel,
                FILE *log) {
  source s;
  line_range one, other;
  char file[256], entry[256];
  int code = FAILED;
  snprintf(file, sizeof file, "%s/kernel.cu", m->stage);
  snprintf(entry, sizeof entry, "'%s' of %s", m->name, m->stage);
  if (!source_read(&s, kernel) || !lines_of(&s, m->one, &one) ||
      !lines_of(&s, m->other, &other)) {
    fail(list, entry, s.why.text);
  } else if (findings_name(log, file, m->finding, one, other)) {
    code = PASS;
  } else {
    fprintf(stderr, "%s, %s: no '%s' shows line %d and line %d.\n", list, entry,
            m->finding, one.first, other.first);
  }
  source_free(&s);
  return code;
}

static int list_names(const mistakes *list) {
  for (int i = 0; i < list->count; i++)
    printf("%s|%s\n", list->all[i].stage, list->all[i].name);
  return PASS;
}

static int with_list(int argc, char **argv) {
  mistakes list;
  const mistake *m = NULL;
  int code = FAILED;
  FILE *log = argc == 7 ? fopen(argv[6], "r") : NULL;
  const bool read = mistakes_read(&list, argv[2]);
  if (read && argc > 3) m = mistakes_find(&list, argv[3], argv[4]);
  if (read && argc == 3)
    code = list_names(&list);
  else if (!m)
    code = fail(read ? argv[2] : "", "", list.why.text);
  else if (argc == 5)
    code = plant(argv[2], m);
  else if (log)
    code = find(argv[2], m, argv[5], log);
  else
    perror(argv[6]);
  if (log) fclose(log);
  mistakes_free(&list);
  return code;
}

/* What the book reads: which mistakes pass the gates on a GPU. */
static int write_gates(FILE *verdicts) {
  char line[512];
  int passed = 0;
  json_t *planted = json_array();
  while (fgets(line, sizeof line, verdicts)) {
    char *rest = line;
    line[strcspn(line, "\n")] = '\0';
    const char *stage = strsep(&rest, "|"), *name = strsep(&rest, "|");
    if (!name || !rest) return fail("", "", "A line is STAGE|NAME|VERDICT.");
    passed += !strcmp(rest, "passed");
    json_array_append_new(planted, json_pack("{s:s, s:s, s:s}", "stage", stage,
                                             "mistake", name, "gates", rest));
  }
  json_t *all = json_pack("{s:o, s:i, s:i}", "planted", planted, "passed",
                          passed, "total", (int)json_array_size(planted));
  const int code = json_dumpf(all, stdout, JSON_INDENT(1)) ? FAILED : PASS;
  putchar('\n');
  json_decref(all);
  return code;
}

static int list_sites(const char *path) {
  static site found[SITES_MAX];
  source s;
  int code = PASS;
  if (!source_read(&s, path)) {
    code = fail("", "", s.why.text);
  } else {
    const int count = sites_find(&s, synchronising, found, SITES_MAX);
    for (int i = 0; i < count && i < SITES_MAX; i++) {
      char name[256];
      site_name(&s, &found[i], name, sizeof name);
      printf("%s\n", name);
    }
  }
  source_free(&s);
  return code;
}

int main(int argc, char **argv) {
  static const struct {
    const char *verb;
    int arguments;
  } known[] = {{"list", 3}, {"kernel", 5}, {"found", 7}, {"gates", 2},
               {"edit", 5}, {"sites", 3}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (argc < 2 || strcmp(argv[1], known[i].verb)) continue;
    if (argc != known[i].arguments) break;
    if (!strcmp(argv[1], "gates")) return write_gates(stdin);
    if (!strcmp(argv[1], "edit"))
      return print_edited("", "", argv[2], argv[3], argv[4]);
    if (!strcmp(argv[1], "sites")) return list_sites(argv[2]);
    return with_list(argc, argv);
  }
  fprintf(stderr, "usage: plant list LIST\n"
          "       plant kernel LIST STAGE NAME\n"
          "       plant found LIST STAGE NAME KERNEL LOG\n"
          "       plant gates <VERDICTS\n"
          "       plant edit FILE PLACE EDIT\n"
          "       plant sites FILE\n");
  return USAGE;
}
