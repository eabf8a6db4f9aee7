/* Prints a floor.json, and how near to the ceiling each stage is: see
 * `floor-show --help`. */

#include <argp.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/harness/problem/shape_text.h"
#include "common/harness/program/arguments.h"
#include "common/harness/program/exit_codes.h"
#include "common/harness/program/reason.h"
#include "common/harness/record/results.h"
#include "floor/model/model.h"

typedef struct {
  const char *path; /* of the number in a row */
  int width, decimals;
} column;

static void print_row(const char *label, const json_t *row,
                      const column *columns, int count) {
  printf("%-34s", label);
  for (int i = 0; i < count; i++) {
    const double value = results_number(row, columns[i].path);
    if (isfinite(value))
      printf(" %*.*f", columns[i].width, columns[i].decimals, value);
    else
      printf(" %*s", columns[i].width, "-");
  }
  printf("\n");
}

static void print_rates(const json_t *floor) {
  static const column columns[] = {
      {"tera_s", 9, 3},      {"low_tera_s", 9, 3},
      {"high_tera_s", 9, 3}, {"per_cycle_sm", 9, 1},
      {"clock_mhz", 6, 0},   {"clocks/power_max_w", 6, 0}};
  const char *name;
  json_t *rate;
  printf("\n%-34s %9s %19s %9s %6s %6s\n", "a second", "10^12", "from   to",
         "cycle SM", "MHz", "W");
  json_object_foreach(json_object_get(floor, "rates"), name, rate) {
    char label[64];
    snprintf(label, sizeof label, "%.30s, %.13s", name,
             results_text(rate, "unit"));
    print_row(label, rate, columns, 6);
  }
}

static void print_waits(const json_t *floor) {
  static const column columns[] = {
      {"cycles", 9, 1}, {"ns", 9, 1}, {"clock_mhz", 6, 0}};
  const char *name;
  json_t *wait;
  printf("\n%-34s %9s %9s %6s\n", "one after the other", "cycles", "ns", "MHz");
  json_object_foreach(json_object_get(floor, "waits"), name, wait)
    print_row(name, wait, columns, 3);
}

static void print_launches(const json_t *floor) {
  static const column columns[] = {
      {"graph/us", 9, 2}, {"back_to_back/us", 9, 2}, {"event/us", 9, 2}};
  const char *name;
  json_t *kernel;
  printf("\n%-34s %9s %9s %9s\n", "a launch, us", "graph", "in a row",
         "events");
  json_object_foreach(json_object_get(floor, "launch"), name, kernel)
    print_row(name, kernel, columns, 3);
}

static void print_beside(const json_t *floor) {
  static const column columns[] = {
      {"scores/us", 9, 1}, {"products/us", 9, 1}, {"both/us", 9, 1}};
  const char *name;
  json_t *part;
  if (json_object_size(json_object_get(floor, "beside")) == 0) return;
  printf("\n%-34s %9s %9s %9s\n", "scores and products, us", "scores",
         "products", "both");
  json_object_foreach(json_object_get(floor, "beside"), name, part) {
    char label[64];
    snprintf(label, sizeof label, "%.8s, %.0f FLOP a score", name,
             results_number(part, "flop_per_score"));
    print_row(label, part, columns, 3);
  }
}

/* ---- the shares ---- */

/* times[shape][stage], from a peers.json or a stage's own. */
static void add_time(json_t *times, const char *shape, const char *stage,
                     const json_t *entry) {
  const double us = results_number(entry, "graph/p50_us");
  json_t *of_shape = json_object_get(times, shape);
  if (!(us > 0)) return;
  if (!of_shape) {
    of_shape = json_object();
    json_object_set_new(times, shape, of_shape);
  }
  if (!json_object_get(of_shape, stage))
    json_object_set_new(of_shape, stage, json_real(us));
}

static void add_result(json_t *times, json_t *result) {
  const char *shape, *who;
  json_t *entry, *of_shape;
  json_object_foreach(json_object_get(result, "peers"), shape, of_shape)
    json_object_foreach(json_object_get(of_shape, "contenders"), who, entry)
      add_time(times, shape, who, entry);
  if (!strcmp(results_text(result, "build_meta/arm"), "default"))
    json_object_foreach(json_object_get(result, "perf"), shape, entry)
      add_time(times, shape, results_text(result, "build_meta/stage"), entry);
}

