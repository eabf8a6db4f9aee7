/* The program behind `make stage2 timeline`: a stage's driver with this
 * stage_main in place of the harness's, and both kernels, with and without
 * stamps. */

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/harness/judge.h"
#include "common/harness/launch.h"
#include "common/harness/program.h"
#include "common/harness/results.h"
#include "common/harness/stage.h"
#include "common/harness/timing.h"
#include "tools/timeline/timeline.h"

enum { WARM_LAUNCHES = 20 };

typedef struct {
  const stage_description *stage;
  timeline_options options;
  device_info device;
  stage_object stamped;
  const stage_object *objects[2]; /* without stamps, with */
  json_t *entries;                /* [shape] */
  char run[64];
  reason why;
} timeline_run;

static void interrupted(int number) {
  (void)number;
  static const char text[] = "\nInterrupted: no result was written.\n";
  if (write(2, text, sizeof text - 1) < 0) _exit(130);
  _exit(130);
}

static int fail(const timeline_run *t, int code) {
  return give_up("timeline", code, t->why.text);
}

/* The gates, on both kernels; the one with stamps has room to write them. */
static int run_gates(timeline_run *t, case_list *one) {
  check_result results[2];
  const int code =
      check_case_run(t->objects, 2, one->cases, results, &t->why);
  if (code) return fail(t, code);
  int failed = 0;
  for (int i = 0; i < 2; i++) {
    printf("%s, %s\n", t->objects[0]->stage, i ? "with stamps" : "as it is");
    failed += check_print(one, &results[i]);
  }
  if (!failed) return EXIT_PASS;
  fprintf(stderr, "timeline: nothing was recorded, because a gate failed.\n");
  return EXIT_FAILED;
}

static json_t *cost_json(const json_t *plain, const json_t *stamped) {
  const double before = results_number(plain, "p50_us");
  const double after = results_number(stamped, "p50_us");
  return json_pack("{s:f, s:f, s:f, s:f}", "plain_us", before, "stamped_us",
                   after, "noise_us", results_number(plain, "noise_us"),
                   "overhead_pct", round(1e4 * (after / before - 1)) / 100);
}

/* What the stamps cost: both kernels timed in turn, as bench times arms. */
static int run_times(timeline_run *t, const case_list *one, json_t *entry,
                     double *mhz) {
  json_t *perf[2] = {json_object(), json_object()};
  const timing_options timing =
      bench_options(t->options.stage.iters, t->options.stage.flush_l2);
  const int code = bench_run(t->objects, 2, one, &timing, perf, &t->why);
  if (!code) {
    const char *shape = one->cases[0].name;
    json_t *plain = json_object_get(perf[0], shape);
    json_t *stamped = json_object_get(perf[1], shape);
    json_t *cost = json_object();
    static const char *const methods[] = {"event", "graph"};
    for (int m = 0; m < 2; m++)
      if (json_is_object(json_object_get(plain, methods[m])))
        json_object_set_new(cost, methods[m],
                            cost_json(json_object_get(plain, methods[m]),
                                      json_object_get(stamped, methods[m])));
    json_object_set_new(entry, "overhead", cost);
    *mhz = results_number(plain, "clocks/clock_mean_mhz");
    if (!isnan(*mhz))
      json_object_set(entry, "clocks", json_object_get(plain, "clocks"));
  }
  json_decref(perf[0]);
  json_decref(perf[1]);
  return code ? fail(t, code) : EXIT_PASS;
}

enum { NAME_SIZE = 400 };

/* What is written of all shapes, or, with a shape, of that. */
static void file_name(const timeline_run *t, const char *shape, char *name) {
  char arm[256];
  meta_file_name(t->objects[0], arm, sizeof arm);
  snprintf(name, NAME_SIZE, shape ? "%s.%s.trace" : "%s.timeline", arm, shape);
}

static bool can_write(timeline_run *t, const case_list *list) {
  char name[NAME_SIZE];
  file_name(t, NULL, name);
  if (t->options.stage.json &&
      !results_ready(t->options.stage.json, name, &t->why))
    return false;
  file_name(t, list->cases[0].name, name);
  return !t->options.trace || results_ready(t->options.trace, name, &t->why);
}

