#include "further/stage18_ring/run/run.h"

#include <stdlib.h>

#include "common/harness/program.h"
#include "further/stage18_ring/ranks/ranks.h"

/* All ranks end where one of them was refused. */
static void all_or_none(bool good, const reason *why) {
  reason whose;
  if (!ranks_can(good ? NULL : why->text, &whose))
    watchdog_give_up(EXIT_IMPOSSIBLE, whose.text);
}

void case_new(ring_case *c, const check_case *about, int64_t sample, int rank,
              int ranks, int slots) {
  reason why;
  const attention_shape *shape = &about->shape;
  const ring_plan plan = {ranks, shape->seq_len, shape->causal};
  *c = (ring_case){.about = about, .sample = sample};
  watchdog_works("making the inputs");
  bool good;
  if (sample) {
    good = inputs_new(&c->in, shape, about->seed, &why);
  } else {
    good = problem_new(&c->whole, shape, about->distribution, about->seed,
                       &why);
    c->in = inputs_of_problem(&c->whole);
  }
  all_or_none(good, &why);
  all_or_none(shard_new(&c->share, &c->in, &plan, rank, slots, &why), &why);
  c->o = malloc(2 * collect_elements(&c->share, rank) + 1);
  good = c->o || refuse(&why, "Too little memory for the output.");
  if (good && rank == 0 && !sample) {
    watchdog_works("computing the references");
    good = references_new(&c->right, &c->whole, P_E4M3, &why);
  }
  all_or_none(good, &why);
}

void case_free(ring_case *c) {
  references_free(&c->right);
  shard_free(&c->share);
  if (c->whole.q) problem_free(&c->whole);
  inputs_free(&c->in);
  free(c->o);
  *c = (ring_case){0};
}

static void judge_all(ring_case *c, check_result *result) {
  uint16_t *o = collect_output(&c->share, c->o);
  if (o) {
    watchdog_works("judging the output");
    result->ran = gates_judge(&result->gates, o, &c->whole, &c->right) ||
                  refuse(&result->why, "Too little memory to judge.");
  }
  free(o);
}

void case_judge(ring_case *c, check_result *result, sample_result *sampled) {
  const shard *s = &c->share;
  reason why;
  const size_t bytes = 2 * collect_elements(s, s->rank);
  *result = (check_result){0};
  if (cudaMemcpy(c->o, s->out, bytes, cudaMemcpyDeviceToHost))
    watchdog_give_up(EXIT_FAILED, "A rank's output does not come back.");
  if (!c->sample) {
    judge_all(c, result);
    return;
  }
  watchdog_works("judging a sample of rows");
  if (!sample_judge(s, &c->in, c->o, c->sample, sampled, &why))
    watchdog_give_up(EXIT_IMPOSSIBLE, why.text);
  result->ran = true;
}
