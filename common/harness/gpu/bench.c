#include "common/harness/timing.h"

#include "common/harness/judge/judge.h"
#include "common/harness/results.h"

enum { LABEL = 48 };

/* The arms that are timed: the kernels, the first of them once more, which
 * gives the noise, and the empty kernel, which gives the floor. */
typedef struct {
  launch_function *launch[ARMS_MAX + 2];
  arm_timing timing[ARMS_MAX + 2];
  int count, twin, empty;
} arm_set;

/* "stage1_cp_async", or as one types an arm: "stage1 USE_CP_ASYNC=0". */
static void print_label(const stage_object *object) {
  char label[ARM_TEXT + 64], settings[ARM_TEXT];
  arm_settings(object->arm, settings, sizeof settings);
  snprintf(label, sizeof label, *settings ? "%.*s %s" : "%.*s%s",
           (int)strcspn(object->stage, *settings ? "_" : ""), object->stage,
           settings);
  printf("  %-*s", LABEL, label);
}

static void print_samples(const arm_timing *t) {
  printf(" %8.2f %8.2f %8.2f %7.2f", t->event.p50, t->event.p90, t->event.p99,
         t->event.deviation);
  if (t->graph.count)
    printf(" %8.2f", t->graph.p50);
  else
    printf(" %8s", "-");
}

static void print_table(const check_case *c, const arm_set *arms,
                        const stage_object *const *objects,
                        const clock_log *clocks) {
  const samples *first = &arms->timing[0].event;
  const double noise =
      samples_noise(first, &arms->timing[arms->twin].event, NOISE_BATCHES);
  char throttle[128];
  printf("\n%s: us a launch, %d launches of each in turn; noise %.2f us\n",
         c->name, first->count, noise);
  printf("  %-*s %8s %8s %8s %7s %8s%s\n", LABEL, "", "p50", "p90", "p99",
         "std.dev", "graph", arms->twin > 1 ? "  the first saves" : "");
  for (int i = 0; i < arms->empty; i++) {
    if (i == arms->twin) continue;
    print_label(objects[i]);
    print_samples(&arms->timing[i]);
    const double other = arms->timing[i].event.p50;
    if (i == 0)
      printf("\n");
    else if (fabs(first->p50 - other) <= noise)
      printf("  no difference\n");
    else /* what the first arm saves */
      printf(" %7.1f %% %7.2fx\n", 100.0 * (1.0 - first->p50 / other),
             other / first->p50);
  }
  printf("  %-*s", LABEL, "the first once more");
  print_samples(&arms->timing[arms->twin]);
  printf("\n  %-*s", LABEL, "an empty kernel");
  print_samples(&arms->timing[arms->empty]);
  printf("\n");
  if (clocks->count)
    printf("  clock %d to %d MHz, power %.0f W on average, limited by: %s\n",
           clocks->clock_min, clocks->clock_max, clocks->power_mean,
           clocks_throttle_text(clocks->throttle, throttle, sizeof throttle));
}

static json_t *times_json(const samples *s, const samples *twin,
                          const samples *twin_of, const samples *empty) {
  if (s->count == 0) return json_null();
  return json_pack(
      "{s:f, s:f, s:f, s:f, s:f, s:i, s:f, s:f, s:f, s:o}", "p50_us", s->p50,
      "p90_us", s->p90, "p99_us", s->p99, "mean_us", s->mean, "std_us",
      s->deviation, "count", s->count, "noise_us",
      samples_noise(twin_of, twin, NOISE_BATCHES), "twin_p50_us", twin->p50,
      "empty_p50_us", empty->p50, "samples", samples_json(s));
}

static json_t *entry_json(const check_case *c, const arm_set *arms, int arm,
                          const timing_options *options,
                          const clock_log *clocks) {
  const arm_timing *t = arms->timing;
  const double flops = attention_shape_flops(&c->shape);
  const samples *best = t[arm].graph.count ? &t[arm].graph : &t[arm].event;
  json_t *json = json_pack(
      "{s:[I,I,I,I], s:b, s:i, s:o, s:o, s:f, s:o}", "shape",
      (json_int_t)c->shape.batch, (json_int_t)c->shape.heads,
      (json_int_t)c->shape.seq_len, (json_int_t)c->shape.head_dim, "flush_l2",
      options->flush_l2, "warmup", options->warmup, "event",
      times_json(&t[arm].event, &t[arms->twin].event, &t[0].event,
                 &t[arms->empty].event),
      "graph",
      times_json(&t[arm].graph, &t[arms->twin].graph, &t[0].graph,
                 &t[arms->empty].graph),
      "tflops", flops / best->p50 * 1e-6, "clocks", clocks_json(clocks));
  check_add_variant(json, &c->shape);
  return json;
}

/* One shape: inputs of the first seed; the times do not depend on values. */
static bool bench_shape(const stage_object *const *objects, int count,
                        const check_case *c, const timing_options *options,
                        json_t **perf, reason *why) {
  problem p;
  upload u = {0};
  arm_set arms = {.count = count + 2, .twin = count, .empty = count + 1};
  clock_log clocks;
  for (int i = 0; i < count; i++) arms.launch[i] = objects[i]->launch;
  arms.launch[arms.twin] = objects[0]->launch;
  arms.launch[arms.empty] = empty_launch;
  if (!problem_new(&p, &c->shape, c->distribution, c->seed, why)) return false;
  bool good = upload_new(&u, &p, 0, why);
  if (good) {
    clocks_begin();
    good = timing_run(arms.launch, arms.count, &u.args, options,
                      arms.timing, why);
    clocks_end(&clocks);
  }
  if (good) print_table(c, &arms, objects, &clocks);
  for (int i = 0; i < count && good; i++)
    json_object_set_new(perf[i], c->name,
                        entry_json(c, &arms, i, options, &clocks));
  for (int i = 0; i < arms.count; i++) timing_free(&arms.timing[i]);
  upload_free(&u);
  problem_free(&p);
  return good;
}

int bench_run(const stage_object *const *objects, int object_count,
              const case_list *list, int iters, bool flush_l2, json_t **perf,
              reason *why) {
  const settings *s = settings_get();
  const timing_options options = {.warmup = s->warmup,
                                  .timed = iters ? iters : s->timed,
                                  .flush_l2 = flush_l2};
  for (int i = 0; i < list->count; i++) {
    if (i > 0 && !strcmp(list->cases[i].name, list->cases[i - 1].name))
      continue;
    if (!bench_shape(objects, object_count, &list->cases[i], &options, perf,
                     why))
      return EXIT_IMPOSSIBLE;
  }
  return 0;
}
