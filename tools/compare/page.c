#include "tools/compare/page.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/harness/program/exit_codes.h"
#include "common/harness/record/arm.h"
#include "tools/compare/table.h"
#include "tools/results/recorded.h"

enum { PATH_SIZE = 2 * RECORDED_PATH };

/* One result with timings: STAGE[.ARM][.cold].json */
typedef struct {
  char stage[ARM_TEXT], arm[ARM_TEXT], name[ARM_TEXT];
  int number; /* of the stage */
  bool is_cold, is_default;
} timed;

typedef struct {
  timed *list;
  int count;
} timed_list;

/* False for counters, profiles and the like. */
static bool read_name(timed *t, const char *path) {
  static const char cold[] = ".cold";
  *t = (timed){.is_cold = false};
  const char *name = strrchr(path, '/') + 1;
  snprintf(t->name, sizeof t->name, "%.*s", (int)(strlen(name) - 5), name);
  const size_t length = strlen(t->name);
  char plain[ARM_TEXT];
  strcpy(plain, t->name);
  if (length > 5 && !strcmp(plain + length - 5, cold)) {
    t->is_cold = true;
    plain[length - 5] = '\0';
  }
  if (!arm_of_file_name(plain, t->stage, t->arm)) return false;
  t->is_default = !strcmp(t->arm, "default");
  return sscanf(t->stage, "stage%d", &t->number) == 1;
}

/* By the stage's number, what it does by default before its arms. */
static int in_order(const void *a, const void *b) {
  const timed *one = a, *other = b;
  if (one->number != other->number) return one->number - other->number;
  if (one->is_default != other->is_default)
    return other->is_default - one->is_default;
  const int by_stage = strcmp(one->stage, other->stage);
  if (by_stage) return by_stage;
  const int by_arm = strcmp(one->arm, other->arm);
  return by_arm ? by_arm : one->is_cold - other->is_cold;
}

static timed_list read_folder(const char *folder) {
  timed_list all = {.count = 0};
  char pattern[PATH_SIZE];
  glob_t found;
  snprintf(pattern, sizeof pattern, "%s/stage[0-9]*.json", folder);
  if (glob(pattern, 0, NULL, &found)) return all;
  all.list = calloc(found.gl_pathc, sizeof *all.list);
  for (size_t i = 0; i < found.gl_pathc && all.list; i++)
    if (read_name(&all.list[all.count], found.gl_pathv[i])) all.count++;
  globfree(&found);
  if (all.count)
    qsort(all.list, (size_t)all.count, sizeof *all.list, in_order);
  return all;
}

/* The pairs of a folder: calls for each, base first, until one is no PASS. */
typedef int pair_function(void *state, const timed *base,
                          const timed *candidate);

static int each_pair(const timed_list *all, pair_function *call, void *state) {
  const timed *last[2] = {NULL, NULL}; /* default so far; a cold one apart */
  int code = EXIT_PASS;
  for (int i = 0; i < all->count && !code; i++) {
    const timed *t = &all->list[i], **own = &last[t->is_cold];
    if (t->is_default) {
      if (*own) code = call(state, *own, t);
      *own = t;
    } else if (*own && !strcmp((*own)->stage, t->stage)) {
      code = call(state, t, *own);
    }
  }
  return code;
}

static int count_pair(void *state, const timed *base, const timed *candidate) {
  (void)base;
  (void)candidate;
  ++*(int *)state;
  return EXIT_PASS;
}

static void print_title(FILE *out, const timed *t) {
  arm a;
  char settings[ARM_TEXT];
  arm_decode(&a, t->arm);
  arm_settings(&a, "", settings);
  fprintf(out, "%s%s%s%s", t->stage, *settings ? " " : "", settings,
          t->is_cold ? ", cold" : "");
}

typedef struct {
  comparison tables;
  const char *folder;
} writer;

static int write_pair(void *state, const timed *base, const timed *candidate) {
  writer *w = state;
  char base_path[PATH_SIZE], candidate_path[PATH_SIZE];
  fprintf(w->tables.out, "\n### ");
  print_title(w->tables.out, candidate);
  fprintf(w->tables.out, " against ");
  print_title(w->tables.out, base);
  fprintf(w->tables.out, "\n\n");
  snprintf(base_path, sizeof base_path, "%s/%s.json", w->folder, base->name);
  snprintf(candidate_path, sizeof candidate_path, "%s/%s.json", w->folder,
           candidate->name);
  return compare_files(&w->tables, base_path, candidate_path);
}

static int write_folders(FILE *out, const char *root,
                         const recorded_folders *folders, int *pairs) {
  writer w = {.tables = {.out = out, .markdown = true}};
  int code = EXIT_PASS;
  fprintf(out, "# Recorded results beside each other\n\n"
          "Written by `make compare` from the files beside it: neighbouring "
          "stages, then\n"
          "each arm of a stage under what the stage does by default. `saved` "
          "is 1 - candidate/base,\n"
          "`speed-up` base/candidate, of the medians. A difference within the "
          "noise is none. The\naverage is the geometric mean of one speed-up "
          "a shape, of graphs where both have them.\nOnly kernels that have "
          "passed their gates are here.\n");
  for (int i = 0; i < folders->count && !code; i++) {
    int here = 0;
    timed_list all = read_folder(folders->paths[i]);
    w.folder = folders->paths[i];
    each_pair(&all, count_pair, &here);
    *pairs += here;
    if (here) fprintf(out, "\n## %s\n", w.folder + strlen(root) + 1);
    code = each_pair(&all, write_pair, &w);
    free(all.list);
  }
  return code;
}

int page_write(const char *root) {
  char page[PATH_SIZE], aside[PATH_SIZE + 8];
  int pairs = 0;
  snprintf(page, sizeof page, "%s/COMPARE.md", root);
  snprintf(aside, sizeof aside, "%s.new", page);
  recorded_folders folders = recorded_list(root);
  FILE *out = folders.count ? fopen(aside, "w") : NULL;
  int code = EXIT_USAGE;
  if (out) code = write_folders(out, root, &folders, &pairs);
  const bool whole = out && fclose(out) == 0;
  if (folders.count && !whole) {
    fprintf(stderr, "Cannot write %s.\n", page);
    code = EXIT_USAGE;
  } else if (!pairs) {
    fprintf(stderr, "No folder under %s holds two results: run 'make bench' on "
            "a GPU first.\n", root);
    code = EXIT_USAGE;
  } else if (!code && rename(aside, page) == 0) {
    printf("wrote %s\n", page);
  }
  unlink(aside);
  recorded_free(&folders);
  return code;
}
