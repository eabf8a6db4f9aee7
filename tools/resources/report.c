#include "tools/resources/report.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/command.h"

static const char settings[] = "common/harness/settings.json";

/* The number in front of words, as in "29312 bytes smem"; 0 without them. */
static int number_before(const char *line, const char *words) {
  const char *at = strstr(line, words);
  if (!at) return 0;
  while (at > line && at[-1] == ' ') at--;
  while (at > line && at[-1] >= '0' && at[-1] <= '9') at--;
  return atoi(at);
}

static void read_line(void *state, char *line) {
  resource_report *r = state;
  int registers = 0;
  const char *used = strstr(line, "Used ");
  r->stack_bytes += number_before(line, "bytes stack frame");
  r->spill_bytes += number_before(line, "bytes spill stores") +
                    number_before(line, "bytes spill loads");
  if (!used || sscanf(used, "Used %d registers", &registers) != 1) return;
  const int shared = number_before(used, "bytes smem");
  if (registers > r->registers) r->registers = registers;
  if (shared > r->shared_bytes) r->shared_bytes = shared;
}

bool report_read(resource_report *r, const char *path) {
  *r = (resource_report){.registers = 0};
  return file_lines(path, read_line, r) && r->registers > 0;
}

void report_text(const resource_report *r, char *text) {
  snprintf(text, REPORT_TEXT, "registers=%d shared_bytes=%d stack_bytes=%d "
           "spill_bytes=%d", r->registers, r->shared_bytes, r->stack_bytes,
           r->spill_bytes);
}

static int used_of(const resource_report *r, const char *limit) {
  if (!strcmp(limit, "registers")) return r->registers;
  if (!strcmp(limit, "shared_bytes")) return r->shared_bytes;
  if (!strcmp(limit, "stack_bytes")) return r->stack_bytes;
  return !strcmp(limit, "spill_bytes") ? r->spill_bytes : 0;
}

bool report_over(const resource_report *r, const char *stage, char *over) {
  json_t *root = json_load_file(settings, 0, NULL);
  json_t *budget = json_object_get(json_object_get(root, "budgets"), stage);
  const char *limit;
  json_t *most;
  int length = 0;
  *over = '\0';
  json_object_foreach(budget, limit, most) {
    const int allowed = (int)json_integer_value(most);
    if (used_of(r, limit) > allowed && length < REPORT_TEXT)
      length += snprintf(over + length, (size_t)(REPORT_TEXT - length),
                         " over budget: %s=%d", limit, allowed);
  }
  const bool found = json_object_size(budget) > 0;
  if (!found)
    snprintf(over, REPORT_TEXT, "%s has no budget for %s.", settings, stage);
  json_decref(root);
  return found;
}
