#include "common/harness/judge/judge.h"

#include <sys/sysinfo.h>

#include "common/harness/launch.h"

static size_t rows_bytes(const attention_shape *s) {
  return (size_t)(s->batch * s->heads * s->seq_len) * sizeof(float);
}

static double gib(size_t bytes) { return (double)bytes / (1 << 30); }

/* Asked before anything is allocated: an allocation that the system grants and
 * then cannot back would end the program without a word. */
static bool memory_suffices(const check_case *c, reason *why) {
  const attention_shape *s = &c->shape;
  const size_t host = problem_bytes(s) + 2 * attention_shape_elements(s) +
                      references_bytes(s) + rows_bytes(s);
  const size_t device = attention_shape_elements(s) * (1 + 2) +
                        attention_shape_kv_elements(s) * 2 +
                        (size_t)(s->batch * (s->heads + 2 * s->kv_heads)) * 4;
  struct sysinfo system;
  size_t free_device = 0, total_device = 0;
  const bool known = sysinfo(&system) == 0;
  const size_t free_host =
      known ? (system.freeram + system.bufferram) * system.mem_unit +
                  system.totalram * system.mem_unit / 4
            : host;
  if (host > free_host)
    return refuse(why,
                  "Shape %s needs %.1f GiB of memory; about %.1f GiB are free.",
                  c->name, gib(host), gib(free_host));
  if (!cudaMemGetInfo(&free_device, &total_device) && device > free_device)
    return refuse(why,
                  "Shape %s needs %.1f GiB on the device; %.1f GiB are free "
                  "there.",
                  c->name, gib(device), gib(free_device));
  return true;
}

/* Who returns a log-sum-exp must do without a place for it: tried once. */
static bool does_without_lse(const stage_object *object, upload *u,
                             const problem *p, const references *r, uint16_t *o,
                             reason *why) {
  static bool tried;
  check_result without = {0};
  if (tried || !u->args.lse) return true;
  tried = true;
  u->args.lse = NULL;
  without.ran = upload_run(u, object->launch, o, &without.why);
  if (without.ran && gates_judge(&without.gates, o, p, r) &&
      gates_passed(&without.gates))
    return true;
  return refuse(why, "Where args.lse is NULL: %.200s",
                without.ran ? "the gates fail." : without.why.text);
}

static void judge(const stage_object *object, upload *u, const problem *p,
                  const references *r, uint16_t *o, float *lse,
                  check_result *result) {
  upload_ask(u, object->support);
  result->ran = upload_run(u, object->launch, o, &result->why) &&
                (!u->args.lse || upload_lse(u, lse, &result->why));
  if (!result->ran) return;
  phase_begin("gates", 0);
  if (u->args.lse) result->lse = lse_judge(lse, p, r);
  if (!gates_judge(&result->gates, o, p, r)) {
    refuse(&result->why, "Too little memory to judge.");
    result->ran = false;
  } else {
    const bool passed = gates_passed(&result->gates);
    where_wrong(result->where, sizeof result->where, o, p, r, true);
    result->beyond = *result->where;
    if (!passed)
      where_wrong(result->where, sizeof result->where, o, p, r, false);
    else
      result->ran = does_without_lse(object, u, p, r, o, &result->why);
  }
  phase_end();
}

int check_case_run(const stage_object *const *objects, int object_count,
                   const check_case *c, check_result *results, reason *why) {
  problem p;
  references r[P_ROUNDINGS] = {{0}}; /* one for each rounding of P */
  upload u = {0};
  if (!memory_suffices(c, why) ||
      !problem_new(&p, &c->shape, c->distribution, c->seed, why))
    return EXIT_IMPOSSIBLE;
  uint16_t *o = malloc(2 * attention_shape_elements(&c->shape));
  float *lse = malloc(rows_bytes(&c->shape));
  bool good = o && lse;
  if (!good) refuse(why, "Too little memory for the output.");
  good = good && upload_new(&u, &p, problem_draw(&p), why);
  int takes = 0;
  for (int i = 0; i < object_count; i++) takes |= objects[i]->support->takes;
  for (int i = 0; i < object_count && good; i++) {
    const p_rounding rounding = objects[i]->support->rounds_p_to;
    references *mine = &r[rounding];
    results[i] = (check_result){0};
    if (!mine->exact)
      good = references_new(mine, &p, rounding, takes & RETURNS_LSE, why);
    if (good) judge(objects[i], &u, &p, mine, o, lse, &results[i]);
  }
  upload_free(&u);
  for (int i = 0; i < P_ROUNDINGS; i++) references_free(&r[i]);
  problem_free(&p);
  free(o);
  free(lse);
  return good ? EXIT_PASS : EXIT_IMPOSSIBLE;
}

