#include "tools/scales/scales.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
  double *mean, *outlier; /* one a channel */
  int count;
} channels;

static void add_channel(channels *all, const float *head, int64_t rows,
                        int64_t d, int64_t column, double head_rms) {
  double sum = 0.0, squares = 0.0, largest = 0.0;
  for (int64_t r = 0; r < rows; r++) {
    const double x = head[r * d + column];
    sum += x;
    squares += x * x;
    largest = fmax(largest, fabs(x));
  }
  if (largest == 0.0) return;
  const double mean = sum / (double)rows;
  const double variance = squares / (double)rows - mean * mean;
  all->mean[all->count] = fabs(mean) / sqrt(variance);
  all->outlier[all->count++] = largest / head_rms;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static json_t *places(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, ascending);
  return json_pack("{s:f, s:f, s:f}", "median", values[count / 2], "tenth",
                   values[count - 1 - count / 10], "largest",
                   values[count - 1]);
}

static json_t *of_tensor(const float *values, int64_t heads, int64_t rows,
                         int64_t d) {
  const size_t most = (size_t)(heads * d);
  channels all = {malloc(most * sizeof(double)), malloc(most * sizeof(double)),
                  0};
  json_t *json = NULL;
  for (int64_t h = 0; h < heads && all.mean && all.outlier; h++) {
    const float *head = values + h * rows * d;
    double squares = 0.0;
    int64_t used = 0;
    for (int64_t i = 0; i < rows * d; i++) {
      squares += (double)head[i] * head[i];
      used += head[i] != 0.0f;
    }
    for (int64_t c = 0; c < d; c++)
      add_channel(&all, head, rows, d, c, sqrt(squares / (double)used));
  }
  if (all.count)
    json = json_pack("{s:o, s:o}", "mean", places(all.mean, all.count),
                     "outlier", places(all.outlier, all.count));
  free(all.mean);
  free(all.outlier);
  return json;
}

json_t *channels_json(const problem *p) {
  const attention_shape *s = &p->shape;
  const int64_t kv_heads = s->batch * s->kv_heads;
  json_t *q = of_tensor(p->q, s->batch * s->heads, s->seq_len, s->head_dim);
  json_t *k = of_tensor(p->k, kv_heads, s->seq_len, s->head_dim);
  json_t *v = of_tensor(p->v, kv_heads, s->seq_len, s->head_dim);
  /* json_pack gives all back, and NULL, where one is missing. */
  return json_pack("{s:o, s:o, s:o}", "q", q, "k", k, "v", v);
}
