#include "further/stage18_ring/run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/harness/judge.h"
#include "common/harness/program.h"
#include "common/harness/settings.h"
#include "further/stage18_ring/ranks/ranks.h"

#define STAGE "stage18_ring"
/* More elements of Q are judged by a sample. */
#define MOST_ELEMENTS ((size_t)1 << 26)

/* ---- cases ---- */

static bool takes(const attention_shape *shape, const char *name,
                  reason *why) {
  if (shape->key_len || shape->softmax_scale > 0.0 || shape->layout)
    return refuse(why, "This stage takes its numbers and a causal mask, and "
                  "shape %s says more.", name);
  if (shape->head_dim == 64 || shape->head_dim == 128) return true;
  return refuse(why, "Shape %s has D = %lld; this stage takes 64 and 128.",
                name, (long long)shape->head_dim);
}

static int add_cases(ring_run *run, const char *name, reason *why) {
  static const distribution usual[] = {NORMAL, LARGE_LOGITS, MIXED_SCALES};
  const ring_options *o = &run->options;
  attention_shape shape;
  if (!attention_shape_parse(&shape, name, why)) return EXIT_USAGE;
  if (!takes(&shape, name, why)) return EXIT_IMPOSSIBLE;
  const bool all = o->verb == RING_CHECK && !run_sample(run, &shape);
  const int given = o->distributions.count;
  const int kinds = given ? given : all ? 3 : 1;
  const int seeds = o->seed_count ? o->seed_count : 1;
  case_list *list = &run->list;
  const size_t count = (size_t)(list->count + kinds * seeds);
  list->cases = realloc(list->cases, count * sizeof *list->cases);
  if (!list->cases) {
    refuse(why, "Too little memory for the cases.");
    return EXIT_IMPOSSIBLE;
  }
  for (int i = 0; i < kinds * seeds; i++) {
    check_case *c = &list->cases[list->count++];
    *c = (check_case){.shape = shape};
    snprintf(c->name, sizeof c->name, "%s", name);
    const int kind = i / seeds;
    c->distribution = given ? distribution_parse(o->distributions.texts[kind])
                            : usual[kind];
    c->seed = o->seed_count ? o->seeds[i % seeds] : 0;
  }
  return EXIT_PASS;
}

int run_cases(ring_run *run, reason *why) {
  const ring_options *o = &run->options;
  int code = EXIT_PASS;
  for (int i = 0; i < o->shapes.count && !code; i++)
    code = add_cases(run, o->shapes.texts[i], why);
  if (o->shapes.count) return code;
  for (int i = 0; run->shapes[i] && !code; i++)
    code = add_cases(run, run->shapes[i], why);
  return code;
}

int64_t run_sample(const ring_run *run, const attention_shape *shape) {
  if (run->options.sample) return run->options.sample;
  return attention_shape_elements(shape) > MOST_ELEMENTS ? SAMPLE_ROWS : 0;
}

/* ---- one run ---- */

static exchange *watched;

static const char *failure_of_exchange(void) {
  return exchange_failure(watched);
}

exchange *run_exchange(const ring_run *run, exchange_arrival arrival,
                       int multiprocessors) {
  const exchange_options options = {.rank = run->place.rank,
                                    .ranks = run->place.ranks,
                                    .compute = run->stream,
                                    .arrival = arrival,
                                    .multiprocessors = multiprocessors};
  reason why;
  if (run->place.ranks == 1) return NULL;
  watchdog_works("connecting with the other ranks");
  exchange *x = exchange_open(&options, &why);
  if (!x) watchdog_give_up(EXIT_IMPOSSIBLE, why.text);
  watchdog_asks(NULL);
  watched = x;
  watchdog_asks(failure_of_exchange);
  watchdog_works("going on");
  return x;
}

void run_exchange_end(exchange *x) {
  watchdog_asks(NULL);
  exchange_close(x);
}

void run_once(ring_run *run, ring_case *c, exchange *x, exchange_arm arm,
              marks *times) {
  reason why;
  cudaError_t error = shard_poison(&c->share, run->stream);
  watchdog_works("computing %s", c->about->name);
  if (!error && !attend(&c->share, x, arm, run->stream, times, &why))
    watchdog_give_up(EXIT_FAILED, why.text);
  if (run->device.is_gpu) watchdog_device("computing %s", c->about->name);
  if (!error) error = cudaStreamSynchronize(run->stream);
  if (error) {
    refuse(&why, "Rank %d's device fails: %s.", run->place.rank,
           cudaGetErrorString(error));
    watchdog_give_up(EXIT_FAILED, why.text);
  }
  watchdog_works("going on");
}

static void print_title(const ring_run *run, exchange_arm arm) {
  if (run->place.rank > 0) return;
  printf(STAGE " on %d rank%s, %s", run->place.ranks,
         run->place.ranks == 1 ? "" : "s", run->device.name);
  if (run->place.ranks > 1) printf(", exchange: %s", exchange_arm_name(arm));
  printf("\n");
}

/* ---- check ---- */

