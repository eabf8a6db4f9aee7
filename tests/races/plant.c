/* Mistakes in kernels; usage() below lists what it does. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/harness/program/exit_codes.h"
#include "tests/races/findings.h"
#include "tests/races/gates.h"
#include "tests/races/mistakes.h"
#include "tools/source/edit.h"
#include "tools/source/kernel_path.h"
#include "tools/source/sites.h"

enum { SITES_MAX = 1000 };

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
          "       plant gates <VERDICTS         makes JSON of lines "
          "STAGE|NAME|VERDICT\n"
          "Exit status: 0 pass, 1 something does not fit, 2 wrong command "
          "line.\n");
  return EXIT_USAGE;
}

/* ---- one edit ---- */

static int print_edited(const char *path, const char *where, const char *words,
                        reason *why) {
  source s;
  place at;
  edit edits[2];
  int count = 0;
  char *text = NULL;
  if (source_read(&s, path) && place_find(&s, where, &at) &&
      edit_read(&s, &at, words, edits, &count)) {
    text = edits_apply(&s, edits, count);
    edits_free(edits, count);
  }
  if (text) fputs(text, stdout);
  *why = s.why;
  source_free(&s);
  free(text);
  return text ? EXIT_PASS : EXIT_FAILED;
}

static int run_edit(char **arguments) {
  reason why;
  const int code = print_edited(arguments[0], arguments[1], arguments[2], &why);
  if (code) fprintf(stderr, "%s\n", why.text);
  return code;
}

static int run_sites(char **arguments) {
  static site found[SITES_MAX];
  source s;
  const bool read = source_read(&s, arguments[0]);
  const int count = read ? sites_find(&s, synchronising, found, SITES_MAX) : 0;
  for (int i = 0; i < count && i < SITES_MAX; i++) {
    char name[256];
    site_name(&s, &found[i], name, sizeof name);
    printf("%s\n", name);
  }
  if (!read) fprintf(stderr, "%s\n", s.why.text);
  source_free(&s);
  return read && count <= SITES_MAX ? EXIT_PASS : EXIT_FAILED;
}

/* ---- entries of a list ---- */

static int run_list(char **arguments) {
  mistakes list;
  const bool read = mistakes_read(&list, arguments[0]);
  for (int i = 0; read && i < list.count; i++)
    printf("%s|%s\n", list.all[i].stage, list.all[i].name);
  if (!read) fprintf(stderr, "%s\n", list.why.text);
  mistakes_free(&list);
  return read ? EXIT_PASS : EXIT_FAILED;
}

/* Does something with the entry that the arguments name: LIST STAGE NAME. */
static int with_entry(char **arguments,
                      int (*act)(const mistake *, char **, reason *)) {
  mistakes list;
  reason why = {""};
  int code = EXIT_FAILED;
  const mistake *m = NULL;
  if (mistakes_read(&list, arguments[0]))
    m = mistakes_find(&list, arguments[1], arguments[2]);
  if (!m)
    fprintf(stderr, "%s\n", list.why.text);
  else if ((code = act(m, arguments + 3, &why)))
    fprintf(stderr, "%s, '%s' of %s: %s\n", arguments[0], m->name, m->stage,
            why.text);
  mistakes_free(&list);
  return code;
}

static int print_planted(const mistake *m, char **rest, reason *why) {
  char path[256];
  (void)rest;
  kernel_path(path, sizeof path, m->stage);
  return print_edited(path, m->place, m->edit, why);
}

static int run_kernel(char **arguments) {
  return with_entry(arguments, print_planted);
}

static bool lines_of(source *s, const char *name, line_range *lines) {
  place at;
  if (!place_find(s, name, &at)) return false;
  *lines = (line_range){source_line(s, at.begin), source_line(s, at.end)};
  return true;
}

static bool is_named(const mistake *m, source *kernel, const char *log_name) {
  char file[256];
  line_range one, other;
  if (!lines_of(kernel, m->one, &one) || !lines_of(kernel, m->other, &other))
    return false;
  FILE *log = fopen(log_name, "r");
  if (!log)
    return refuse(&kernel->why, "Cannot read %s: %s.", log_name,
                  strerror(errno));
  kernel_path(file, sizeof file, m->stage);
  const bool found = findings_name(log, file, m->finding, one, other);
  fclose(log);
  return found || refuse(&kernel->why, "no '%s' shows line %d and line %d.",
                         m->finding, one.first, other.first);
}

static int look_for(const mistake *m, char **rest, reason *why) {
  source kernel;
  const bool found =
      source_read(&kernel, rest[0]) && is_named(m, &kernel, rest[1]);
  *why = kernel.why;
  source_free(&kernel);
  return found ? EXIT_PASS : EXIT_FAILED;
}

static int run_found(char **arguments) {
  return with_entry(arguments, look_for);
}

static int run_gates(char **arguments) {
  (void)arguments;
  if (gates_write(stdin, stdout)) return EXIT_PASS;
  fprintf(stderr, "Every line must be STAGE|NAME|VERDICT.\n");
  return EXIT_FAILED;
}

int main(int argc, char **argv) {
  static const struct {
    const char *verb;
    int arguments;
    int (*run)(char **arguments);
  } known[] = {{"list", 1, run_list},   {"kernel", 3, run_kernel},
               {"found", 5, run_found}, {"edit", 3, run_edit},
               {"sites", 1, run_sites}, {"gates", 0, run_gates}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (argc == known[i].arguments + 2 && !strcmp(argv[1], known[i].verb))
      return known[i].run(argv + 2);
  return usage();
}
