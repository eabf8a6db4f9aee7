#include "common/harness/record/arm.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bool is_name(const char *text) {
  if (!isalpha((unsigned char)*text) && *text != '_') return false;
  for (; *text; text++)
    if (!isalnum((unsigned char)*text) && *text != '_') return false;
  return true;
}

static bool is_number(const char *text) {
  return *text && strspn(text, "0123456789") == strlen(text);
}

static bool add(arm *a, const char *name, const char *value) {
  if (a->count == ARM_SETTINGS_MAX || !is_name(name) || !is_number(value))
    return false;
  arm_setting *s = &a->settings[a->count];
  if (strlen(name) >= sizeof s->name || strlen(value) >= sizeof s->value)
    return false;
  strcpy(s->name, name);
  strcpy(s->value, value);
  a->count++;
  return true;
}

bool arm_decode(arm *a, const char *spelling) {
  char copy[ARM_TEXT];
  a->count = 0;
  if (!strcmp(spelling, "default")) return true;
  if (!*spelling || strlen(spelling) >= sizeof copy) return false;
  strcpy(copy, spelling);
  for (char *next = copy, *toggle; (toggle = strsep(&next, "."));) {
    char *dash = strchr(toggle, '-');
    if (!dash) return false;
    *dash = '\0';
    if (!add(a, toggle, dash + 1)) return false;
  }
  return true;
}

void arm_settings(const arm *a, char *text) {
  size_t used = 0;
  *text = '\0';
  for (int i = 0; i < a->count && used < ARM_TEXT; i++)
    used += (size_t)snprintf(text + used, ARM_TEXT - used, "%s%s=%s",
                             i ? " " : "", a->settings[i].name,
                             a->settings[i].value);
}

void arm_file_name(const char *stage, const char *spelling, char *text) {
  const bool plain = !strcmp(spelling, "default");
  snprintf(text, ARM_TEXT, "%s%s%s", stage, plain ? "" : ".",
           plain ? "" : spelling);
}
