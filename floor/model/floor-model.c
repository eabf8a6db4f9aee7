/* The least time of attention, from the rates that 'make floor' measured:
 *   floor-model [--json] [--tile ROWS,KEYS[,GROUPS]] FLOOR.json SHAPE...
 * A line a shape: the shape, microseconds, what binds. Exit 1 where the file is
 * no result of 'make floor', 2 for a wrong command line. */

#include <stdio.h>
#include <string.h>

#include "common/harness/problem/shape_text.h"
#include "common/harness/record/results.h"
#include "floor/model/model.h"

enum { FAILED = 1, USAGE = 2 };

static int stop(int code, const char *why) {
  fflush(stdout);
  fprintf(stderr, "floor-model: %s\n", why);
  return code;
}

static int usage(void) {
  return stop(USAGE, "usage: floor-model [--json] [--tile ROWS,KEYS[,GROUPS]] "
                     "FLOOR.json SHAPE...");
}

int main(int argc, char **argv) {
  reason why;
  bool as_json = false;
  floor_tile tile = FLOOR_TILE;
  int at = 1;
  for (; at < argc && !strncmp(argv[at], "--", 2); at++)
    if (!strcmp(argv[at], "--json"))
      as_json = true;
    else if (strcmp(argv[at], "--tile") || ++at >= argc)
      return usage();
    else if (!floor_tile_parse(&tile, argv[at], &why))
      return stop(USAGE, why.text);
  if (argc - at < 2) return usage();
  for (int i = at + 1; i < argc; i++) {
    attention_shape shape;
    if (!attention_shape_parse(&shape, argv[i], &why))
      return stop(USAGE, why.text);
  }
  json_t *floor = results_read(argv[at], &why);
  floor_model now, later;
  if (!floor || !floor_model_read(&now, floor, false, argv[at], &why) ||
      !floor_model_read(&later, floor, true, argv[at], &why)) {
    json_decref(floor);
    return stop(FAILED, why.text);
  }
  json_t *all = json_object();
  for (int i = at + 1; i < argc; i++) {
    attention_shape shape;
    attention_shape_parse(&shape, argv[i], &why);
    if (as_json)
      json_object_set_new(all, argv[i],
                          floor_model_json(&now, &later, &shape, &tile));
    else
      printf("%s %.4g %s\n", argv[i], floor_model_parts(&now, &shape).us,
             floor_model_parts(&now, &shape).binding);
  }
  if (as_json) {
    json_dumpf(all, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(7));
    printf("\n");
  }
  json_decref(all);
  json_decref(floor);
  return 0;
}