bool check_passed(const check_result *result) {
  return result->ran && gates_passed(&result->gates) &&
         lse_passed(&result->lse) && !result->beyond;
}

typedef struct {
  int cases, failed;
  double figure[GATE_COUNT]; /* the relative gates: as a share of the limit */
  bool judged[GATE_COUNT];
} worst_of_shape;

static void take(worst_of_shape *w, const check_result *result) {
  w->cases++;
  w->failed += !check_passed(result);
  if (!result->ran) return;
  const gates_result *g = &result->gates;
  for (int i = 0; i < GATE_COUNT; i++) {
    if (g->verdict[i] == NOT_JUDGED) continue;
    double figure = g->figure[i];
    if (i == GATE_SIGNED_MEAN)
      figure = figure == 0.0 ? 0.0 : figure / g->limit[i];
    if (!w->judged[i] || !(figure <= w->figure[i])) w->figure[i] = figure;
    w->judged[i] = true;
  }
}

static void print_shape(const char *name, int width, const worst_of_shape *w) {
  static const struct {
    const char *format;
    int width;
  } columns[GATE_COUNT] = {[GATE_MAX_ABS_ERR] = {" %9.4f", 10},
                           [GATE_MEAN_ABS_ERR] = {" %9.5f", 10},
                           [GATE_PCT_BAD] = {" %6.2f", 7},
                           [GATE_REL_RMS] = {" %9.1e", 10},
                           [GATE_SIGNED_MEAN] = {" %6.2f", 7}};
  printf("%-*s %5d", width, name, w->cases);
  for (int g = GATE_FINITE + 1; g < GATE_COUNT; g++)
    if (w->judged[g])
      printf(columns[g].format, w->figure[g]);
    else
      printf("%*s", columns[g].width, "-");
  if (w->failed)
    printf("  %d FAILED\n", w->failed);
  else
    printf("  passed\n");
}

static void print_failure(const check_case *c, const check_result *result) {
  printf("  FAILED %s, %s inputs, seed %llu", c->name,
         distribution_name(c->distribution), (unsigned long long)c->seed);
  if (c->multiprocessors) printf(", %d multiprocessors", c->multiprocessors);
  printf(":");
  if (!result->ran) {
    printf(" %s\n", result->why.text);
    return;
  }
  const gates_result *g = &result->gates;
  for (int i = 0; i < GATE_COUNT; i++)
    if (g->verdict[i] == FAILED)
      printf(" %s %.3g > %.3g", gate_name((gate)i), g->figure[i], g->limit[i]);
  if (!lse_passed(&result->lse))
    printf(" lse %.3g > %.3g", result->lse.figure, result->lse.limit);
  if (gates_passed(g) && result->beyond)
    printf(" a number is farther off than rounding can move it");
  printf("\n");
  if (*result->where) printf("    %s\n", result->where);
}

/* One for each shape; all axes share one. */
static const char *line_of(const check_case *c) {
  return c->axis ? "axes" : c->name;
}

int check_print(const case_list *list, const check_result *results) {
  int failed = 0, width = 16, all_wrong = 0;
  for (int i = 0; i < list->count; i++)
    if ((int)strlen(line_of(&list->cases[i])) > width)
      width = (int)strlen(line_of(&list->cases[i]));
  printf("%-*s %5s %9s %9s %6s %9s %6s  %s\n", width, "shape", "cases",
         "max err", "mean err", "% bad", "rel. RMS", "bias", "gates");
  for (int i = 0; i < list->count;) {
    const char *name = line_of(&list->cases[i]);
    const int first = i;
    worst_of_shape worst = {0};
    for (; i < list->count && !strcmp(line_of(&list->cases[i]), name); i++)
      if (!list->cases[i].excuse) take(&worst, &results[i]);
    print_shape(name, width, &worst);
    failed += worst.failed;
    int shown = 0; /* Of one shape the first failure says it all, and of those
                      where all is wrong three. */
    for (int j = first; j < i; j++) {
      const check_case *c = &list->cases[j];
      if (c->excuse)
        printf("  not asked: %s: %s\n", c->name, c->excuse);
      else if (!check_passed(&results[j]) && (c->axis || !shown++) &&
               (strcmp(results[j].where, ALL_WRONG) || ++all_wrong <= 3))
        print_failure(c, &results[j]);
    }
  }
  return failed;
}

static json_t *figure_json(double figure) {
  return isfinite(figure) ? json_real(figure) : json_null();
}

