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