static void print_sample(const check_case *c, const sample_result *sampled) {
  printf("%-20s %6lld rows sampled, rel. RMS %.1e (at most %.1e)  %s\n",
         c->name, (long long)sampled->rows, sampled->figure, sampled->limit,
         sample_passed(sampled) ? "passed" : "FAILED");
}

/* All cases by all exchanges: results[arm][case], of rank 0. */
static int print_results(const ring_run *run, check_result *const *results,
                         sample_result *const *sampled) {
  int failed = 0;
  for (int a = 0; a < run->arm_count; a++) {
    case_list whole = {calloc((size_t)run->list.count, sizeof *whole.cases), 0};
    check_result *of_whole =
        calloc((size_t)run->list.count, sizeof *of_whole);
    if (!whole.cases || !of_whole)
      watchdog_give_up(EXIT_IMPOSSIBLE, "Too little memory for the report.");
    print_title(run, run->arms[a]);
    for (int i = 0; i < run->list.count; i++) {
      const check_case *c = &run->list.cases[i];
      if (run_sample(run, &c->shape)) {
        print_sample(c, &sampled[a][i]);
        failed += !sample_passed(&sampled[a][i]);
      } else {
        of_whole[whole.count] = results[a][i];
        whole.cases[whole.count++] = *c;
      }
    }
    if (whole.count) failed += check_print(&whole, of_whole);
    printf("\n");
    free(whole.cases);
    free(of_whole);
  }
  return failed;
}

int run_slots(const ring_run *run) {
  int most = 0;
  for (int a = 0; a < run->arm_count; a++) {
    const int slots = exchange_arm_slots(run->arms[a], run->place.ranks);
    if (slots > most) most = slots;
  }
  return most;
}

int run_check(ring_run *run) {
  check_result *results[EXCHANGES];
  sample_result *sampled[EXCHANGES];
  for (int a = 0; a < run->arm_count; a++) {
    results[a] = calloc((size_t)run->list.count, sizeof *results[a]);
    sampled[a] = calloc((size_t)run->list.count, sizeof *sampled[a]);
    if (!results[a] || !sampled[a])
      watchdog_give_up(EXIT_IMPOSSIBLE, "Too little memory for the results.");
  }
  exchange *x =
      run_exchange(run, WHEN_IT_COMES, run->options.multiprocessors[0]);
  for (int i = 0; i < run->list.count; i++) {
    ring_case c;
    const check_case *about = &run->list.cases[i];
    case_new(&c, about, run_sample(run, &about->shape), run->place.rank,
             run->place.ranks, run_slots(run));
    for (int a = 0; a < run->arm_count; a++) {
      run_once(run, &c, x, run->arms[a], NULL);
      case_judge(&c, &results[a][i], &sampled[a][i]);
    }
    case_free(&c);
  }
  int code = EXIT_PASS;
  if (run->place.rank == 0 && print_results(run, results, sampled) > 0)
    code = EXIT_FAILED;
  for (int a = 0; a < run->arm_count; a++) {
    free(results[a]);
    free(sampled[a]);
  }
  code = ranks_share(code);
  run_exchange_end(x);
  return code;
}

/* ---- race ---- */

/* Messages at once and at the end; the gates, too, because what is read too
 * early shows there. Returns how much is wrong. */
static int race_case(ring_run *run, ring_case *c, exchange *x,
                     exchange_arm arm) {
  check_result result;
  sample_result sampled;
  race_begin();
  run_once(run, c, x, arm, NULL);
  const int found = race_end(run->place.rank);
  case_judge(c, &result, &sampled);
  int wrong = (int)ranks_sum((double)found);
  if (run->place.rank == 0) {
    const bool good = c->sample ? sample_passed(&sampled)
                                : check_passed(&result);
    printf("%s, %s: %d finding%s%s\n", c->about->name, exchange_arm_name(arm),
           wrong, wrong == 1 ? "" : "s", good ? "" : ", and a gate failed");
    wrong += !good;
  }
  return ranks_share(wrong);
}

int run_race(ring_run *run) {
  reason why;
  int wrong = 0;
  const bool ready = race_ready(&why);
  if (!ranks_can(ready ? NULL : why.text, &why))
    watchdog_give_up(EXIT_IMPOSSIBLE, why.text);
  for (int arrival = AT_ONCE; arrival <= AT_THE_END && !wrong; arrival++) {
    exchange *x = run_exchange(run, (exchange_arrival)arrival, 0);
    if (run->place.rank == 0)
      printf(STAGE " on %d ranks: messages that come %s\n", run->place.ranks,
             arrival == AT_ONCE ? "at once" : "at the end");
    for (int i = 0; i < run->list.count && !wrong; i++) {
      ring_case c;
      const check_case *about = &run->list.cases[i];
      case_new(&c, about, run_sample(run, &about->shape), run->place.rank,
               run->place.ranks, run_slots(run));
      for (int a = 0; a < run->arm_count && !wrong; a++)
        wrong = race_case(run, &c, x, run->arms[a]);
      case_free(&c);
    }
    run_exchange_end(x);
  }
  if (run->place.rank == 0) race_unchecked();
  return wrong ? EXIT_FAILED : EXIT_PASS;
}
