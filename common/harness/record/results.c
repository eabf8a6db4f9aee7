#include "common/harness/record/results.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 1024 };

bool results_folder(const char *dir) {
  char path[PATH_SIZE];
  snprintf(path, sizeof path, "%s", dir);
  for (char *slash = path + 1; *slash; slash++) {
    if (*slash != '/') continue;
    *slash = '\0';
    if (mkdir(path, 0777) && errno != EEXIST) return false;
    *slash = '/';
  }
  return mkdir(path, 0777) == 0 || errno == EEXIST;
}

/* How much of the path is there: its length, or that of a folder above it. */
static size_t part_there(const char *dir) {
  char path[PATH_SIZE];
  size_t there = 0;
  for (size_t i = 1; i <= strlen(dir); i++) {
    if (dir[i] != '/' && dir[i] != '\0') continue;
    snprintf(path, sizeof path, "%.*s", (int)i, dir);
    if (access(path, F_OK)) break;
    there = i;
  }
  return there;
}

/* Takes away the empty folders of a path below its first part. */
static void remove_folders(const char *dir, size_t part) {
  char path[PATH_SIZE];
  snprintf(path, sizeof path, "%s", dir);
  for (size_t i = strlen(path); i > part; i--) {
    if (path[i] != '/' && path[i] != '\0') continue;
    path[i] = '\0';
    rmdir(path);
  }
}

static bool write_text(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  if (!file) return false;
  bool good = fputs(text, file) >= 0 && fputc('\n', file) != EOF;
  good = fflush(file) == 0 && fsync(fileno(file)) == 0 && good;
  return fclose(file) == 0 && good;
}

/* DIR/NAME.json, and the file beside it that is written first. */
static bool name_files(const char *dir, const char *name, char *path,
                       char *aside, reason *why) {
  const int length = snprintf(path, PATH_SIZE, "%s/%s.json", dir, name);
  snprintf(aside, PATH_SIZE, "%s/.%s.%ld", dir, name, (long)getpid());
  return length < PATH_SIZE - 16 ||
         refuse(why, "The path of the results folder is too long.");
}

bool results_ready(const char *dir, const char *name, reason *why) {
  char path[PATH_SIZE], aside[PATH_SIZE], text[4096];
  struct stat about;
  if (!name_files(dir, name, path, aside, why)) return false;
  if (!stat(path, &about) && S_ISDIR(about.st_mode))
    return refuse(why, "Cannot write %s: it is a folder.", path);
  const size_t there = part_there(dir);
  memset(text, ' ', sizeof text);
  text[sizeof text - 1] = '\0';
  errno = 0;
  const bool good = results_folder(dir) && write_text(aside, text);
  if (!good) refuse(why, "Cannot write %s: %s.", path, strerror(errno));
  unlink(aside);
  remove_folders(dir, there);
  return good;
}

/* Copies [from, to) without line ends and indentation, where `out` is given;
   the length without them. */
static size_t join_lines(const char *from, const char *to, char *out) {
  size_t length = 0;
  for (const char *c = from; c < to; c++) {
    char kept = *c;
    if (kept == '\n') {
      while (c + 1 < to && c[1] == ' ')
        c++;
      if (!length || c + 1 == to) continue;
      kept = ' '; /* it follows a comma */
    }
    if (out) out[length] = kept;
    length++;
  }
  return length;
}

/* Puts each list of plain values, and each short object of such, on one line. A
   line end in JSON stands between values, never in a text. */
static void compact(char *text) {
  enum { LINE = 200 };
  char *end = text, *opened = NULL;
  for (const char *c = text; *c; c++) {
    const bool closes = strchr("]}", *c);
    if (closes && opened &&
        (*c == ']' || join_lines(opened, end, NULL) + 2 <= LINE))
      end = opened + join_lines(opened, end, opened);
    if (closes) opened = NULL;
    *end++ = *c;
    if (strchr("[{", *c)) opened = end;
  }
  *end = '\0';
}

bool results_write(const json_t *result, const char *dir, const char *name,
                   reason *why) {
  char path[PATH_SIZE], aside[PATH_SIZE];
  if (!name_files(dir, name, path, aside, why)) return false;
  char *text = json_dumps(result, JSON_INDENT(1) | JSON_REAL_PRECISION(7));
  if (!text) return refuse(why, "The result could not be turned into JSON.");
  compact(text);
  errno = 0;
  const bool good = results_folder(dir) && write_text(aside, text) &&
                    rename(aside, path) == 0;
  if (!good) {
    refuse(why, "Cannot write %s: %s.", path, strerror(errno));
    unlink(aside);
  }
  free(text);
  return good;
}

json_t *results_read(const char *path, reason *why) {
  json_error_t error;
  struct stat about;
  if (!stat(path, &about) && S_ISDIR(about.st_mode)) {
    refuse(why, "Cannot read %s: it is a folder.", path);
    return NULL;
  }
  json_t *result = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
  if (!result) {
    if (error.line > 0)
      refuse(why, "%s is not valid JSON: line %d, column %d: %s.", path,
             error.line, error.column, error.text);
    else
      refuse(why, "Cannot read %s: %s.", path, strerror(errno));
    return NULL;
  }
  const json_t *version =
      json_object_get(json_object_get(result, "build_meta"), "schema_version");
  if (json_integer_value(version) == RESULTS_SCHEMA) {
    if (figures_check(result, path, why)) return result;
  } else if (json_is_integer(version)) {
    refuse(why,
           "%s has schema version %lld, and this program reads version %d: "
           "record it again.",
           path, (long long)json_integer_value(version), RESULTS_SCHEMA);
  } else {
    refuse(why,
           "%s is not a result of this project: it has no "
           "build_meta.schema_version.",
           path);
  }
  json_decref(result);
  return NULL;
}

static const json_t *find(const json_t *value, const char *path) {
  char copy[256];
  snprintf(copy, sizeof copy, "%s", path);
  char *rest = NULL;
  for (char *key = strtok_r(copy, "/", &rest); key && value;
       key = strtok_r(NULL, "/", &rest))
    value = json_object_get(value, key);
  return value;
}

double results_number(const json_t *result, const char *path) {
  const json_t *value = find(result, path);
  return json_is_number(value) ? json_number_value(value) : NAN;
}

const char *results_text(const json_t *result, const char *path) {
  const json_t *value = find(result, path);
  return json_is_string(value) ? json_string_value(value) : "";
}
