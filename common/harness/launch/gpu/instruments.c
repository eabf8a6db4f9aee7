#include "common/harness/launch/upload.h"

#include "common/harness/program/reason.h"

bool instruments_ready(reason *why) {
  return refuse(why, "count and race run on the CPU executor; this program was "
                     "built for a GPU.");
}

int instruments_race(const stage_object *object, const check_case *c,
                     const char *order, reason *why) {
  (void)object, (void)c, (void)order;
  return instruments_ready(why) ? EXIT_PASS : EXIT_IMPOSSIBLE;
}

void instruments_race_end(void) {}

int instruments_count(const stage_object *object, const check_case *c,
                      json_t *counters, reason *why) {
  (void)object, (void)c, (void)counters;
  return instruments_ready(why) ? EXIT_PASS : EXIT_IMPOSSIBLE;
}
