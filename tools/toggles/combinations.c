#include "tools/toggles/combinations.h"

#include <string.h>

static bool belongs(const combination *c, int i) {
  const toggle *t = &c->list->toggles[i];
  return !strcmp(t->layer, c->layer) && strncmp(t->name, "DEBUG_", 6);
}

void combination_first(combination *c, const toggle_list *list,
                       const char *layer) {
  *c = (combination){.list = list, .layer = layer};
}

bool combination_next(combination *c) {
  for (int i = c->list->count - 1; i >= 0; i--) {
    if (!belongs(c, i)) continue;
    if (++c->chosen[i] < c->list->toggles[i].value_count) return true;
    c->chosen[i] = 0;
  }
  return false;
}

/* The default is number 0, wherever it stands among the values. */
static const char *value_of(const toggle *t, int number) {
  for (int i = 0; number > 0 && i < t->value_count; i++)
    if (strcmp(t->values[i], t->default_value) && --number == 0)
      return t->values[i];
  return t->default_value;
}

static const char *value_in(const arm *a, const char *name) {
  for (int i = 0; i < a->count; i++)
    if (!strcmp(a->settings[i].name, name)) return a->settings[i].value;
  return NULL;
}

void combination_apply(const combination *c, arm *a) {
  const arm before = *a;
  a->count = 0;
  for (int i = 0; i < c->list->count; i++) {
    const toggle *t = &c->list->toggles[i];
    const char *value = belongs(c, i) ? value_of(t, c->chosen[i])
                                      : value_in(&before, t->name);
    if (value && strcmp(value, t->default_value)) arm_add(a, t->name, value);
  }
}
