/* The CPU executor's part: it looks for races, and times nothing. */

#include <stdio.h>

#include "common/simt/simt.h"
#include "floor/run.h"

void floor_watch(void) {
  simt_clear();
  simt_set_checks(simt_is_instrumented() ? SIMT_RACES : 0);
}

int floor_watched(void) {
  if (!simt_is_instrumented()) return 0;
  const simt_finding *found;
  const size_t count = simt_findings(&found);
  printf("%zu finding%s\n", count, count == 1 ? "" : "s");
  if (count) simt_print_findings(stdout);
  simt_print_unchecked(stdout);
  return count ? 1 : 0;
}

void floor_measure(json_t *floor, const device_info *device) {
  (void)floor, (void)device;
  floor_ends(EXIT_IMPOSSIBLE, "The CPU executor predicts no GPU's time: "
                              "measuring needs a GPU.");
}
