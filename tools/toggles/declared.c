#include "tools/toggles/declared.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/source/source.h"

/* Copies a word; false where it is too long. */
static bool keep(char *to, size_t size, const char *word) {
  if (strlen(word) >= size) return false;
  strcpy(to, word);
  return true;
}

/* "NAME: 0 1 (detail)", of which the first two words are gone */
static bool read_declaration(toggle *t, char *rest) {
  const char *blanks = " \t\n";
  *t = (toggle){.layer = "structure"};
  const char *name = strtok_r(rest, blanks, &rest);
  if (!name || !keep(t->name, sizeof t->name, name)) return false;
  t->name[strcspn(t->name, ":")] = '\0';
  for (char *word; (word = strtok_r(NULL, blanks, &rest));) {
    if (*word == '(') {
      word[strcspn(word, ")")] = '\0';
      return keep(t->layer, sizeof t->layer, word + 1);
    }
    arm a = {.count = 0};
    if (t->value_count == TOGGLE_VALUES_MAX || !arm_add(&a, t->name, word))
      return false;
    strcpy(t->values[t->value_count++], word);
  }
  return t->value_count > 0;
}

/* One line of a kernel; false where it declares what is no toggle. */
static bool read_line(toggle_list *list, char *line, toggle *open) {
  char copy[256], *rest = NULL;
  if (!keep(copy, sizeof copy, line)) return true;
  const char *first = strtok_r(copy, " \t\n", &rest);
  const char *second = first ? strtok_r(NULL, " \t\n", &rest) : NULL;
  if (!second) return true;
  if (!strcmp(first, "//") && !strcmp(second, "toggle"))
    return read_declaration(open, rest);
  const bool defined = *open->name && !strcmp(first, "#define") &&
                       !strcmp(second, open->name);
  if (!defined) return true;
  const char *value = strtok_r(NULL, " \t\n", &rest);
  if (!value || list->count == TOGGLES_MAX ||
      !keep(open->default_value, sizeof open->default_value, value))
    return false;
  list->toggles[list->count++] = *open;
  *open->name = '\0';
  return true;
}

bool toggles_read(toggle_list *list, const char *stage, reason *why) {
  char path[512];
  *list = (toggle_list){.stage = stage};
  kernel_path(path, sizeof path, stage);
  FILE *file = fopen(path, "r");
  if (!file) return refuse(why, "There is no kernel in '%s'.", stage);
  toggle open = {.name = ""};
  char *line = NULL;
  size_t size = 0;
  int number = 0;
  bool good = true;
  while (good && getline(&line, &size, file) > 0) {
    number++;
    good = read_line(list, line, &open);
  }
  free(line);
  fclose(file);
  return good || refuse(why, "%s:%d: a toggle is declared as in '// toggle "
                             "TILE_N: 32 64', with whole numbers, and "
                             "'#define TILE_N 64'.", path, number);
}

static const toggle *find(const toggle_list *list, const char *name) {
  for (int i = 0; i < list->count; i++)
    if (!strcmp(list->toggles[i].name, name)) return &list->toggles[i];
  return NULL;
}

static bool has_value(const toggle *t, const char *value) {
  for (int i = 0; i < t->value_count; i++)
    if (!strcmp(t->values[i], value)) return true;
  return false;
}

/* Appends a blank and a word, as far as there is room. */
static void append(char *text, size_t size, const char *word) {
  const size_t used = strlen(text);
  snprintf(text + used, size - used, " %s", word);
}

static void refuse_name(const toggle_list *list, const char *name,
                        reason *why) {
  char names[768] = "";
  for (int i = 0; i < list->count; i++)
    append(names, sizeof names, list->toggles[i].name);
  refuse(why, "%s has no toggle '%s'; it has:%s.", list->stage, name,
         list->count ? names : " none");
}

static void refuse_value(const toggle_list *list, const toggle *t,
                         const char *value, reason *why) {
  char values[512] = "";
  for (int i = 0; i < t->value_count; i++)
    append(values, sizeof values, t->values[i]);
  refuse(why, "%s of %s cannot be '%s'; it can be:%s.", t->name, list->stage,
         value, values);
}

/* The toggle of one setting and, in `value`, what it is set to. */
static const toggle *read_setting(const toggle_list *list, const char *setting,
                                  const char **value, reason *why) {
  char name[128];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(setting, "="), setting);
  const char *equals = strchr(setting, '=');
  *value = equals ? equals + 1 : setting;
  const toggle *t = find(list, name);
  if (!t) {
    refuse_name(list, name, why);
    return NULL;
  }
  if (has_value(t, *value)) return t;
  refuse_value(list, t, *value, why);
  return NULL;
}

bool toggles_arm(const toggle_list *list, char *const *settings, int count,
                 arm *made, reason *why) {
  const char *chosen[TOGGLES_MAX] = {NULL}, *value;
  for (int i = 0; i < count; i++) {
    const toggle *t = read_setting(list, settings[i], &value, why);
    if (!t) return false;
    const char **of = &chosen[t - list->toggles];
    if (*of && strcmp(*of, value))
      return refuse(why, "%s is to be %s and %s: give it one value.", t->name,
                    *of, value);
    *of = value;
  }
  made->count = 0;
  for (int i = 0; i < list->count; i++) {
    const toggle *t = &list->toggles[i];
    if (chosen[i] && strcmp(chosen[i], t->default_value))
      arm_add(made, t->name, chosen[i]);
  }
  return true;
}
