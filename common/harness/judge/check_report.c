#include "common/harness/judge/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/harness/problem/shape_text.h"

/* The worst that the cases of one line showed. */
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

static void print_figure(const worst_of_shape *w, gate g, const char *format,
                         int width) {
  if (w->judged[g])
    printf(format, w->figure[g]);
  else
    printf("%*s", width, "-");
}

static void print_shape(const char *name, int width,
                        const worst_of_shape *w) {
  printf("%-*s %5d", width, name, w->cases);
  print_figure(w, GATE_MAX_ABS_ERR, " %9.4f", 10);
  print_figure(w, GATE_MEAN_ABS_ERR, " %9.5f", 10);
  print_figure(w, GATE_PCT_BAD, " %6.2f", 7);
  print_figure(w, GATE_REL_RMS, " %9.1e", 10);
  print_figure(w, GATE_SIGNED_MEAN, " %6.2f", 7);
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
  printf("\n");
  if (*result->where) printf("    %s\n", result->where);
}

/* One for each shape; all axes share one. */
static const char *line_of(const check_case *c) {
  return c->axis ? "axes" : c->name;
}

/* Of one shape the first failure says it all; and where all is wrong at three
 * shapes, nobody needs to see the next. */
static bool tells_more(const check_result *result, int *all_wrong) {
  return strcmp(result->where, ALL_WRONG) || ++*all_wrong <= 3;
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
    int shown = 0;
    for (int j = first; j < i; j++) {
      const check_case *c = &list->cases[j];
      if (c->excuse)
        printf("  not asked: %s: %s\n", c->name, c->excuse);
      else if (!check_passed(&results[j]) && (c->axis || !shown++) &&
               tells_more(&results[j], &all_wrong))
        print_failure(c, &results[j]);
    }
  }
  return failed;
}

static json_t *figure_json(double figure) {
  return isfinite(figure) ? json_real(figure) : json_null();
}

void check_add_variant(json_t *entry, const attention_shape *shape) {
  if (shape->kv_heads != shape->heads)
    json_object_set_new(entry, "kv_heads", json_integer(shape->kv_heads));
  if (shape->causal) json_object_set_new(entry, "causal", json_true());
  if (shape->key_len)
    json_object_set_new(entry, "key_len", json_integer(shape->key_len));
  if (shape->softmax_scale > 0.0)
    json_object_set_new(entry, "softmax_scale",
                        json_real(shape->softmax_scale));
  if (shape->layout)
    json_object_set_new(entry, "strides",
                        json_string(layout_name(shape->layout)));
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
  if (c->multiprocessors)
    json_object_set_new(json, "multiprocessors",
                        json_integer(c->multiprocessors));
  if (*result->where)
    json_object_set_new(json, "where", json_string(result->where));
  if (!result->ran) {
    json_object_set_new(json, "why", json_string(result->why.text));
    return json;
  }
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
