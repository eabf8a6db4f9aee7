#include "further/stage18_ring/run.h"

#include <stdio.h>

#include "common/harness/program.h"
#include "common/simt/simt.h"
#include "further/stage18_ring/ranks/ranks.h"

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

int run_bench(ring_run *run) {
  (void)run;
  watchdog_give_up(EXIT_IMPOSSIBLE,
                "bench needs GPUs: the CPU executor predicts no GPU's time.");
}

bool bench_device(ring_run *run, reason *why) {
  return device_open(&run->device, why);
}
