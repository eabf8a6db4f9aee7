#include "tests/runner/unit.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/harness/program/exit_codes.h"

enum { HEADER_LINES = 20, USUAL = 3 };

static void *checked(void *memory) {
  if (memory) return memory;
  fprintf(stderr, "The tests' runner has no memory left.\n");
  exit(EXIT_IMPOSSIBLE);
}

static void add(unit_list *units, unit one, const char *argument) {
  const size_t count = (size_t)units->count + 1;
  units->list = checked(realloc(units->list, count * sizeof one));
  one.program = checked(strdup(one.program));
  one.argument = argument ? checked(strdup(argument)) : NULL;
  const char *text = argument ? argument : "";
  const size_t size = strlen(one.program) + strlen(text) + 2;
  one.name = checked(malloc(size));
  snprintf(one.name, size, "%s%s%s", one.program, argument ? " " : "", text);
  units->list[units->count++] = one;
}

static bool has_file(const char *folder, const char *file) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", folder, file);
  return *file && access(path, F_OK) == 0;
}

static void add_each(unit_list *units, const unit *one, const char *pattern,
                     const char *without, const char *argument) {
  glob_t found;
  if (glob(pattern, 0, NULL, &found)) return add(units, *one, argument);
  for (size_t i = 0; i < found.gl_pathc; i++)
    if ((!argument || !strcmp(found.gl_pathv[i], argument)) &&
        !has_file(found.gl_pathv[i], without))
      add(units, *one, found.gl_pathv[i]);
  globfree(&found);
}

bool unit_is_script(const char *program) {
  const char *dot = strrchr(program, '.');
  return dot && (!strcmp(dot, ".sh") || !strcmp(dot, ".lua"));
}

/* What a comment of the shell or of Lua says. */
static const char *comment(const char *line) {
  if (!strncmp(line, "# ", 2)) return line + 2;
  return strncmp(line, "-- ", 3) ? "" : line + 3;
}

void units_add(unit_list *units, const char *program, const char *argument) {
  unit one = {.program = (char *)program, .takes = USUAL};
  char line[256], pattern[256] = "", without[128] = "";
  FILE *file = unit_is_script(program) ? fopen(program, "r") : NULL;
  for (int i = 0; file && i < HEADER_LINES && fgets(line, sizeof line, file);
       i++) {
    const char *text = comment(line);
    if (!strncmp(text, "alone: ", 7)) one.alone = true;
    if (!strncmp(text, "never kept: ", 12)) one.never_kept = true;
    sscanf(text, "takes: %d s", &one.takes);
    sscanf(text, "drawn: %d", &one.drawn);
    sscanf(text, "for each %255s without %127s", pattern, without);
  }
  if (file) fclose(file);
  if (*pattern)
    add_each(units, &one, pattern, without, argument);
  else
    add(units, one, argument);
}

static int order(const void *a, const void *b) {
  const unit *one = a, *other = b;
  if (one->alone != other->alone) return one->alone - other->alone;
  if (one->takes != other->takes) return other->takes - one->takes;
  return strcmp(one->name, other->name);
}

void units_sort(unit_list *units) {
  if (units->count)
    qsort(units->list, (size_t)units->count, sizeof *units->list, order);
}

void unit_free(unit *one) {
  free(one->program);
  free(one->argument);
  free(one->name);
}

void units_free(unit_list *units) {
  for (int i = 0; i < units->count; i++) unit_free(&units->list[i]);
  free(units->list);
}
