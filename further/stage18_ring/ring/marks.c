#include "further/stage18_ring/ring/exchange.h"

#include <stdlib.h>

#include "further/stage18_ring/ranks/ranks.h"

typedef struct {
  const char *what;
  int step;
  cudaEvent_t begin, end;
} piece;

struct marks {
  int count, most;
  piece pieces[];
};

marks *marks_new(int pieces) {
  marks *m = ranks_memory(1, sizeof *m + (size_t)pieces * sizeof(piece));
  m->most = pieces;
  for (int i = 0; i < pieces; i++) {
    cudaEventCreate(&m->pieces[i].begin);
    cudaEventCreate(&m->pieces[i].end);
  }
  return m;
}

void marks_free(marks *m) {
  for (int i = 0; i < m->most; i++) {
    cudaEventDestroy(m->pieces[i].begin);
    cudaEventDestroy(m->pieces[i].end);
  }
  free(m);
}

void marks_begin(marks *m, cudaStream_t stream, const char *what, int step) {
  if (!m || m->count == m->most) return;
  m->pieces[m->count].what = what;
  m->pieces[m->count].step = step;
  cudaEventRecord(m->pieces[m->count].begin, stream);
}

void marks_end(marks *m, cudaStream_t stream) {
  if (!m || m->count == m->most) return;
  cudaEventRecord(m->pieces[m->count].end, stream);
  m->count++;
}

static double since(cudaEvent_t first, cudaEvent_t then) {
  float milliseconds = 0.0f;
  cudaEventElapsedTime(&milliseconds, first, then);
  return 1000.0 * (double)milliseconds;
}

json_t *marks_json(const marks *m) {
  json_t *list = json_array();
  double earliest = 0.0;
  for (int i = 0; i < m->count; i++) {
    const double begin = since(m->pieces[0].begin, m->pieces[i].begin);
    if (begin < earliest) earliest = begin;
  }
  for (int i = 0; i < m->count; i++) {
    const piece *p = &m->pieces[i];
    json_array_append_new(
        list,
        json_pack("{s:s, s:i, s:f, s:f}", "what", p->what, "step", p->step,
                  "begin_us", since(m->pieces[0].begin, p->begin) - earliest,
                  "end_us", since(m->pieces[0].begin, p->end) - earliest));
  }
  return list;
}
