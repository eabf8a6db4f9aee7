#include "tools/tune/trials.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/harness/record/results.h"

static const char file[] = "trials";

static void append(trials *all, const trial *t) {
  if (all->count == all->room) {
    all->room = all->room ? 2 * all->room : 64;
    all->list = realloc(all->list, (size_t)all->room * sizeof *all->list);
    if (!all->list) abort();
  }
  all->list[all->count++] = *t;
}

static bool write_all(const trials *all, reason *why) {
  json_t *json = json_pack("{s:{s:i, s:s}, s:o}", "build_meta",
                           "schema_version", RESULTS_SCHEMA, "about",
                           all->about, "trials", trials_json(all));
  const bool written = results_write(json, all->folder, file, why);
  json_decref(json);
  return written;
}

bool trials_open(trials *all, const char *folder, const char *about,
                 reason *why) {
  char path[600];
  *all = (trials){.about = about};
  snprintf(all->folder, sizeof all->folder, "%s", folder);
  snprintf(path, sizeof path, "%s/%s.json", folder, file);
  json_t *left = results_read(path, why);
  if (left && !strcmp(results_text(left, "build_meta/about"), about)) {
    size_t i;
    json_t *one;
    trial t;
    json_array_foreach(json_object_get(left, "trials"), i, one)
      if (trial_read(&t, one)) append(all, &t);
  }
  json_decref(left);
  return write_all(all, why);
}

bool trials_add(trials *all, const trial *t, reason *why) {
  append(all, t);
  return write_all(all, why);
}

const trial *trials_of_arm(const trials *all, const char *arm) {
  for (int i = 0; i < all->count; i++)
    if (!strcmp(all->list[i].arm, arm)) return &all->list[i];
  return NULL;
}

const trial *trials_of_code(const trials *all, const char *code) {
  for (int i = 0; i < all->count; i++)
    if (*code && !strcmp(all->list[i].code, code) &&
        all->list[i].state != OVER_BUDGET)
      return &all->list[i];
  return NULL;
}

/* Less is better: the score, and 0 for all that only passed. */
static double rank(const trial *t) {
  return t->state == TIMED ? t->score : t->state == GREEN ? 0 : INFINITY;
}

int trials_best(const trials *all, const trial **best, int count) {
  int found = 0;
  for (int i = 0; i < all->count; i++) {
    const trial *t = &all->list[i];
    if (isinf(rank(t))) continue;
    int at = found;
    while (at > 0 && rank(best[at - 1]) > rank(t)) at--;
    if (at >= count) continue;
    if (found < count) found++;
    for (int j = found - 1; j > at; j--) best[j] = best[j - 1];
    best[at] = t;
  }
  return found;
}

int trials_kernels(const trials *all) {
  int different = 0;
  for (int i = 0; i < all->count; i++) {
    bool seen = !*all->list[i].code;
    for (int j = 0; j < i && !seen; j++)
      seen = !strcmp(all->list[i].code, all->list[j].code);
    different += !seen;
  }
  return different;
}

json_t *trials_json(const trials *all) {
  json_t *list = json_array();
  for (int i = 0; i < all->count; i++)
    json_array_append_new(list, trial_json(&all->list[i]));
  return list;
}

void trials_close(trials *all) {
  char path[600];
  snprintf(path, sizeof path, "%s/%s.json", all->folder, file);
  unlink(path);
  free(all->list);
  all->list = NULL;
}
