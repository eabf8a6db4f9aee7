#include "tools/results/recorded.h"

#include <glob.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DATE = sizeof "2026-01-02" - 1 };

/* The date in a path; NULL without one. */
static const char *date_in(const char *path) {
  static regex_t date;
  static bool compiled = false;
  regmatch_t match;
  if (!compiled)
    compiled = !regcomp(&date, "/[0-9]{4}-[0-9]{2}-[0-9]{2}(/|$)",
                        REG_EXTENDED);
  if (!compiled || regexec(&date, path, 1, &match, 0)) return NULL;
  return path + match.rm_so + 1;
}

/* Dates sort by name. */
static int newest_first(const void *a, const void *b) {
  const int by_date = strncmp(date_in(b), date_in(a), DATE);
  return by_date ? by_date : strcmp(a, b);
}

static void add(recorded_folders *list, const char *path) {
  if (!date_in(path) || strlen(path) >= RECORDED_PATH) return;
  list->paths = realloc(list->paths,
                        (size_t)(list->count + 1) * sizeof *list->paths);
  if (!list->paths) abort();
  strcpy(list->paths[list->count++], path);
}

recorded_folders recorded_list(const char *root) {
  static const char *const below[] = {"*/*", "*/*/*"};
  recorded_folders list = {.count = 0};
  for (int i = 0; i < 2; i++) {
    char pattern[RECORDED_PATH];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/%s/", root, below[i]);
    if (glob(pattern, 0, NULL, &found)) continue;
    for (size_t f = 0; f < found.gl_pathc; f++) {
      char *path = found.gl_pathv[f];
      path[strlen(path) - 1] = '\0';
      add(&list, path);
    }
    globfree(&found);
  }
  if (list.count)
    qsort(list.paths, (size_t)list.count, sizeof *list.paths, newest_first);
  return list;
}

void recorded_free(recorded_folders *folders) {
  free(folders->paths);
  *folders = (recorded_folders){.count = 0};
}

static bool is_in(const char *folder, const char *name, char *path) {
  snprintf(path, RECORDED_PATH, "%s/%s", folder, name);
  return access(path, F_OK) == 0;
}

bool recorded_find(const char *name, const char *folder, char *path) {
  if (folder && *folder) return is_in(folder, name, path);
  recorded_folders all = recorded_list("results");
  bool found = false;
  for (int i = 0; i < all.count && !found; i++)
    found = is_in(all.paths[i], name, path);
  recorded_free(&all);
  return found;
}

static bool is_among(const json_t *hashes, const char *hash) {
  size_t i;
  json_t *known;
  json_array_foreach(hashes, i, known)
    if (!strcmp(json_string_value(known), hash)) return true;
  return false;
}

bool recorded_holds(const char *path, const json_t *result, const char *hash) {
  const json_t *meta = json_object_get(result, "build_meta");
  const json_t *then = json_object_get(meta, "kernel_hash");
  const char *date = date_in(path);
  char ledger[2 * RECORDED_PATH];
  if (!json_is_string(then)) return false;
  if (!strcmp(json_string_value(then), hash)) return true;
  if (!date) return false;
  snprintf(ledger, sizeof ledger, "%.*s/machine-code.json",
           (int)(date - path) + DATE, path);
  json_t *known = json_load_file(ledger, 0, NULL), *kernel;
  bool holds = false;
  size_t i;
  json_array_foreach(json_object_get(known, "kernels"), i, kernel) {
    const json_t *hashes = json_object_get(kernel, "kernel_hashes");
    holds |= json_equal(json_object_get(kernel, "stage"),
                        json_object_get(meta, "stage")) &&
             json_equal(json_object_get(kernel, "arm"),
                        json_object_get(meta, "arm")) &&
             is_among(hashes, json_string_value(then)) &&
             is_among(hashes, hash);
  }
  json_decref(known);
  return holds;
}
