#include "tools/toggles/declared.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/command.h"
#include "tools/source/source.h"

typedef struct {
  reason *why;
  bool is_error;
} complaint;

/* What stands in quotes behind the first #error; else the first line. */
static void read_line(void *state, char *line) {
  complaint *c = state;
  const char *error = strstr(line, "#error");
  const char *from = error ? strchr(error, '"') : NULL;
  const char *to = from ? strrchr(from + 1, '"') : NULL;
  if (to && !c->is_error)
    refuse(c->why, "%.*s", (int)(to - from - 1), from + 1);
  else if (!*c->why->text)
    refuse(c->why, "%s", line);
  c->is_error |= to != NULL;
}

bool toggles_allowed(const char *stage, const arm *a, reason *why) {
  /* A compiler of several words, as "ccache g++", is the shell's to part. */
  static const char script[] =
      "kernel=$1; shift; sed 's/^#include.*//' \"$kernel\" | "
      "$0 -E -x c++ \"$@\" - 2>&1 >/dev/null";
  char path[512], defines[ARM_SETTINGS_MAX][72];
  const char *compiler = getenv("CXX");
  if (!compiler || !*compiler) compiler = "g++";
  command c = {{"sh", "-c", script, compiler, path}, 5};
  complaint said = {why, false};
  kernel_path(path, sizeof path, stage);
  for (int i = 0; i < a->count; i++) {
    snprintf(defines[i], sizeof defines[i], "-D%s=%s", a->settings[i].name,
             a->settings[i].value);
    command_add(&c, defines[i]);
  }
  refuse(why, "%s", "");
  return command_lines(&c, read_line, &said);
}

/* Each setting that is no default, of another toggle than `of`, in turn. */
static bool next_other(const toggle_list *list, const char *of, int *at,
                       int *value, arm *others) {
  for (; *at < list->count; (*at)++, *value = 0) {
    const toggle *t = &list->toggles[*at];
    while (strcmp(t->name, of) && *value < t->value_count) {
      const char *text = t->values[(*value)++];
      if (strcmp(text, t->default_value))
        return arm_add(others, t->name, text);
    }
  }
  return false;
}

static bool allows(const toggle_list *list, const arm_setting *setting,
                   const arm *others) {
  reason why;
  arm both = *others;
  return arm_add(&both, setting->name, setting->value) &&
         toggles_allowed(list->stage, &both, &why);
}

bool toggles_beside(const toggle_list *list, const arm_setting *setting,
                    arm *others) {
  *others = (arm){.count = 0};
  if (allows(list, setting, others)) return true;
  int at = 0, value = 0;
  while (next_other(list, setting->name, &at, &value, others)) {
    if (allows(list, setting, others)) return true;
    others->count = 0;
  }
  at = value = 0;
  while (next_other(list, setting->name, &at, &value, others)) {
    int second_at = 0, second_value = 0;
    while (next_other(list, setting->name, &second_at, &second_value, others)) {
      if (allows(list, setting, others)) return true;
      others->count = 1;
    }
    others->count = 0;
  }
  return false;
}