static int write_trace(timeline_run *t, const recording *r, const char *shape,
                       double mhz) {
  char name[NAME_SIZE];
  file_name(t, shape, name);
  if (!trace_write(r, t->options.blocks, mhz, t->options.trace, name, &t->why))
    return fail(t, EXIT_IMPOSSIBLE);
  printf("wrote %s/%s.json\n", t->options.trace, name);
  return EXIT_PASS;
}

/* One launch is kept, after as many as bring caches and clock to a steady
 * state. */
static int run_recording(timeline_run *t, session *s, const char *shape,
                         json_t *entry, double mhz) {
  recording r;
  int code =
      session_record(s, t->device.is_gpu ? WARM_LAUNCHES : 1, &r, &t->why);
  if (code) fail(t, code);
  json_t *summary = code ? NULL : summary_json(&r, t->device.is_gpu);
  if (summary) {
    json_object_update(entry, summary);
    json_decref(summary);
    json_object_set_new(entry, "drawing", summary_drawing(&r));
    timeline_print(shape, entry);
    if (t->options.trace) code = write_trace(t, &r, shape, mhz);
  }
  recording_free(&r);
  return code;
}

static int run_case(timeline_run *t, check_case *c) {
  session s;
  case_list one = {.cases = c, .count = 1};
  json_t *entry = json_object();
  double mhz = t->device.is_gpu ? NAN : 0;
  json_object_set_new(t->entries, c->name, entry);
  int code = session_open(&s, t->objects[0], c, &t->why);
  if (code) fail(t, code);
  if (!code) code = run_gates(t, &one);
  if (!code && t->device.is_gpu) code = run_times(t, &one, entry, &mhz);
  if (!code && isnan(mhz)) {
    refuse(&t->why, "The GPU's clock is not known (NVML).");
    code = fail(t, EXIT_IMPOSSIBLE);
  }
  if (!code) code = run_recording(t, &s, c->name, entry, mhz);
  session_close(&s);
  return code;
}

static json_t *run_meta(const timeline_run *t, int i) {
  return meta_json(t->objects[i], &t->device, t->options.stage.commit,
                   options_resources(&t->options.stage, i), t->run);
}

/* The compiler's report of both kernels, as the harness reads it. */
static void add_resources(const timeline_run *t, json_t *meta) {
  json_t *other = run_meta(t, 1);
  json_t *stamped = json_object_get(other, "resources");
  if (stamped) json_object_set(meta, "stamped_resources", stamped);
  json_decref(other);
}

static int write_summary(timeline_run *t) {
  char name[NAME_SIZE];
  file_name(t, NULL, name);
  json_t *meta = run_meta(t, 0);
  add_resources(t, meta);
  json_t *result =
      json_pack("{s:o, s:O}", "build_meta", meta, "timeline", t->entries);
  const bool written =
      results_write(result, t->options.stage.json, name, &t->why);
  json_decref(result);
  if (!written) return fail(t, EXIT_IMPOSSIBLE);
  printf("wrote %s/%s.json\n", t->options.stage.json, name);
  return EXIT_PASS;
}

int stage_main(const stage_description *stage, int argc, char **argv) {
  timeline_run t = {.stage = stage};
  case_list list = {0};
  timeline_options_parse(&t.options, stage_object_get()->stage, argc, argv);
  signal(SIGINT, interrupted);
  meta_run_name(t.run, sizeof t.run);
  t.objects[0] = stage_object_get();
  t.stamped = stamped_object(t.objects[0]);
  t.objects[1] = &t.stamped;
  if (!device_open(&t.device, &t.why)) return fail(&t, EXIT_IMPOSSIBLE);
  int code = cases_list(&list, &t.options.stage, t.device.is_gpu,
                        t.objects[0], stage, &t.why);
  if (code) return fail(&t, code);
  if (!can_write(&t, &list)) return fail(&t, EXIT_IMPOSSIBLE);
  t.entries = json_object();
  for (int i = 0; i < list.count && !code; i++)
    code = run_case(&t, &list.cases[i]);
  if (!code && !t.device.is_gpu)
    printf("\nThese are the executor's steps: they give the order of phases, "
           "and no time.\n");
  if (!code && t.options.stage.json) code = write_summary(&t);
  json_decref(t.entries);
  case_list_free(&list);
  return code;
}
