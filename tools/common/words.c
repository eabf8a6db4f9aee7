#include "tools/common/command.h"

#include <argp.h>

#include "common/harness/program/reason.h"

static error_t take(int key, char *word, struct argp_state *state) {
  word_list *list = state->input;
  switch (key) {
  case ARGP_KEY_ARG:
    if (list->count == WORDS_MAX)
      argument_wrong(state, "More than %d words.", WORDS_MAX);
    list->words[list->count++] = word;
    return 0;
  case ARGP_KEY_END:
    if (list->count < 2)
      argument_wrong(state, "Give a verb and what it is about; --help lists "
                     "the verbs.");
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

void words_parse(word_list *list, const char *usage, const char *help, int argc,
                 char **argv) {
  const struct argp parser = {.parser = take, .args_doc = usage, .doc = help};
  list->count = 0;
  arguments_parse(&parser, argc, argv, list);
}
