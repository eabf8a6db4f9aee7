#include "tools/timeline/timeline.h"

static int64_t life(const recording *r, int block) {
  int64_t first = INT64_MAX, last = INT64_MIN;
  for (int w = 0; w < r->warps; w++) {
    const visit *v = visits_of(r, block, w);
    const int count = visit_count(r, block, w);
    if (v[0].from < first) first = v[0].from;
    if (v[count - 1].to > last) last = v[count - 1].to;
  }
  return last - first;
}

/* The block with as many quicker as slower ones; of equals the first. */
static int middle_block(const recording *r) {
  for (int b = 0; b < r->blocks; b++) {
    const int64_t mine = life(r, b);
    int quicker = 0, equal = 0;
    for (int other = 0; other < r->blocks; other++) {
      quicker += life(r, other) < mine;
      equal += life(r, other) == mine;
    }
    if (quicker <= r->blocks / 2 && quicker + equal > r->blocks / 2) return b;
  }
  return 0;
}

static int first_consumer(const recording *r, int block) {
  for (int w = 0; w < r->warps; w++)
    if (!is_producer(r, block, w)) return w;
  return 0;
}

/* When this warp begins WMMA_QK for the nth time, or its end. */
static int64_t step_start(const recording *r, int block, int warp, int n) {
  const visit *v = visits_of(r, block, warp);
  const int count = visit_count(r, block, warp);
  for (int i = 0; i < count; i++)
    if (v[i].phase == PHASE_WMMA_QK && n-- == 0) return v[i].from;
  return v[count - 1].to;
}

json_t *summary_drawing(const recording *r) {
  const int block = middle_block(r);
  const int guide = first_consumer(r, block);
  int steps = 0;
  for (int i = 0; i < visit_count(r, block, guide); i++)
    steps += visits_of(r, block, guide)[i].phase == PHASE_WMMA_QK;
  const int first = steps > 3 ? steps / 2 - 1 : 0;
  const int64_t from = step_start(r, block, guide, first);
  const int64_t to = step_start(r, block, guide, first + 2);
  json_t *warps = json_array();
  for (int w = 0; w < r->warps; w++) {
    json_t *visits = json_array();
    for (int i = 0; i < visit_count(r, block, w); i++) {
      const visit *v = &visits_of(r, block, w)[i];
      if (v->to <= from || v->from >= to) continue;
      const int64_t begin = v->from > from ? v->from : from;
      const int64_t end = v->to < to ? v->to : to;
      json_array_append_new(
          visits, json_sprintf("%s %lld %lld", phase_names[v->phase],
                               (long long)(begin - from),
                               (long long)(end - from)));
    }
    json_array_append_new(
        warps, json_pack("{s:s, s:o}", "role",
                         is_producer(r, block, w) ? "producer" : "consumer",
                         "visits", visits));
  }
  return json_pack("{s:i, s:i, s:i, s:I, s:o}", "block", block, "sm",
                   (int)r->starts[block].sm, "first_step", first, "cycles",
                   (json_int_t)(to - from), "warps", warps);
}
