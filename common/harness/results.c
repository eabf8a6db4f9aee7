#include "common/harness/results.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 1024 };

/* And those above it. False, with errno, where it cannot. */
static bool make_folder(const char *dir) {
  char path[PATH_SIZE];
  for (size_t i = 1; i <= strlen(dir); i++) {
    if (dir[i] != '/' && dir[i] != '\0') continue;
    snprintf(path, sizeof path, "%.*s", (int)i, dir);
    if (mkdir(path, 0777) && errno != EEXIST) return false;
  }
  return true;
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

/* Where there is no such folder yet, the nearest one above it is asked. */
bool results_ready(const char *dir, const char *name, reason *why) {
  char path[PATH_SIZE], aside[PATH_SIZE], there[PATH_SIZE], text[4096], *end;
  struct stat about;
  if (!name_files(dir, name, path, aside, why)) return false;
  if (!stat(path, &about) && S_ISDIR(about.st_mode))
    return refuse(why, "Cannot write %s: it is a folder.", path);
  snprintf(there, sizeof there, "%s", dir);
  while (access(there, F_OK) && (end = strrchr(there, '/'))) *end = '\0';
  if (*there && access(there, F_OK)) strcpy(there, ".");
  name_files(there, name, text, aside, why);
  memset(text, ' ', sizeof text);
  text[sizeof text - 1] = '\0';
  errno = 0;
  const bool good = write_text(aside, text);
  if (!good) refuse(why, "Cannot write %s: %s.", path, strerror(errno));
  unlink(aside);
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
  const bool good = make_folder(dir) && write_text(aside, text) &&
                    rename(aside, path) == 0;
  if (!good) {
    refuse(why, "Cannot write %s: %s.", path, strerror(errno));
    unlink(aside);
  }
  free(text);
  return good;
}

/* ---- what is said of a run ---- */

/* "A=1 B=16" -> {"A": 1, "B": 16} */
static json_t *pairs_json(const char *text) {
  json_t *pairs = json_object();
  char copy[512];
  snprintf(copy, sizeof copy, "%s", text);
  char *rest = NULL;
  for (char *pair = strtok_r(copy, " ", &rest); pair;
       pair = strtok_r(NULL, " ", &rest)) {
    char *value = strchr(pair, '=');
    if (!value) continue;
    *value = '\0';
    json_object_set_new(pairs, pair, json_integer(atoll(value + 1)));
  }
  return pairs;
}

static json_t *version_json(int version) {
  return json_sprintf("%d.%d", version / 1000, version % 1000 / 10);
}

json_t *meta_device(const device_info *d) {
  json_t *json = json_pack("{s:s, s:b}", "name", d->name, "is_gpu", d->is_gpu);
  if (!d->is_gpu) return json;
  json_object_update_new(
      json,
      json_pack("{s:o, s:i, s:I, s:o, s:o}", "capability",
                json_sprintf("%d.%d", d->capability / 10, d->capability % 10),
                "multiprocessors", d->multiprocessors, "memory_bytes",
                (json_int_t)d->total_bytes, "driver", version_json(d->driver),
                "runtime", version_json(d->runtime)));
  return json;
}

json_t *meta_date(void) {
  char text[32];
  const time_t now = time(NULL);
  struct tm utc;
  strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
  return json_string(text);
}

json_t *meta_json(const stage_object *object, const device_info *device,
                  const char *commit, const char *resources, const char *run) {
  json_t *meta =
      json_pack("{s:i, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o}",
                "schema_version", RESULTS_SCHEMA, "stage", object->stage, "arm",
                object->arm, "kernel_hash", object->kernel_hash, "commit",
                commit, "compiler", object->compiler, "flags", object->flags,
                "run", run, "toggles", pairs_json(object->toggles), "device",
                meta_device(device), "date", meta_date());
  if (resources) json_object_set_new(meta, "resources", pairs_json(resources));
  return meta;
}

void meta_run_name(char *text, size_t size) {
  snprintf(text, size, "%lld-%ld", (long long)time(NULL), (long)getpid());
}

void arm_settings(const char *arm, char *text, size_t size) {
  snprintf(text, size, "%s", strcmp(arm, "default") ? arm : "");
  for (; *text; text++) *text = *text == '.' ? ' ' : *text == '-' ? '=' : *text;
}
