#include "further/stage18_ring/run/run.h"

#include "common/harness/program.h"
#include "further/stage18_ring/ranks/ranks.h"

int run_bench(ring_run *run) {
  (void)run;
  watchdog_give_up(EXIT_IMPOSSIBLE,
                "bench needs GPUs: the CPU executor predicts no GPU's time.");
}

bool bench_device(ring_run *run, reason *why) {
  return device_open(&run->device, why);
}
