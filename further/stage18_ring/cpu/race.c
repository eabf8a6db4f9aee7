#include "further/stage18_ring/run/run.h"

#include <stdio.h>

#include "common/simt/simt.h"

bool race_ready(reason *why) {
  if (simt_is_instrumented()) return true;
  return refuse(why, "This program was built without instrumentation: 'make "
                     "stage18 race' builds the other one.");
}

void race_begin(void) {
  simt_clear();
  simt_set_checks(SIMT_RACES);
}

void race_unchecked(void) {
  simt_set_checks(SIMT_RACES);
  simt_print_unchecked(stdout);
}

int race_end(int rank) {
  const simt_finding *found;
  simt_set_checks(0);
  const int count = (int)simt_findings(&found);
  if (count == 0) return 0;
  printf("rank %d:\n", rank);
  simt_print_findings(stdout);
  fflush(stdout);
  return count;
}
