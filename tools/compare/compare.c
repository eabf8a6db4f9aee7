/* Recorded results beside each other: see `compare --help`. */

#include <argp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/harness/program/arguments.h"
#include "common/harness/program/exit_codes.h"
#include "common/harness/record/arm.h"
#include "tools/compare/page.h"
#include "tools/compare/table.h"
#include "tools/results/recorded.h"

static const char help[] =
    "Two recorded results beside each other, shape by shape. With a gate the "
    "exit code is 1 if the candidate is slower anywhere, or saves less than "
    "that at the mission shape."
    "\v"
    "With --recorded, BASE and CANDIDATE are STAGE/ARM, and the newest folder "
    "of results that holds both is taken. With --page nothing else is given.";

static const struct argp_option known[] = {
    {"gate", 'g', "PERCENT", 0,
     "What the candidate must save at the mission shape", 0},
    {"markdown", 'm', 0, 0, "A table for a page", 0},
    {"recorded", 'r', "FOLDER", OPTION_ARG_OPTIONAL,
     "STAGE/ARM in place of files; of this folder alone, if it is named", 0},
    {"page", 'p', "ROOT", OPTION_ARG_OPTIONAL,
     "Every pair of neighbours below ROOT (results), into ROOT/COMPARE.md", 0},
    {0}};

typedef struct {
  comparison table;
  const char *words[2];
  const char *folder, *root;
  bool recorded;
} command_line;

static void read_gate(comparison *c, const char *text,
                      struct argp_state *state) {
  char *end = NULL;
  c->gate = strtod(text, &end);
  c->gated = true;
  if (*end || end == text || !isfinite(c->gate))
    argument_wrong(state, "A gate is a percentage, as in 15, "
                 "not '%s'.", text);
}

static error_t take(int key, char *value, struct argp_state *state) {
  command_line *c = state->input;
  switch (key) {
  case 'g': read_gate(&c->table, value, state); return 0;
  case 'm': c->table.markdown = true; return 0;
  case 'r':
    c->recorded = true;
    c->folder = value;
    return 0;
  case 'p': c->root = value && *value ? value : "results"; return 0;
  case ARGP_KEY_ARG:
    if (state->arg_num > 1) return ARGP_ERR_UNKNOWN;
    c->words[state->arg_num] = value;
    return 0;
  case ARGP_KEY_END:
    if (!c->root != (state->arg_num == 2))
      argument_wrong(state, "Give a base and a candidate.");
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

/* FOLDER/NAME.json of a STAGE/ARM; false if that file is not there. */
static bool file_in(const char *folder, const char *word, char *path) {
  char stage[ARM_TEXT], name[ARM_TEXT];
  const char *slash = strchr(word, '/');
  snprintf(stage, sizeof stage, "%.*s", (int)strcspn(word, "/"), word);
  arm_file_name(stage, slash ? slash + 1 : "default", name);
  snprintf(path, 2 * RECORDED_PATH, "%s/%s.json", folder, name);
  return access(path, F_OK) == 0;
}

static int compare_recorded(command_line *c) {
  char base[2 * RECORDED_PATH], candidate[2 * RECORDED_PATH];
  const bool named = c->folder && *c->folder;
  recorded_folders all = recorded_list("results");
  const int count = named ? 1 : all.count;
  bool found = false;
  for (int i = 0; i < count && !found; i++) {
    const char *folder = named ? c->folder : all.paths[i];
    found = file_in(folder, c->words[0], base) &&
            file_in(folder, c->words[1], candidate);
  }
  recorded_free(&all);
  if (found) return compare_files(&c->table, base, candidate);
  file_in("", c->words[0], base);
  file_in("", c->words[1], candidate);
  fprintf(stderr, "No results folder holds both %s and %s: run 'make bench' on "
          "a GPU first.\n", base + 1, candidate + 1);
  return EXIT_USAGE;
}

int main(int argc, char **argv) {
  const struct argp parser = {.options = known,
                              .parser = take,
                              .args_doc = "BASE CANDIDATE",
                              .doc = help};
  command_line c = {.table = {.out = stdout}};
  arguments_parse(&parser, argc, argv, &c);
  if (c.root) return page_write(c.root);
  if (c.recorded) return compare_recorded(&c);
  return compare_files(&c.table, c.words[0], c.words[1]);
}
