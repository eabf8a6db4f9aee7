#include "further/stage18_ring/ring/plan.h"

#include <math.h>
#include <string.h>

static double compute_us(const model_input *in, const ring_plan *plan, int rank,
                         int step) {
  const ring_block b = plan_block(plan, rank, step);
  const step_kind kind = b.source == rank  ? OWN_KEYS
                         : b.source < rank ? EARLIER_KEYS
                                           : LATER_KEYS;
  const double merge =
      step == 0 ? 0.0 : 1e-3 * in->merge_row_ns * (double)b.queries;
  return in->step_us[kind][step + 1 < plan->ranks] + merge;
}

/* What this rank receives from the one before during a step. */
static double exchange_us(const model_input *in, const ring_plan *plan,
                          int rank, int step) {
  const int source = plan_source(plan, rank, step + 1);
  const double bytes = in->message_bytes + in->message_row_bytes *
                                               (double)plan_rows(plan, source);
  /* The first of a machine hears from another one. */
  if (plan->ranks > in->ranks_a_machine && rank % in->ranks_a_machine == 0)
    return in->network_latency_us + bytes / in->network_bytes_a_us;
  return in->latency_us + bytes / in->bytes_a_us;
}

//> model
/* done[r]: when rank r has computed a step; here[r]: when it has the keys of
 * the next one. */
static double simulate(const model_input *in, const ring_plan *plan,
                       double *done, double *here, double *next) {
  for (int step = 0; step < plan->ranks; step++) {
    for (int r = 0; r < plan->ranks; r++) {
      const int before = (r + plan->ranks - 1) % plan->ranks;
      const double both = fmax(fmax(done[r], here[r]),
                               fmax(done[before], here[before]));
      next[r] = both + exchange_us(in, plan, r, step);
    }
    for (int r = 0; r < plan->ranks; r++)
      done[r] = fmax(done[r], here[r]) + compute_us(in, plan, r, step);
    for (int r = 0; r < plan->ranks; r++) here[r] = next[r];
  }
  double last = 0.0;
  for (int r = 0; r < plan->ranks; r++) last = fmax(last, done[r]);
  return last;
}
//< model

double model_ring_us(const model_input *in, const ring_plan *plan) {
  double times[3 * plan->ranks];
  memset(times, 0, sizeof times);
  return simulate(in, plan, times, times + plan->ranks,
                  times + 2 * plan->ranks);
}
