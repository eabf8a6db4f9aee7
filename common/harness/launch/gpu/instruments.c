#include "common/harness/launch/instruments.h"

#include <stdio.h>

bool instruments_ready(char *why, size_t why_size) {
  snprintf(why, why_size, "count and race run on the CPU executor; this "
           "program was built for a GPU.");
  return false;
}

int instruments_race(const stage_object *object, const check_case *c, char *why,
               size_t why_size) {
  (void)object, (void)c;
  return instruments_ready(why, why_size) ? 0 : 3;
}

int instruments_count(const stage_object *object, const check_case *c,
                json_t *counters, char *why, size_t why_size) {
  (void)object, (void)c, (void)counters;
  return instruments_ready(why, why_size) ? 0 : 3;
}
