/* What ptxas says that kernels use: see `resources --help`. */

#include <argp.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "tools/resources/report.h"

enum { PASS = 0, FAILED = 1, USAGE = 2, WORDS_MAX = 256 };

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

typedef struct {
  char *words[WORDS_MAX];
  int count;
} command_line;

static int fail(int code, const char *why) {
  fflush(stdout);
  fprintf(stderr, "%s\n", why);
  return code;
}

static bool read_or_say(resource_report *r, const char *path) {
  if (report_read(r, path)) return true;
  fflush(stdout);
  fprintf(stderr, "No resource report in %s.\n", path);
  return false;
}

static int print_report(const char *path, bool registers_only) {
  resource_report r;
  char text[REPORT_TEXT];
  if (!read_or_say(&r, path)) return FAILED;
  report_text(&r, text);
  if (registers_only)
    printf("%d\n", (r.registers + 7) / 8 * 8);
  else
    printf("%s\n", text);
  return PASS;
}

/* One row: ARM is STAGE/ARM, CUBIN its machine code for one architecture. */
static int print_row(const char *arm, const char *stage, const char *cubin) {
  resource_report r;
  char path[1024], over[REPORT_TEXT], label[600];
  snprintf(path, sizeof path, "%s.ptxas", cubin);
  if (!read_or_say(&r, path)) return FAILED;
  if (!report_over(&r, stage, over)) return fail(FAILED, over);
  const char *name = strrchr(cubin, '/') + 1;
  snprintf(label, sizeof label, "%s %.*s", arm, (int)strcspn(name, "."), name);
  printf("%-44s %9d %7d %6d %6d%s\n", label, r.registers, r.shared_bytes,
         r.stack_bytes, r.spill_bytes, over);
  return *over ? FAILED : PASS;
}

static int print_table(char *const *arms, int count) {
  int code = PASS;
  printf("%-44s %9s %7s %6s %6s\n", "kernel", "registers", "shared", "stack",
         "spills");
  for (int i = 0; i < count; i++) {
    char stage[512], pattern[1024];
    glob_t found;
    snprintf(stage, sizeof stage, "%.*s", (int)strcspn(arms[i], "/"), arms[i]);
    snprintf(pattern, sizeof pattern, "build/gpu/%s/sm_*.cubin", arms[i]);
    if (glob(pattern, 0, NULL, &found)) {
      fprintf(stderr, "There is no machine code of %s.\n", arms[i]);
      return FAILED;
    }
    for (size_t c = 0; c < found.gl_pathc; c++)
      if (print_row(arms[i], stage, found.gl_pathv[c])) code = FAILED;
    globfree(&found);
  }
  return code;
}

static error_t take(int key, char *word, struct argp_state *state) {
  command_line *c = state->input;
  if (key == ARGP_KEY_ARG) {
    if (c->count == WORDS_MAX)
      argp_failure(state, USAGE, 0, "More than %d words.", WORDS_MAX);
    c->words[c->count++] = word;
    return 0;
  }
  if (key == ARGP_KEY_END && c->count < 2)
    argp_failure(state, USAGE, 0, "Give a verb and what it is about; --help "
                 "lists the verbs.");
  return key == ARGP_KEY_END ? 0 : ARGP_ERR_UNKNOWN;
}

int main(int argc, char **argv) {
  const struct argp parser = {NULL, take, "VERB REPORT|STAGE/ARM...", help,
                              NULL, NULL, NULL};
  command_line c = {.count = 0};
  argp_err_exit_status = USAGE;
  argp_parse(&parser, argc, argv, 0, NULL, &c);
  const char *verb = c.words[0];
  if (!strcmp(verb, "table")) return print_table(c.words + 1, c.count - 1);
  if (!strcmp(verb, "read")) return print_report(c.words[1], false);
  if (!strcmp(verb, "allotted")) return print_report(c.words[1], true);
  fprintf(stderr, "resources has no verb '%s'; --help lists them.\n", verb);
  return USAGE;
}
