#include "common/harness/launch/instruments.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/harness/device/phases.h"
#include "common/harness/launch/upload.h"
#include "common/harness/program/exit_codes.h"
#include "common/simt/simt.h"

bool instruments_ready(reason *why) {
  if (simt_is_instrumented()) return true;
  return refuse(why, "This program was built without instrumentation: 'make "
                     "count' and 'make race' build the other one.");
}

/* One launch with these checks on. A kernel that fails under them has
 * findings to show for it; without any, false with one sentence. */
static bool run(const stage_object *object, const check_case *c,
                unsigned checks, reason *why) {
  problem p;
  upload u;
  if (!problem_new(&p, &c->shape, c->distribution, c->seed, why)) return false;
  uint16_t *o = malloc(2 * attention_shape_elements(&c->shape));
  bool good = o && upload_new(&u, &p, why);
  if (good) {
    const simt_finding *found;
    simt_clear();
    simt_set_checks(checks);
    phase_begin("tracing", 0);
    good = upload_run(&u, object->launch, o, why);
    phase_end();
    simt_set_checks(0);
    upload_free(&u);
    if (simt_findings(&found) > 0) good = true;
  }
  free(o);
  problem_free(&p);
  return good;
}

int instruments_race(const stage_object *object, const check_case *c,
                     reason *why) {
  if (!run(object, c, SIMT_RACES, why)) return EXIT_IMPOSSIBLE;
  const simt_finding *found;
  const size_t count = simt_findings(&found);
  printf("%s: %zu finding%s\n", c->name, count, count == 1 ? "" : "s");
  if (count) simt_print_findings(stdout);
  return count ? EXIT_FAILED : EXIT_PASS;
}

int instruments_count(const stage_object *object, const check_case *c,
                      json_t *counters, reason *why) {
  if (!run(object, c, SIMT_COUNTS, why)) return EXIT_IMPOSSIBLE;
  printf("%s\n", c->name);
  simt_print_counters(stdout);
  json_object_set_new(counters, c->name, simt_counters_json());
  return 0;
}
