#include "tests/runner/kept.h"

#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/harness/record/results.h"
#include "tests/runner/command.h"
#include "tests/runner/sha256.h"

/* Where the outcome of tests/goals/arms.test.lua stage1_cp_async is, less
 * .json: FOLDER/goals/arms/stage1_cp_async. False where that is too long. */
static bool path_of(const char *folder, const char *unit, char path[PATH_MAX]) {
  const char *space = strchr(unit, ' ');
  const char *begin = strncmp(unit, "tests/", 6) ? unit : unit + 6;
  const char *end = space ? space : unit + strlen(unit);
  const char *dot = strchr(begin, '.');
  if (dot && dot < end) end = dot;
  const int length =
      snprintf(path, PATH_MAX, "%s/%.*s%s%s", folder, (int)(end - begin), begin,
               space ? "/" : "", space ? space + 1 : "");
  return length < PATH_MAX - (int)sizeof ".json";
}

const char *kept_machine(void) {
  static char text[SHA256_TEXT];
  char *all = NULL;
  size_t size = 0;
  FILE *file = *text ? NULL : open_memstream(&all, &size);
  if (!file) return text;
  command_write(file, "{ git ls-files -co --exclude-standard 2>/dev/null || "
                      "find . \\( -name build -o -name '.?*' \\) -prune -o "
                      "-type f -print; } | sort");
  const bool tree = ftell(file) > 0;
  command_write(file,
                "stat -c '%n %s %Y' /var/lib/dpkg/status .deps/ .deps/* "
                "2>/dev/null;"
                "uname -a; nproc; command -v nvidia-smi nvcc pandoc chromium;"
                "sha256sum build/tests/run;"
                "echo \"$PATH|$CC|$CXX|$CUDA_HOME|$LANG|$LC_ALL\"");
  fclose(file);
  if (tree) sha256_text(all, size, text);
  free(all);
  return text;
}

bool kept_write(const char *folder, const char *unit, const char *machine,
                const kept_outcome *outcome, const reads *r, bool built,
                double started, reason *why) {
  char name[PATH_MAX], path[PATH_MAX], hash[SHA256_TEXT];
  json_t *files = json_object();
  bool good = true;
  for (int i = 0; i < r->count && good; i++) {
    struct stat about;
    if (!built && !strncmp(r->path[i], "build/", 6)) continue;
    if (stat(r->path[i], &about) || (double)about.st_mtime >= started - 1.0 ||
        !sha256_file(r->path[i], hash))
      good = refuse(why, "%s changed meanwhile.", r->path[i]);
    else
      json_object_set_new(files, r->path[i], json_string(hash));
  }
  snprintf(name, sizeof name, "%.*s", (int)strcspn(unit, " "), unit);
  if (good && !json_object_get(files, name))
    good = refuse(why, "%s is no file of this tree.", name);
  json_t *record = json_pack(
      "{s:s, s:s, s:i, s:i, s:f, s:s, s:o}", "unit", unit, "machine", machine,
      "passed", outcome->passed, "skipped", outcome->skipped, "cpu_seconds",
      outcome->cpu, "skips", outcome->skips ? outcome->skips : "", "read",
      files);
  if (good && !path_of(folder, unit, path))
    good = refuse(why, "its name is too long.");
  if (good) {
    char *slash = strrchr(path, '/');
    *slash = '\0';
    good = results_write(record, path, slash + 1, why);
  }
  json_decref(record);
  return good;
}

static bool unchanged(const json_t *record, const char *machine, reason *why) {
  const char *path;
  json_t *value;
  if (strcmp(results_text(record, "machine"), machine))
    return refuse(why, "this machine, or the list of the tree's files, is "
                       "another.");
  json_object_foreach(json_object_get(record, "read"), path, value) {
    char hash[SHA256_TEXT];
    if (!sha256_file(path, hash)) return refuse(why, "%s is not there.", path);
    if (strcmp(hash, json_string_value(value)))
      return refuse(why, "%s has changed.", path);
  }
  return true;
}

bool kept_find(const char *folder, const char *unit, const char *machine,
               kept_outcome *outcome, reason *why) {
  char path[PATH_MAX];
  *outcome = (kept_outcome){0};
  if (!path_of(folder, unit, path)) return refuse(why, "its name is too long.");
  strcat(path, ".json");
  json_t *record = json_load_file(path, 0, NULL);
  if (!record) return refuse(why, "there is no %s.", path);
  const bool good = json_object_size(json_object_get(record, "read")) > 0 &&
                    unchanged(record, machine, why);
  if (good)
    *outcome = (kept_outcome){
        .passed = (int)results_number(record, "passed"),
        .skipped = (int)results_number(record, "skipped"),
        .cpu = results_number(record, "cpu_seconds"),
        .skips = strdup(results_text(record, "skips"))};
  json_decref(record);
  return good;
}

void kept_remove(const char *folder, const char *unit) {
  char path[PATH_MAX];
  if (path_of(folder, unit, path)) unlink(strcat(path, ".json"));
}
