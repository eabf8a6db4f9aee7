#include <math.h>
#include <string.h>

#include "common/harness/results.h"
#include "tools/timeline/timeline.h"

static void print_row(const char *name, const json_t *row) {
  printf("  %-14s %7.2f", name, results_number(row, "visits"));
  if (!isnan(results_number(row, "share_pct")))
    printf(" %8.1f %8.0f %8.0f %8.0f", results_number(row, "share_pct"),
           results_number(row, "p10_cycles"), results_number(row, "p50_cycles"),
           results_number(row, "p90_cycles"));
  printf("\n");
}

static void print_role(const char *role, json_t *entry) {
  const bool is_time = json_object_get(entry, "life") != NULL;
  const char *name;
  json_t *row;
  printf("  %s: %.0f, %s: %s\n", role, results_number(entry, "warps"),
         json_is_false(json_object_get(entry, "alike")) ? "the first" : "each",
         results_text(entry, "order"));
  printf("  %-14s %7s%s\n", "phase", "visits",
         is_time ? "  share %   cycles: p10      p50      p90" : "");
  json_object_foreach(json_object_get(entry, "phases"), name, row)
    print_row(name, row);
  if (is_time && json_object_get(entry, "step"))
    printf("  a step took %.0f cycles, a warp's life %.0f (medians)\n",
           results_number(entry, "step/p50_cycles"),
           results_number(entry, "life/p50_cycles"));
}

static void print_overhead(const json_t *entry, const char *method) {
  char path[64];
  double value[4];
  static const char *const names[] = {"plain_us", "stamped_us", "noise_us",
                                      "overhead_pct"};
  for (int i = 0; i < 4; i++) {
    snprintf(path, sizeof path, "overhead/%s/%s", method, names[i]);
    value[i] = results_number(entry, path);
  }
  if (isnan(value[0])) return;
  printf("  cost of the stamps, by %s: %.2f us without, %.2f with: %+.1f %%; "
         "noise %.2f us\n", method, value[0], value[1], value[3], value[2]);
}

void timeline_print(const char *shape, json_t *entry) {
  const char *role;
  json_t *of_role;
  printf("\n%s: %.0f blocks of %.0f warps, one launch\n", shape,
         results_number(entry, "blocks"),
         results_number(entry, "warps_of_a_block"));
  json_object_foreach(json_object_get(entry, "roles"), role, of_role)
    print_role(role, of_role);
  const double overlap = results_number(entry, "producers_overlapped_pct");
  if (!isnan(overlap))
    printf("  while a producer works, a consumer of its block works for %.0f %%"
           " of the time\n", overlap);
  print_overhead(entry, "graph");
  print_overhead(entry, "event");
}
