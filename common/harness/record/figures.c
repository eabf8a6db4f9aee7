#include "common/harness/record/results.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { PATH_SIZE = 256 };

static bool ends_in(const char *key, const char *end) {
  const size_t length = strlen(key), wanted = strlen(end);
  return length >= wanted && !strcmp(key + length - wanted, end);
}

static bool names_unit(const char *key) {
  static const char *const units[] = {"_us", "_ns", "_mhz", "_w", "_bytes"};
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (ends_in(key, units[i])) return true;
  return !strcmp(key, "us") || !strcmp(key, "ns");
}

static const char *type_of(const json_t *value) {
  switch (json_typeof(value)) {
  case JSON_OBJECT:
    return "an object";
  case JSON_ARRAY:
    return "an array";
  case JSON_STRING:
    return "a text";
  case JSON_TRUE:
  case JSON_FALSE:
    return "true or false";
  case JSON_NULL:
    return "null";
  default:
    return "a number";
  }
}

/* The path is the file's: whatever would not print is a question mark. */
static bool is_not(const char *file, const char *path, const json_t *value,
                   const char *wanted, reason *why) {
  char clean[PATH_SIZE], what[40];
  snprintf(clean, sizeof clean, "%s", path);
  for (char *c = clean; *c; c++)
    if (iscntrl((unsigned char)*c)) *c = '?';
  if (json_is_number(value))
    snprintf(what, sizeof what, "%.9g", json_number_value(value));
  else
    snprintf(what, sizeof what, "%s", type_of(value));
  return refuse(why, "%s: %s is %s, and must be %s.", file, clean, what,
                wanted);
}

static bool check_figure(const json_t *value, const char *key, const char *file,
                         const char *path, reason *why) {
  const bool above = ends_in(key, "p50_us");
  const double number = json_number_value(value);
  if (json_is_null(value)) return true;
  if (json_is_number(value) && (above ? number > 0 : number >= 0)) return true;
  return is_not(file, path, value,
                above ? "a number above 0" : "a number of 0 or more", why);
}

/* The path with a part behind it: its length, cut where there is no room. */
static size_t longer(char *path, size_t used, const char *part) {
  const size_t room = PATH_SIZE - used;
  const int more = snprintf(path + used, room, "%s%s", used ? "/" : "", part);
  return (size_t)more < room ? used + (size_t)more : PATH_SIZE - 1;
}

/* `key` is that of the value, or of the array that holds it. `path` has room
 * for PATH_SIZE bytes, of which `used` name the value. */
static bool check(const json_t *value, const char *key, const char *file,
                  char *path, size_t used, reason *why) {
  const char *name;
  json_t *part;
  size_t i;
  char number[24];
  if (names_unit(key) && !json_is_array(value))
    return check_figure(value, key, file, path, why);
  json_object_foreach((json_t *)value, name, part) {
    if (!check(part, name, file, path, longer(path, used, name), why))
      return false;
  }
  json_array_foreach(value, i, part) {
    snprintf(number, sizeof number, "%zu", i);
    if (!check(part, key, file, path, longer(path, used, number), why))
      return false;
  }
  return true;
}

bool figures_check(const json_t *result, const char *file, reason *why) {
  char path[PATH_SIZE] = "";
  return check(result, "", file, path, 0, why);
}
