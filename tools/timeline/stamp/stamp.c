/* stamp STAGE: prints a copy of the stage's kernel that stamps its phases, as
 * tools/timeline/stamp/STAGE.phases says. Exit 1 if the list doesn't fit the
 * kernel, 2 if the stage has none.
 *
 * A list has one rule a line, PHASE before|after PLACE, with a place as
 * tools/source/place.h has it. `open` comes before the kernel's own code,
 * `begin` where a block starts. Where the roles of a kernel are functions, they
 * get the block's writer with their work: `field` makes room for it in that
 * struct, `hand` puts it there, and `take` takes it out. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/harness/program/reason.h"
#include "tools/source/place.h"
#include "tools/source/source.h"

enum { RULES_MAX = 128 };

typedef struct {
  source kernel;
  edit edits[RULES_MAX];
  int count, opens, begins;
  char phases[1024]; /* all that the list names, as the bits of a number */
} stamping;

//> stamp-kernel
/* What the kernel is given for a phase of the list. */
static void code_of(const char *phase, char *code, size_t size) {
  if (!strcmp(phase, "open"))
    snprintf(code, size, "#include \"tools/timeline/stamp/stamps.cuh\"\n"
             "namespace stamped {");
  else if (!strcmp(phase, "begin"))
    snprintf(code, size, "stamp_writer stamp;");
  else if (!strcmp(phase, "field"))
    snprintf(code, size, "mutable stamp_writer *stamps = nullptr;");
  else if (!strcmp(phase, "hand"))
    snprintf(code, size, "todo.stamps = &stamp;");
  else if (!strcmp(phase, "take"))
    snprintf(code, size, "stamp_writer &stamp = *todo.stamps;");
  else
    snprintf(code, size, "stamp(PHASE_%s);", phase);
}

static void note_phase(stamping *t, const char *code) {
  char name[80];
  const size_t used = strlen(t->phases);
  if (sscanf(code, "stamp(%79[^)])", name) == 1 && !strstr(t->phases, name))
    snprintf(t->phases + used, sizeof t->phases - used, " | 1u << %s", name);
}

/* One rule of the list: PHASE before|after PLACE. */
static bool add_stamp(stamping *t, const char *rule) {
  char phase[32], where[8], code[80], words[90];
  int name = 0, added;
  place at;
  if (sscanf(rule, "%31s %7s %n", phase, where, &name) < 2 || !rule[name] ||
      (strcmp(where, "before") && strcmp(where, "after")))
    return refuse(&t->kernel.why, "It is not PHASE before|after PLACE.");
  code_of(phase, code, sizeof code);
  note_phase(t, code);
  snprintf(words, sizeof words, "%s %s", where, code);
  if (!place_find(&t->kernel, rule + name, &at) ||
      !edit_read(&t->kernel, &at, words, &t->edits[t->count], &added))
    return false;
  t->count += added;
  t->opens += !strcmp(phase, "open");
  t->begins += !strcmp(phase, "begin");
  return true;
}
//< stamp-kernel

static bool add_all(stamping *t, FILE *list) {
  char rule[512];
  while (fgets(rule, sizeof rule, list)) {
    rule[strcspn(rule, "\n")] = '\0';
    if (rule[0] == '#' || !rule[strspn(rule, " ")]) continue;
    if (t->count == RULES_MAX)
      return refuse(&t->kernel.why, "It has more than %d rules.", RULES_MAX);
    if (!add_stamp(t, rule)) return source_blame(&t->kernel, rule);
  }
  return (t->opens == 1 && t->begins == 1) ||
         refuse(&t->kernel.why, "It needs one 'open' and one 'begin'.");
}

static bool print_stamped(stamping *t, const char *stage, FILE *list) {
  char path[256];
  kernel_path(path, sizeof path, stage);
  if (!source_read(&t->kernel, path) || !add_all(t, list)) return false;
  char *text = edits_apply(&t->kernel, t->edits, t->count);
  if (!text) return refuse(&t->kernel.why, "There is too little memory.");
  printf("%sextern \"C\" const uint32_t stamped_phases = 0%s;\n"
         "}  // namespace stamped\n",
         text, t->phases);
  free(text);
  return true;
}

int main(int argc, char **argv) {
  char path[256];
  static stamping t;
  if (argc != 2) {
    fprintf(stderr, "usage: stamp STAGE\n");
    return EXIT_USAGE;
  }
  snprintf(path, sizeof path, "tools/timeline/stamp/%s.phases", argv[1]);
  FILE *list = fopen(path, "r");
  if (!list) {
    fprintf(stderr, "timeline: %s has no list of phases (%s).\n", argv[1],
            path);
    return EXIT_USAGE;
  }
  const bool done = print_stamped(&t, argv[1], list);
  if (!done) fprintf(stderr, "timeline: %s: %s\n", path, t.kernel.why.text);
  fclose(list);
  edits_free(t.edits, t.count);
  source_free(&t.kernel);
  return done ? EXIT_PASS : EXIT_FAILED;
}
