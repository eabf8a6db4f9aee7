#include "further/stage18_ring/run.h"

#include <stdio.h>

#include "common/simt/simt.h"

/* The gates, too, because what is read too early shows there. Returns how much
 * is wrong. */
static int race_case(ring_run *run, ring_case *c, exchange *x,
                     exchange_arm arm) {
  check_result result;
  const simt_finding *found;
  const bool first = run->place.rank == 0;
  simt_clear();
  simt_set_checks(SIMT_RACES);
  run_once(run, c, x, arm, NULL);
  simt_set_checks(0);
  const size_t own = simt_findings(&found);
  if (own) {
    printf("rank %d:\n", run->place.rank);
    simt_print_findings(stdout);
    fflush(stdout);
  }
  case_judge(c, &result);
  const int wrong = (int)ranks_sum((double)own);
  const bool good = !first || check_passed(&result);
  if (first)
    printf("%s, %s: %d finding%s%s\n", c->about->name, exchange_arm_name(arm),
           wrong, wrong == 1 ? "" : "s", good ? "" : ", and a gate failed");
  return (int)ranks_largest(wrong + !good);
}

int run_race(ring_run *run) {
  int wrong = 0;
  if (!simt_is_instrumented())
    watchdog_give_up(EXIT_IMPOSSIBLE,
                     "This program was built without instrumentation: 'make "
                     "stage18 race' builds the other one.");
  for (int arrival = AT_ONCE; arrival <= AT_THE_END && !wrong; arrival++) {
    exchange *x = run_exchange(run, (exchange_arrival)arrival, 0);
    if (run->place.rank == 0)
      printf("stage18_ring on %d ranks: messages that come %s\n",
             run->place.ranks, arrival == AT_ONCE ? "at once" : "at the end");
    for (int i = 0; i < run->list.count && !wrong; i++) {
      ring_case c;
      case_new(&c, run, &run->list.cases[i]);
      for (int a = 0; a < run->arm_count && !wrong; a++)
        wrong = race_case(run, &c, x, run->arms[a]);
      case_free(&c);
    }
    run_exchange_end(x);
  }
  simt_set_checks(SIMT_RACES);
  if (run->place.rank == 0) simt_print_unchecked(stdout);
  return wrong ? EXIT_FAILED : EXIT_PASS;
}

int run_bench(ring_run *run) {
  (void)run;
  watchdog_give_up(EXIT_IMPOSSIBLE, "bench needs GPUs: the CPU executor "
                   "predicts no GPU's time.");
}

bool bench_device(ring_run *run, reason *why) {
  return device_open(&run->device, why);
}
