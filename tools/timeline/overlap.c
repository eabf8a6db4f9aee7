#include <math.h>
#include <stdlib.h>

#include "tools/timeline/timeline.h"

/* A warp begins (+1) or stops (-1) to work. */
typedef struct {
  int64_t at;
  int producers, consumers;
} change;

static int by_time(const void *a, const void *b) {
  const int64_t x = ((const change *)a)->at, y = ((const change *)b)->at;
  return (x > y) - (x < y);
}

static int list_changes(const recording *r, int block, change *changes) {
  int count = 0;
  for (int w = 0; w < r->warps; w++) {
    const int producer = is_producer(r, block, w);
    for (int i = 0; i < visit_count(r, block, w); i++) {
      const visit *v = &visits_of(r, block, w)[i];
      if (is_waiting(v->phase)) continue;
      changes[count++] = (change){v->from, producer, !producer};
      changes[count++] = (change){v->to, -producer, -!producer};
    }
  }
  qsort(changes, (size_t)count, sizeof *changes, by_time);
  return count;
}

double summary_overlap(const recording *r) {
  change *changes =
      malloc(2ul * (size_t)r->warps * (size_t)r->room * sizeof *changes);
  int64_t work = 0, together = 0;
  for (int b = 0; b < r->blocks && changes; b++) {
    const int count = list_changes(r, b, changes);
    int producers = 0, consumers = 0;
    for (int i = 0; i + 1 < count; i++) {
      producers += changes[i].producers;
      consumers += changes[i].consumers;
      const int64_t passed = changes[i + 1].at - changes[i].at;
      if (producers > 0) work += passed;
      if (producers > 0 && consumers > 0) together += passed;
    }
  }
  free(changes);
  return work ? 100.0 * (double)together / (double)work : NAN;
}
