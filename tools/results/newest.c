/* Where the newest recorded file of a name is:
 *   newest NAME [FOLDER]     in that folder alone, if it is given
 *   newest --all NAME        each such file, the newest first
 * Exit 3 where there is none. */

#include <argp.h>
#include <stdio.h>
#include <unistd.h>

#include "common/harness/program/arguments.h"
#include "common/harness/program/exit_codes.h"
#include "tools/results/recorded.h"

typedef struct {
  const char *name, *folder;
  int all;
} command_line;

static int print_all(const char *name) {
  recorded_folders folders = recorded_list("results");
  int code = EXIT_IMPOSSIBLE;
  for (int i = 0; i < folders.count; i++) {
    char path[2 * RECORDED_PATH];
    snprintf(path, sizeof path, "%s/%s", folders.paths[i], name);
    if (access(path, F_OK)) continue;
    printf("%s\n", path);
    code = EXIT_PASS;
  }
  recorded_free(&folders);
  return code;
}

static error_t take(int key, char *word, struct argp_state *state) {
  command_line *c = state->input;
  switch (key) {
  case 'a': c->all = 1; return 0;
  case ARGP_KEY_ARG:
    if (state->arg_num > 1) return ARGP_ERR_UNKNOWN;
    *(state->arg_num ? &c->folder : &c->name) = word;
    return 0;
  case ARGP_KEY_END:
    if (!c->name) argument_wrong(state, "Give a file's name.");
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

int main(int argc, char **argv) {
  static const struct argp_option known[] = {
      {"all", 'a', 0, 0, "Each such file, the newest first", 0}, {0}};
  const struct argp parser = {
      .options = known,
      .parser = take,
      .args_doc = "NAME [FOLDER]",
      .doc = "Prints where the newest recorded file of that name is."};
  command_line c = {.name = NULL};
  char path[RECORDED_PATH];
  arguments_parse(&parser, argc, argv, &c);
  if (c.all) return print_all(c.name);
  if (!recorded_find(c.name, c.folder, path)) return EXIT_IMPOSSIBLE;
  printf("%s\n", path);
  return EXIT_PASS;
}