static void print_share(const char *name, json_t *stages,
                        const floor_model *now, const floor_model *later) {
  reason why;
  attention_shape shape;
  const floor_tile tile = FLOOR_TILE;
  if (!attention_shape_parse(&shape, name, &why)) return;
  json_t *all = floor_model_json(now, later, &shape, &tile);
  const double ceiling = results_number(all, "ceiling_us");
  printf("\n%s: ceiling %.4g us, by %s; floor %.4g us, by %s", name, ceiling,
         results_text(all, "ceiling_binding"), results_number(all, "floor_us"),
         results_text(all, "binding"));
  printf("; sustained %.4g us; %lld tiles of 64 rows %.4g us",
         results_number(all, "sustained_us"),
         (long long)results_number(all, "whole/tiles"),
         results_number(all, "whole/us"));
  if (isfinite(results_number(all, "chain/us")))
    printf("; in turn %.4g us", results_number(all, "chain/us"));
  printf("\n");
  const char *stage;
  json_t *us;
  json_object_foreach(stages, stage, us)
    printf("  %-32s %9.2f us, %5.1f %% of the ceiling\n", stage,
           json_real_value(us), 100.0 * ceiling / json_real_value(us));
  json_decref(all);
}

static void print_shares(json_t *times, const floor_model *now,
                         const floor_model *later) {
  static const char *const first[] = {"small", "mission", "long", "large"};
  for (int i = 0; i < 4; i++) {
    print_share(first[i], json_object_get(times, first[i]), now, later);
    json_object_del(times, first[i]);
  }
  const char *shape;
  json_t *stages;
  json_object_foreach(times, shape, stages)
    print_share(shape, stages, now, later);
}

typedef struct {
  text_list shapes;
  char **files;
  int file_count;
} command_line;

static const struct argp_option known[] = {
    {"shape", 's', "SHAPE", 0, "Its floor too; repeat for several", 0}, {0}};

static error_t take(int key, char *value, struct argp_state *state) {
  command_line *line = state->input;
  switch (key) {
  case 's': argument_add(state, &line->shapes, value); break;
  case ARGP_KEY_ARGS:
    line->files = state->argv + state->next;
    line->file_count = state->argc - state->next;
    break;
  case ARGP_KEY_SUCCESS:
    if (line->file_count < 1) argp_usage(state);
    break;
  default: return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

int main(int argc, char **argv) {
  const struct argp parser = {
      .options = known,
      .parser = take,
      .args_doc = "FLOOR.json [RESULT.json...]",
      .doc = "Prints a floor.json, and how near to the ceiling each stage "
             "is.\v"
             "RESULTs are peers.json or those of stages; of two times of one "
             "stage and shape the first counts.\n\n"
             "Exit status: 0 pass, 1 a file is no result, 2 wrong command "
             "line."};
  command_line line = {0};
  arguments_parse(&parser, argc, argv, &line);
  reason why;
  json_t *floor = results_read(line.files[0], &why);
  if (!floor) return give_up("floor-show", EXIT_FAILED, why.text);
  json_t *times = json_object();
  int code = 0;
  for (int i = 1; i < line.file_count && !code; i++) {
    json_t *result = results_read(line.files[i], &why);
    if (result)
      add_result(times, result);
    else
      code = EXIT_FAILED;
    json_decref(result);
  }
  for (int i = 0; i < line.shapes.count && !code; i++) {
    const char *name = line.shapes.texts[i];
    attention_shape shape;
    if (!attention_shape_parse(&shape, name, &why)) code = EXIT_USAGE;
    if (!json_object_get(times, name))
      json_object_set_new(times, name, json_object());
  }
  if (code) return give_up("floor-show", code, why.text);
  printf("%s, %.10s\n", results_text(floor, "build_meta/device/name"),
         results_text(floor, "build_meta/date"));
  print_rates(floor);
  print_waits(floor);
  print_launches(floor);
  print_beside(floor);
  floor_model now, later;
  if (!floor_model_read(&now, floor, false, line.files[0], &why) ||
      !floor_model_read(&later, floor, true, line.files[0], &why))
    code = give_up("floor-show", EXIT_FAILED, why.text);
  else
    print_shares(times, &now, &later);
  json_decref(times);
  json_decref(floor);
  return code;
}
