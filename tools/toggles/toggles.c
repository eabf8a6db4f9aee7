/* The toggles of one stage, as its kernel.cu declares them, and how an arm is
 * spelled: see `toggles --help`. */

#include <stdio.h>
#include <string.h>

#include "common/harness/program/reason.h"
#include "tools/common/command.h"
#include "tools/toggles/declared.h"

static const char help[] =
    "The toggles of a stage, and how an arm of it is spelled."
    "\v"
    "list STAGE               a line a toggle: NAME DEFAULT VALUE...\n"
    "others STAGE             a line a setting that is no default: NAME=VALUE\n"
    "layer STAGE              a line a toggle: NAME LAYER of the search\n"
    "allowed STAGE NAME=VALUE...  exit 1 with the kernel's own #error, if it "
    "rules that out\n"
    "beside STAGE NAME=VALUE  the other settings that this one needs, if any; "
    "exit 1 if it is ruled out beside all\n"
    "arm STAGE NAME=VALUE...  how that arm is spelled: default, or A-0.B-1\n"
    "allowed-arm STAGE NAME=VALUE...  the same, or exit 2 where the kernel "
    "rules it out\n"
    "settings ARM             the other way: A=0 B=1\n"
    "defines ARM              the same for a compiler: -DA=0 -DB=1\n"
    "file STAGE/ARM...        the name of its result, without .json\n"
    "of-file NAME...          the other way: STAGE/ARM";

static int not_an_arm(const char *text) {
  fprintf(stderr, "'%s' is no arm: it is default, or as in A-0.B-1.\n", text);
  return EXIT_USAGE;
}

static int print_list(const toggle_list *list) {
  for (int i = 0; i < list->count; i++) {
    const toggle *t = &list->toggles[i];
    printf("%s %s", t->name, t->default_value);
    for (int v = 0; v < t->value_count; v++) printf(" %s", t->values[v]);
    printf("\n");
  }
  return EXIT_PASS;
}

static int print_others(const toggle_list *list) {
  for (int i = 0; i < list->count; i++) {
    const toggle *t = &list->toggles[i];
    for (int v = 0; v < t->value_count; v++)
      if (strcmp(t->values[v], t->default_value))
        printf("%s=%s\n", t->name, t->values[v]);
  }
  return EXIT_PASS;
}

static int print_layers(const toggle_list *list) {
  for (int i = 0; i < list->count; i++)
    printf("%s %s\n", list->toggles[i].name, list->toggles[i].layer);
  return EXIT_PASS;
}

/* All of the settings, those of the default's value, too. */
static bool whole_arm(const toggle_list *list, char *const *settings,
                      int count, arm *made, reason *why) {
  if (!toggles_arm(list, settings, count, made, why)) return false;
  made->count = 0;
  for (int i = 0; i < count; i++) {
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(settings[i], "="),
             settings[i]);
    arm_add(made, name, strchr(settings[i], '=') + 1);
  }
  return true;
}

static int of_settings(const char *verb, const toggle_list *list,
                       char *const *settings, int count) {
  reason why;
  char text[ARM_TEXT];
  arm made, others;
  if (!whole_arm(list, settings, count, &made, &why))
    return give_up(NULL, EXIT_USAGE, why.text);
  if (!strcmp(verb, "allowed"))
    return toggles_allowed(list->stage, &made, &why)
               ? EXIT_PASS
               : give_up(NULL, EXIT_FAILED, why.text);
  if (!strcmp(verb, "allowed-arm") &&
      !toggles_allowed(list->stage, &made, &why))
    return give_up(NULL, EXIT_USAGE, why.text);
  if (!strcmp(verb, "arm") || !strcmp(verb, "allowed-arm")) {
    toggles_arm(list, settings, count, &made, &why);
    arm_encode(&made, text);
  } else {
    refuse(&why, "beside takes one setting.");
    if (count != 1) return give_up(NULL, EXIT_USAGE, why.text);
    if (!toggles_beside(list, &made.settings[0], &others)) return EXIT_FAILED;
    arm_settings(&others, "", text);
  }
  if (*text) printf("%s\n", text);
  return EXIT_PASS;
}

static int of_stage(const word_list *c) {
  reason why;
  toggle_list list;
  const char *verb = c->words[0];
  if (!toggles_read(&list, c->words[1], &why))
    return give_up(NULL, EXIT_USAGE, why.text);
  if (!strcmp(verb, "list")) return print_list(&list);
  if (!strcmp(verb, "others")) return print_others(&list);
  if (!strcmp(verb, "layer")) return print_layers(&list);
  return of_settings(verb, &list, c->words + 2, c->count - 2);
}

static int print_settings(const char *spelling, const char *before) {
  arm a;
  char text[ARM_TEXT];
  if (!arm_decode(&a, spelling)) return not_an_arm(spelling);
  arm_settings(&a, before, text);
  if (*text) printf("%s\n", text);
  return EXIT_PASS;
}

static int print_file(char *word) {
  arm a;
  char text[ARM_TEXT];
  char *slash = strchr(word, '/');
  if (!slash || !arm_decode(&a, slash + 1)) return not_an_arm(word);
  *slash = '\0';
  arm_file_name(word, slash + 1, text);
  printf("%s\n", text);
  return EXIT_PASS;
}

static int print_of_file(const char *name) {
  char stage[ARM_TEXT], spelling[ARM_TEXT];
  if (!arm_of_file_name(name, stage, spelling)) return not_an_arm(name);
  printf("%s/%s\n", stage, spelling);
  return EXIT_PASS;
}

static int run(const word_list *c) {
  static const char *const of_stages[] = {"list", "others", "layer", "allowed",
                                          "beside", "arm", "allowed-arm"};
  const char *verb = c->words[0];
  for (size_t i = 0; i < sizeof of_stages / sizeof *of_stages; i++)
    if (!strcmp(verb, of_stages[i])) return of_stage(c);
  if (!strcmp(verb, "settings")) return print_settings(c->words[1], "");
  if (!strcmp(verb, "defines")) return print_settings(c->words[1], "-D");
  int code = EXIT_PASS;
  for (int i = 1; i < c->count && !code; i++)
    if (!strcmp(verb, "file"))
      code = print_file(c->words[i]);
    else if (!strcmp(verb, "of-file"))
      code = print_of_file(c->words[i]);
    else
      code = EXIT_USAGE;
  if (code == EXIT_USAGE && strcmp(verb, "file") && strcmp(verb, "of-file"))
    fprintf(stderr, "toggles has no verb '%s'; --help lists them.\n", verb);
  return code;
}

int main(int argc, char **argv) {
  static const char usage[] = "VERB STAGE|ARM|NAME [NAME=VALUE...]";
  word_list c;
  words_parse(&c, usage, help, argc, argv);
  return run(&c);
}
