/* What ptxas says that kernels use: see `resources --help`. */

#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "common/harness/program/reason.h"
#include "tools/common/command.h"
#include "tools/resources/report.h"

static const char help[] =
    "What the compiler says that kernels use, and whether it is within the "
    "stage's budget."
    "\v"
    "read REPORT        registers=N shared_bytes=N stack_bytes=N "
    "spill_bytes=N\n"
    "allotted REPORT    the number of registers, rounded up to the next "
    "eight, which is how they are allotted\n"
    "table STAGE/ARM... every architecture that is built, against the budget "
    "in common/harness/settings.json; exit 1 if it is exceeded";

static bool read_or_say(resource_report *r, const char *path) {
  if (report_read(r, path)) return true;
  fflush(stdout);
  fprintf(stderr, "No resource report in %s.\n", path);
  return false;
}

static int print_report(const char *path, bool registers_only) {
  resource_report r;
  char text[REPORT_TEXT];
  if (!read_or_say(&r, path)) return EXIT_FAILED;
  report_text(&r, text);
  if (registers_only)
    printf("%d\n", (r.registers + 7) / 8 * 8);
  else
    printf("%s\n", text);
  return EXIT_PASS;
}

/* One row: ARM is STAGE/ARM, CUBIN its machine code for one architecture. */
static int print_row(const char *arm, const char *stage, const char *cubin) {
  resource_report r;
  char path[1024], over[REPORT_TEXT], label[600];
  snprintf(path, sizeof path, "%s.ptxas", cubin);
  if (!read_or_say(&r, path)) return EXIT_FAILED;
  if (!report_over(&r, stage, over)) return give_up(NULL, EXIT_FAILED, over);
  const char *name = strrchr(cubin, '/') + 1;
  snprintf(label, sizeof label, "%s %.*s", arm, (int)strcspn(name, "."), name);
  printf("%-44s %9d %7d %6d %6d%s\n", label, r.registers, r.shared_bytes,
         r.stack_bytes, r.spill_bytes, over);
  return *over ? EXIT_FAILED : EXIT_PASS;
}

static int print_table(char *const *arms, int count) {
  int code = EXIT_PASS;
  printf("%-44s %9s %7s %6s %6s\n", "kernel", "registers", "shared", "stack",
         "spills");
  for (int i = 0; i < count; i++) {
    char stage[512], pattern[1024];
    glob_t found;
    snprintf(stage, sizeof stage, "%.*s", (int)strcspn(arms[i], "/"), arms[i]);
    snprintf(pattern, sizeof pattern, "build/gpu/%s/sm_*.cubin", arms[i]);
    if (glob(pattern, 0, NULL, &found)) {
      fprintf(stderr, "There is no machine code of %s.\n", arms[i]);
      return EXIT_FAILED;
    }
    for (size_t c = 0; c < found.gl_pathc; c++)
      if (print_row(arms[i], stage, found.gl_pathv[c])) code = EXIT_FAILED;
    globfree(&found);
  }
  return code;
}

int main(int argc, char **argv) {
  static const char usage[] = "VERB REPORT|STAGE/ARM...";
  word_list c;
  words_parse(&c, usage, help, argc, argv);
  const char *verb = c.words[0];
  if (!strcmp(verb, "table")) return print_table(c.words + 1, c.count - 1);
  if (!strcmp(verb, "read")) return print_report(c.words[1], false);
  if (!strcmp(verb, "allotted")) return print_report(c.words[1], true);
  fprintf(stderr, "resources has no verb '%s'; --help lists them.\n", verb);
  return EXIT_USAGE;
}
