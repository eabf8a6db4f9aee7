#include "tests/races/gates.h"

#include <jansson.h>
#include <string.h>

/* NULL if the line is no STAGE|NAME|VERDICT. */
static json_t *entry_of(char *line) {
  line[strcspn(line, "\n")] = '\0';
  const char *stage = strsep(&line, "|"), *name = strsep(&line, "|");
  return line ? json_pack("{s:s, s:s, s:s}", "stage", stage, "mistake", name,
                          "gates", line)
              : NULL;
}

bool gates_write(FILE *verdicts, FILE *to) {
  char line[512];
  int passed = 0;
  bool good = true;
  json_t *planted = json_array();
  while (good && fgets(line, sizeof line, verdicts)) {
    json_t *entry = entry_of(line);
    good = entry && !json_array_append_new(planted, entry);
    const json_t *gates = json_object_get(entry, "gates");
    passed += good && !strcmp(json_string_value(gates), "passed");
  }
  json_t *all = json_pack("{s:o, s:i, s:i}", "planted", planted, "passed",
                          passed, "total", (int)json_array_size(planted));
  good = good && !json_dumpf(all, to, JSON_INDENT(1)) && putc('\n', to) != EOF;
  json_decref(all);
  return good;
}
