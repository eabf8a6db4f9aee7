#include "tools/labs/ring/counts.h"

#include <jansson.h>

#include "common/simt/simt.h"
#include "further/stage18_ring/ranks/ranks.h"

void counts_begin(void) {
  simt_clear();
  simt_set_checks(SIMT_COUNTS);
}

/* This rank's counters become those of all. */
static void add_up(json_t *total) {
  const char *name;
  json_t *one;
  json_object_foreach(total, name, one) {
    if (json_is_number(one))
      json_real_set(one, ranks_sum(json_number_value(one)));
  }
}

bool counts_end(double scores, const char *path, bool first, reason *why) {
  simt_set_checks(0);
  json_t *counters = simt_counters_json();
  json_t *total = json_object(), *one;
  const char *name;
  json_object_foreach(json_object_get(counters, "total"), name, one) {
    if (json_is_number(one))
      json_object_set_new(total, name, json_real(json_number_value(one)));
  }
  json_object_set_new(total, "scores", json_real(scores));
  add_up(total);
  json_object_set_new(total, "scores_of_busiest_rank",
                      json_real(ranks_largest(scores)));
  json_t *all = json_pack("{s:o}", "total", total);
  const bool good = !first || !json_dump_file(all, path, JSON_INDENT(1)) ||
                    refuse(why, "Cannot write %s.", path);
  json_decref(all);
  json_decref(counters);
  return good;
}
