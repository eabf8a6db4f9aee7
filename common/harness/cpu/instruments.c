#include "common/harness/launch.h"

#include "common/simt/simt.h"

bool instruments_ready(reason *why) {
  if (simt_is_instrumented()) return true;
  return refuse(why, "This program was built without instrumentation: 'make "
                     "count' and 'make race' build the other one.");
}

/* One launch with these checks on. A kernel that fails under them has
 * findings to show for it; without any, false with one sentence. */
static bool run(const stage_object *object, const check_case *c,
                unsigned checks, reason *why) {
  problem p;
  upload u;
  if (!problem_new(&p, &c->shape, c->distribution, c->seed, why)) return false;
  const uint64_t drawn = checks & SIMT_RACES ? problem_draw(&p) : 0;
  bool good = upload_new(&u, &p, drawn, why);
  if (good) {
    const simt_finding *found;
    simt_clear();
    simt_set_checks(checks);
    upload_ask(&u, object->support);
    phase_begin("tracing", 0);
    good = upload_run(&u, object->launch, NULL, why);
    phase_end();
    simt_set_checks(0);
    /* The next case shall have a device that works. */
    if (!good) cudaDeviceReset();
    upload_free(&u);
    if (simt_findings(&found) > 0) good = true;
  }
  problem_free(&p);
  return good;
}

/* One order after another until one has findings, of which it returns the
 * number; -1 with one sentence. */
static int64_t try_orders(const stage_object *object, const check_case *c,
                          uint64_t *order, uint64_t end, reason *why) {
  const simt_finding *found;
  for (; *order < end; ++*order) {
    simt_set_order(*order);
    const bool good = run(object, c, SIMT_RACES, why);
    simt_set_order(SIMT_FORWARD);
    if (!good) return -1;
    const int64_t count = (int64_t)simt_findings(&found);
    if (count) return count;
  }
  return 0;
}

static int race(const stage_object *object, const check_case *c,
                const char *name, reason *why) {
  const settings *s = settings_get();
  const int *numbers = c->multiprocessors ? &c->multiprocessors
                                          : s->multiprocessors;
  const int number_count = c->multiprocessors ? 1 : s->multiprocessor_count;
  const bool small =
      (int64_t)attention_shape_elements(&c->shape) < s->race_orders_below;
  /* Forward, backward, then the seeds 2, 3 ...; "forward" is no number. */
  const uint64_t first = !name                       ? SIMT_FORWARD
                         : !strcmp(name, "backward") ? SIMT_BACKWARD
                                                     : strtoull(name, NULL, 10);
  const uint64_t end = name || !small ? first + 1 : (uint64_t)s->race_orders;
  uint64_t order = first;
  int64_t count = 0;
  int i = 0;
  for (; i < number_count; i++) {
    simt_set_multiprocessors(numbers[i]);
    order = first;
    count = try_orders(object, c, &order, end, why);
    if (count < 0) return EXIT_IMPOSSIBLE;
    /* One that does not ask runs the same way with any number. */
    if (count || !simt_multiprocessors_asked()) break;
  }
  printf("%s: %lld finding%s", c->name, (long long)count,
         count == 1 ? "" : "s");
  if (count && i > 0)
    printf(", on %d multiprocessors (again: MULTIPROCESSORS=%d)", numbers[i],
           numbers[i]);
  if (count && order == SIMT_BACKWARD)
    printf(", with warps and blocks backward (again: ORDER=backward)");
  else if (count && order != SIMT_FORWARD)
    printf(", with warps and blocks in a random order (again: ORDER=%llu)",
           (unsigned long long)order);
  printf("\n");
  const simt_finding *notes;
  if (count || simt_notes(&notes)) simt_print_findings(stdout);
  return count ? EXIT_FAILED : EXIT_PASS;
}

static int count(const stage_object *object, const check_case *c,
                 json_t *counters, reason *why) {
  simt_set_multiprocessors(c->multiprocessors);
  if (!run(object, c, SIMT_COUNTS, why)) return EXIT_IMPOSSIBLE;
  printf("%s\n", c->name);
  simt_print_counters(stdout);
  json_object_set_new(counters, c->name, simt_counters_json());
  return 0;
}

int instruments_run(const stage_object *object, const case_list *list,
                    const char *order, json_t *counters, reason *why) {
  int code = EXIT_PASS;
  for (int i = 0; i < list->count && code != EXIT_IMPOSSIBLE; i++) {
    const check_case *c = &list->cases[i];
    const int of_case = counters ? count(object, c, counters, why)
                                 : race(object, c, order, why);
    if (of_case) code = of_case;
  }
  if (counters || code == EXIT_IMPOSSIBLE) return code;
  simt_set_checks(SIMT_RACES);
  simt_print_unchecked(stdout);
  return code;
}
