#include "tools/profile/metrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/command.h"

static const char file[] = "tools/profile/metrics.list";

static void read_metric(void *state, char *line) {
  metric_list *list = state;
  metric m = {.optional = false};
  char name[100];
  if (*line == '#' || !*line) return;
  list->bad |= list->count == METRICS_MAX ||
               sscanf(line, "%47s %99s", m.key, name) != 2;
  if (list->bad) return;
  m.optional = *name == '?';
  snprintf(m.name, sizeof m.name, "%s", name + m.optional);
  list->all[list->count++] = m;
}

bool metrics_read(metric_list *list, reason *why) {
  *list = (metric_list){.count = 0};
  if (file_lines(file, read_metric, list) && !list->bad && list->count)
    return true;
  return refuse(why, "%s is not a list of metrics, NAME METRIC a line.", file);
}

char *metrics_names(const metric_list *list) {
  char *names = calloc(METRICS_MAX, sizeof list->all->name + 1);
  if (!names) abort();
  for (int i = 0; i < list->count; i++) {
    if (list->all[i].left_out) continue;
    if (*names) strcat(names, ",");
    strcat(names, list->all[i].name);
  }
  return names;
}

/* A metric, or what stands before its first dot, by which its variants are
 * known. */
static bool is_named(const metric *m, const char *word) {
  return !strcmp(word, m->name) ||
         (!strchr(word, '.') && !strncmp(word, m->name, strlen(word)) &&
          m->name[strlen(word)] == '.');
}

/* The optional metrics of one complaint. */
static void leave_out_of(void *state, char *line) {
  metric_list *list = state;
  char *rest = NULL;
  if (!strstr(line, "ERROR") && !strstr(line, "Failed")) return;
  for (char *word = strtok_r(line, " \t\n", &rest); word;
       word = strtok_r(NULL, " \t\n", &rest)) {
    word += strspn(word, "\",.");
    for (size_t n = strlen(word); n && strchr("\",.", word[n - 1]); n--)
      word[n - 1] = '\0';
    for (int i = 0; i < list->count; i++) {
      metric *m = &list->all[i];
      if (!m->optional || m->left_out || !is_named(m, word)) continue;
      fprintf(stderr, "left out, because this profiler does not know it: %s\n",
              m->name);
      m->left_out = list->fewer = true;
    }
  }
}

bool metrics_leave_out(metric_list *list, const char *log) {
  list->fewer = false;
  file_lines(log, leave_out_of, list);
  return list->fewer;
}

/* "1,234.5" as a number; NULL if it is none. */
static json_t *number_of(const char *text) {
  char digits[64], *end = digits;
  size_t used = 0;
  for (; *text && used + 1 < sizeof digits; text++)
    if (!strchr("\",\r\n", *text)) digits[used++] = *text;
  digits[used] = '\0';
  if (!used || strspn(digits, "0123456789.eE+-") != used) return NULL;
  const long long whole = strtoll(digits, &end, 10);
  if (!*end) return json_integer(whole);
  const double number = strtod(digits, &end);
  return *end ? NULL : json_real(number);
}

typedef struct {
  const metric_list *list;
  json_t *numbers;
} rows;

static void read_row(void *state, char *line) {
  const rows *r = state;
  const metric_list *list = r->list;
  static const char between[] = "\",\"";
  const metric *found = NULL;
  const char *last = line;
  for (char *field = line, *next; field; field = next) {
    next = strstr(field, between);
    if (next) {
      *next = '\0';
      next += strlen(between);
    }
    for (int i = 0; i < list->count; i++)
      if (!list->all[i].left_out && !strcmp(field, list->all[i].name))
        found = &list->all[i];
    last = field;
  }
  json_t *number = found ? number_of(last) : NULL;
  if (number) json_object_set_new(r->numbers, found->key, number);
}

json_t *metrics_json(const metric_list *list, const char *log) {
  rows r = {list, json_object()};
  file_lines(log, read_row, &r);
  return r.numbers;
}