void check_add_variant(json_t *entry, const attention_shape *s) {
  json_object_update_new(
      entry,
      json_pack("{s:o*, s:o*, s:o*, s:o*, s:s*}", "kv_heads",
                s->kv_heads != s->heads ? json_integer(s->kv_heads) : NULL,
                "causal", s->causal ? json_true() : NULL, "key_len",
                s->key_len ? json_integer(s->key_len) : NULL, "softmax_scale",
                s->softmax_scale > 0.0 ? json_real(s->softmax_scale) : NULL,
                "strides", s->layout ? layout_name(s->layout) : NULL));
}

static json_t *case_json(const check_case *c, const check_result *result) {
  static const char *const words[] = {"not judged", "passed", "failed"};
  json_t *json = json_pack(
      "{s:s, s:[I,I,I,I], s:s, s:I, s:b}", "name", c->name, "shape",
      (json_int_t)c->shape.batch, (json_int_t)c->shape.heads,
      (json_int_t)c->shape.seq_len, (json_int_t)c->shape.head_dim,
      "distribution", distribution_name(c->distribution), "seed",
      (json_int_t)c->seed, "passed", check_passed(result));
  check_add_variant(json, &c->shape);
  json_object_update_new(
      json, json_pack("{s:o*, s:s*, s:s*}", "multiprocessors",
                      c->multiprocessors ? json_integer(c->multiprocessors)
                                         : NULL,
                      "where", *result->where ? result->where : NULL, "why",
                      result->ran ? NULL : result->why.text));
  if (!result->ran) return json;
  json_t *gates = json_object();
  const gates_result *g = &result->gates;
  for (int i = 0; i < GATE_COUNT; i++)
    json_object_set_new(
        gates, gate_name((gate)i),
        json_pack("{s:o, s:o, s:o, s:s}", "figure", figure_json(g->figure[i]),
                  "limit", figure_json(g->limit[i]), "format",
                  figure_json(g->format[i]), "verdict", words[g->verdict[i]]));
  json_object_set_new(json, "gates", gates);
  const lse_result *lse = &result->lse;
  if (lse->judged)
    json_object_set_new(
        json, "lse",
        json_pack("{s:o, s:f, s:s}", "figure", figure_json(lse->figure),
                  "limit", lse->limit, "verdict", words[1 + !lse_passed(lse)]));
  return json;
}

json_t *check_json(const case_list *list, const check_result *results) {
  json_t *cases = json_array();
  int failed = 0;
  for (int i = 0; i < list->count; i++) {
    failed += !check_passed(&results[i]);
    json_array_append_new(cases, case_json(&list->cases[i], &results[i]));
  }
  return json_pack("{s:b, s:i, s:i, s:o}", "all_passed", failed == 0, "cases",
                   list->count, "failed", failed, "each", cases);
}

int drift_measure(const stage_object *object, bool is_gpu,
                  drift_result *result, reason *why) {
  const settings *s = settings_get();
  check_case c = {.distribution = OFFSET_VALUES, .seed = s->seeds[0]};
  c.shape = is_gpu ? s->drift_shape_gpu : s->drift_shape_cpu;
  snprintf(c.name, sizeof c.name, "for drift");
  check_result checked = {0};
  const int code = check_case_run(&object, 1, &c, &checked, why);
  if (code) return code;
  *result = (drift_result){
      .keys = c.shape.seq_len,
      .error = checked.ran ? checked.gates.figure[GATE_REL_RMS] : NAN,
      .why = checked.why,
      .limit = s->drift_limit,
      .declared = object->support->sums == DRIFTS};
  return 0;
}

/* A comparison with NaN is false. */
bool drift_passed(const drift_result *r) {
  return r->declared ? r->error > r->limit : r->error <= r->limit;
}

void drift_line(const drift_result *r, char *text, size_t size) {
  char keys[32];
  const long long all = (long long)r->keys;
  snprintf(keys, sizeof keys, all < 1000 ? "%lld" : "%lld,%03lld",
           all < 1000 ? all : all / 1000, all % 1000);
  if (drift_passed(r))
    snprintf(text, size, "%s %.2g at %s keys%s",
             r->declared ? "drifts" : "does not drift:", r->error, keys,
             r->declared ? ", declared" : "");
  else if (isnan(r->error))
    snprintf(text, size, "FAILED: no drift was measured at %s keys. %s",
             keys, r->why.text);
  else if (r->declared)
    snprintf(text, size, "FAILED: stage_support says DRIFTS, but the error at "
             "%s keys, %.2g, is at most %.2g", keys, r->error, r->limit);
  else
    snprintf(text, size, "FAILED: drifts %.2g at %s keys, more than %.2g, and "
             "stage_support does not say DRIFTS", r->error, keys, r->limit);
}
