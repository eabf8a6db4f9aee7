#include "tools/timeline/timeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool is_waiting(int phase) {
  return phase == PHASE_wait_copy || phase == PHASE_wait_barrier ||
         phase == PHASE_wait_product;
}

bool is_producer(const recording *r, int block, int warp) {
  for (int i = 0; i < visit_count(r, block, warp); i++) {
    const int phase = visits_of(r, block, warp)[i].phase;
    if (phase == PHASE_WMMA_QK || phase == PHASE_store_O) return false;
  }
  return true;
}

static int by_value(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* The smallest that at least that share of them does not exceed; sorted. */
static int64_t percentile(const int64_t *sorted, int64_t count, int percent) {
  return sorted[(count * percent + 99) / 100 - 1];
}

typedef struct {
  int64_t *cycles; /* room for every visit */
  int64_t count, sum;
} pile;

static void add(pile *p, int64_t cycles) {
  p->cycles[p->count++] = cycles;
  p->sum += cycles;
}

static json_t *pile_json(pile *p, int64_t warps, int64_t life, bool is_time) {
  json_t *json = json_pack("{s:f}", "visits",
                           (double)p->count / (double)warps);
  if (!is_time || p->count == 0) return json;
  qsort(p->cycles, (size_t)p->count, sizeof *p->cycles, by_value);
  json_object_set_new(
      json, "share_pct",
      json_real(round(1e4 * (double)p->sum / (double)life) / 100));
  json_object_set_new(
      json, "cycles_per_warp",
      json_real(round(10.0 * (double)p->sum / (double)warps) / 10));
  static const int percents[] = {10, 50, 90};
  static const char *const names[] = {"p10_cycles", "p50_cycles", "p90_cycles"};
  for (int i = 0; i < 3; i++)
    json_object_set_new(
        json, names[i],
        json_integer(percentile(p->cycles, p->count, percents[i])));
  return json;
}

/* The phases of a warp in order, a repeated run of them as "16 x (a b)". */
static json_t *order_json(const visit *v, int count) {
  char text[1024] = "";
  for (int i = 0; i < count;) {
    int best = 1, times = 1;
    for (int period = 1; period <= 16; period++) {
      int same = 0;
      while (i + period + same < count &&
             v[i + same].phase == v[i + period + same].phase)
        same++;
      const int repeats = same / period + 1;
      if (repeats > 2 && repeats * period > times * best) {
        best = period;
        times = repeats;
      }
    }
    char *at = text + strlen(text);
    const char *gap = at == text ? "" : " ";
    size_t left = sizeof text - strlen(text);
    if (times > 1) snprintf(at, left, "%s%d x (", gap, times);
    else snprintf(at, left, "%s", gap);
    for (int k = 0; k < best; k++) {
      at = text + strlen(text);
      left = sizeof text - strlen(text);
      snprintf(at, left, "%s%s%s", k ? " " : "", phase_names[v[i + k].phase],
               times > 1 && k == best - 1 ? ")" : "");
    }
    i += best * times;
  }
  return json_string(text);
}

/* Two more things that are counted like visits: how long warps lived, and how
 * long from one step's beginning to the next. */
enum { LIVES = PHASE_none, STEPS = PHASE_end };

static void add_visits(pile *p, const visit *v, int count, int phase) {
  for (int i = 0; i < count; i++)
    if (v[i].phase == phase) add(p, v[i].to - v[i].from);
}

/* A producer's step begins with its work on a tile, a consumer's with the
 * scores. */
static bool begins_step(const visit *v, bool producer) {
  return producer ? v->phase == PHASE_dequant || v->phase == PHASE_V_turn
                  : v->phase == PHASE_WMMA_QK;
}

static void add_steps(pile *p, const visit *v, int count, bool producer) {
  int last = -1;
  for (int i = 0; i < count; i++) {
    if (!begins_step(&v[i], producer)) continue;
    if (last >= 0) add(p, v[i].from - v[last].from);
    last = i;
  }
}

static void gather(pile *p, const recording *r, bool producers, int what) {
  p->count = p->sum = 0;
  for (int b = 0; b < r->blocks; b++)
    for (int w = 0; w < r->warps; w++) {
      if (is_producer(r, b, w) != producers) continue;
      const visit *v = visits_of(r, b, w);
      const int count = visit_count(r, b, w);
      if (what == LIVES)
        add(p, v[count - 1].to - v[0].from);
      else if (what == STEPS)
        add_steps(p, v, count, producers);
      else
        add_visits(p, v, count, what);
    }
}

static int first_of(const recording *r, bool producers) {
  int w = 0;
  while (w < r->warps && is_producer(r, 0, w) != producers) w++;
  return w;
}

static json_t *order_of_first(const recording *r, bool producers) {
  const int w = first_of(r, producers);
  if (w == r->warps) return json_string("");
  return order_json(visits_of(r, 0, w), visit_count(r, 0, w));
}

/* Whether all warps of a role, in block 0, go through the same phases. */
static bool are_alike(const recording *r, bool producers) {
  const int first = first_of(r, producers);
  for (int w = first; w < r->warps; w++) {
    if (is_producer(r, 0, w) != producers) continue;
    const int count = visit_count(r, 0, w);
    if (count != visit_count(r, 0, first)) return false;
    for (int i = 0; i < count; i++)
      if (visits_of(r, 0, w)[i].phase != visits_of(r, 0, first)[i].phase)
        return false;
  }
  return true;
}

static json_t *role_json(const recording *r, bool producers, pile *p,
                         bool is_time) {
  gather(p, r, producers, LIVES);
  const int64_t warps = p->count, life = p->sum;
  if (warps == 0) return NULL;
  json_t *json = json_pack("{s:I, s:o, s:b}", "warps", (json_int_t)warps,
                           "order", order_of_first(r, producers), "alike",
                           are_alike(r, producers));
  if (is_time) {
    json_object_set_new(json, "life", pile_json(p, warps, life, true));
    gather(p, r, producers, STEPS);
    if (p->count)
      json_object_set_new(json, "step", pile_json(p, warps, life, true));
  }
  json_t *phases = json_object();
  for (int phase = PHASE_none + 1; phase < PHASE_end; phase++) {
    gather(p, r, producers, phase);
    if (p->count)
      json_object_set_new(phases, phase_names[phase],
                          pile_json(p, warps, life, is_time));
  }
  json_object_set_new(json, "phases", phases);
  return json;
}

json_t *summary_json(const recording *r, bool is_time) {
  const size_t all = (size_t)r->blocks * (size_t)r->warps * (size_t)r->room;
  pile p = {.cycles = malloc(all * sizeof *p.cycles)};
  if (!p.cycles) return NULL;
  json_t *consumers = role_json(r, false, &p, is_time);
  json_t *producers = role_json(r, true, &p, is_time);
  free(p.cycles);
  json_t *roles = json_object();
  if (consumers)
    json_object_set_new(roles, producers ? "consumers" : "warps", consumers);
  if (producers) json_object_set_new(roles, "producers", producers);
  json_t *json = json_pack("{s:i, s:i, s:o}", "blocks", r->blocks,
                           "warps_of_a_block", r->warps, "roles", roles);
  const double overlap = is_time ? summary_overlap(r) : NAN;
  if (!isnan(overlap))
    json_object_set_new(json, "producers_overlapped_pct",
                        json_real(round(100 * overlap) / 100));
  return json;
}
