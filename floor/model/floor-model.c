/* The least time of attention, from the rates that 'make floor' measured:
 *   floor-model [--json] [--tile ROWS,KEYS[,GROUPS]] FLOOR.json SHAPE...
 * A line a shape: the shape, microseconds at the ceiling, what binds. Exit 1
 * where the file is no result of 'make floor', 2 for a wrong command line. */

#include <argp.h>
#include <stdio.h>

#include "common/harness/program.h"
#include "common/harness/results.h"
#include "common/harness/settings.h"
#include "floor/model/model.h"

typedef struct {
  const char *tile, *file;
  char **shapes;
  int shape_count;
  bool json;
} command_line;

static const struct argp_option known[] = {
    {"json", 'j', 0, 0, "Print the parts of each shape's floor as JSON", 0},
    {"tile", 't', "ROWS,KEYS[,GROUPS]", 0, "The tile of --json", 0},
    {0}};

static error_t take(int key, char *value, struct argp_state *state) {
  command_line *line = state->input;
  switch (key) {
  case 'j': line->json = true; break;
  case 't': line->tile = value; break;
  case ARGP_KEY_ARGS:
    line->file = state->argv[state->next];
    line->shapes = state->argv + state->next + 1;
    line->shape_count = state->argc - state->next - 1;
    break;
  case ARGP_KEY_SUCCESS:
    if (line->shape_count < 1) argp_usage(state);
    break;
  default: return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

int main(int argc, char **argv) {
  const struct argp parser = {
      .options = known,
      .parser = take,
      .args_doc = "FLOOR.json SHAPE...",
      .doc = "The least time of attention, from the rates that 'make floor' "
             "measured.\v"
             "Exit status: 0 pass, 1 the file is no result of 'make floor', 2 "
             "wrong command line."};
  command_line line = {0};
  arguments_parse(&parser, argc, argv, &line);
  reason why;
  floor_tile tile = FLOOR_TILE;
  if (line.tile && !floor_tile_parse(&tile, line.tile, &why))
    return give_up("floor-model", EXIT_USAGE, why.text);
  for (int i = 0; i < line.shape_count; i++) {
    attention_shape shape;
    if (!attention_shape_parse(&shape, line.shapes[i], &why))
      return give_up("floor-model", EXIT_USAGE, why.text);
  }
  json_t *floor = results_read(line.file, &why);
  floor_model now, later;
  if (!floor || !floor_model_read(&now, floor, false, line.file, &why) ||
      !floor_model_read(&later, floor, true, line.file, &why)) {
    json_decref(floor);
    return give_up("floor-model", EXIT_FAILED, why.text);
  }
  json_t *all = json_object();
  for (int i = 0; i < line.shape_count; i++) {
    attention_shape shape;
    attention_shape_parse(&shape, line.shapes[i], &why);
    if (line.json)
      json_object_set_new(all, line.shapes[i],
                          floor_model_json(&now, &later, &shape, &tile));
    else
      printf("%s %.4g %s\n", line.shapes[i],
             floor_model_parts(&now, &shape).ceiling_us,
             floor_model_parts(&now, &shape).binds);
  }
  if (line.json) {
    json_dumpf(all, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(7));
    printf("\n");
  }
  json_decref(all);
  json_decref(floor);
  return 0;
}
