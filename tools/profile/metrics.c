#include "tools/profile/metrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char file[] = "tools/profile/metrics.list";

static bool read_metric(metric_list *list, const char *line) {
  metric *m = &list->all[list->count];
  char name[100];
  *m = (metric){.optional = false};
  if (list->count == METRICS_MAX ||
      sscanf(line, "%47s %99s", m->key, name) != 2)
    return false;
  m->optional = *name == '?';
  snprintf(m->name, sizeof m->name, "%s", name + m->optional);
  list->count++;
  return true;
}

bool metrics_read(metric_list *list, reason *why) {
  FILE *lines = fopen(file, "r");
  char *line = NULL;
  size_t size = 0;
  bool good = lines != NULL;
  list->count = 0;
  while (good && getline(&line, &size, lines) > 0)
    good = *line == '#' || *line == '\n' || read_metric(list, line);
  free(line);
  if (lines) fclose(lines);
  if (good && list->count) return true;
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

/* The optional metrics of one complaint: how many were asked for until now. */
static int leave_out_of(metric_list *list, char *line) {
  int count = 0;
  char *rest = NULL;
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
      m->left_out = true;
      count++;
    }
  }
  return count;
}

bool metrics_leave_out(metric_list *list, const char *log) {
  FILE *said = fopen(log, "r");
  char *line = NULL;
  size_t size = 0;
  int count = 0;
  while (said && getline(&line, &size, said) > 0)
    if (strstr(line, "ERROR") || strstr(line, "Failed"))
      count += leave_out_of(list, line);
  free(line);
  if (said) fclose(said);
  return count > 0;
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

static void read_row(const metric_list *list, char *line, json_t *to) {
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
  if (number) json_object_set_new(to, found->key, number);
}

json_t *metrics_json(const metric_list *list, const char *log) {
  json_t *numbers = json_object();
  FILE *said = fopen(log, "r");
  char *line = NULL;
  size_t size = 0;
  while (said && getline(&line, &size, said) > 0)
    read_row(list, line, numbers);
  free(line);
  if (said) fclose(said);
  return numbers;
}
