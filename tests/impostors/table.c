/* The verdicts as text, and as JSON for the book. */

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/impostors/impostors.h"

static gates_result *judge_all(const char *shape, distribution d,
                               uint64_t seed) {
  gates_result *results = calloc((size_t)impostor_count, sizeof *results);
  if (!results) abort();
  impostors_run(shape, d, seed, impostor_count, results);
  return results;
}

void impostors_print(const char *shape, distribution d, uint64_t seed) {
  gates_result *results = judge_all(shape, d, seed);
  printf("%s, %s inputs, seed %llu; x: caught, -: not judged\n%-30s", shape,
         distribution_name(d), (unsigned long long)seed, "");
  for (int g = 0; g < GATE_COUNT; g++) printf(" %11s  ", gate_name((gate)g));
  printf("\n");
  for (int i = 0; i < impostor_count; i++) {
    printf("%-30s", impostors[i].name);
    for (int g = 0; g < GATE_COUNT; g++)
      printf(" %11.3g %c", results[i].figure[g],
             "- x"[results[i].verdict[g]]);
    printf("\n");
  }
  free(results);
}

/* true: caught; false: missed; null: not judged. */
static json_t *row_json(const gates_result *result) {
  json_t *row = json_object();
  for (int g = 0; g < GATE_COUNT; g++)
    json_object_set_new(row, gate_name((gate)g),
                        result->verdict[g] == NOT_JUDGED
                            ? json_null()
                            : json_boolean(result->verdict[g] == FAILED));
  return row;
}

static json_t *plain_json(uint64_t seed) {
  gates_result *small = judge_all("small", NORMAL, seed);
  gates_result *mission = judge_all("mission", NORMAL, seed);
  json_t *rows = json_array();
  for (int i = 0; i < impostor_count; i++)
    if (!impostors[i].variant)
      json_array_append_new(
          rows, json_pack("{s:s, s:o, s:o}", "impostor", impostors[i].name,
                          "small", row_json(&small[i]), "mission",
                          row_json(&mission[i])));
  free(small);
  free(mission);
  return rows;
}

static bool write_json(json_t *root, const char *file) {
  const bool good =
      root &&
      json_dump_file(root, file, JSON_INDENT(1) | JSON_REAL_PRECISION(4)) == 0;
  json_decref(root);
  return good;
}

/* The control and those that are wrong only here. */
static json_t *variants_json(uint64_t seed) {
  static const char shape[] = "1,8:2,512,64,causal";
  gates_result *results = judge_all(shape, NORMAL, seed);
  json_t *rows = json_array();
  for (int i = 0; i < impostor_count; i++)
    if (i == 0 || impostors[i].variant)
      json_array_append_new(
          rows, json_pack("{s:s, s:o}", "impostor", impostors[i].name,
                          "verdicts", row_json(&results[i])));
  free(results);
  return json_pack("{s:s, s:o}", "shape", shape, "impostors", rows);
}

/* Each figure as a multiple of its limit. null: not finite. */
static json_t *errors_json(const gates_result *result) {
  json_t *row = json_object();
  for (int g = GATE_FINITE + 1; g < GATE_COUNT; g++) {
    const double ratio = result->figure[g] / result->limit[g];
    if (result->verdict[g] != NOT_JUDGED)
      json_object_set_new(row, gate_name((gate)g),
                          isfinite(ratio) ? json_real(ratio) : json_null());
  }
  return row;
}

bool impostors_write_errors(const char *file, uint64_t seed) {
  static const char shape[] = "mission";
  gates_result *results = judge_all(shape, NORMAL, seed);
  json_t *rows = json_array();
  for (int i = 0; i < impostor_count; i++)
    if (!impostors[i].variant)
      json_array_append_new(
          rows, json_pack("{s:s, s:o}", "impostor", impostors[i].name, "errors",
                          errors_json(&results[i])));
  free(results);
  return write_json(json_pack("{s:I, s:s, s:o}", "seed", (json_int_t)seed,
                              "shape", shape, "impostors", rows),
                    file);
}

bool impostors_write(const char *file, uint64_t seed) {
  json_t *root = json_pack(
      "{s:I, s:o, s:o, s:{s:f, s:f}}", "seed", (json_int_t)seed, "impostors",
      plain_json(seed), "variants", variants_json(seed), "small_inputs",
      "mean_of_v_max_abs_err", impostors_small_inputs(seed), "tolerance",
      SMALL_INPUTS_TOLERANCE);
  return write_json(root, file);
}
