#include "tools/scales/scales.h"

#include <math.h>
#include <stdlib.h>

/* Adds the weights of all rows of one head to weight[rows]. */
static void add_weights(const float *q, const float *k, int64_t rows, int64_t d,
                        double scale, double *weight, double *row) {
  for (int64_t i = 0; i < rows; i++) {
    double top = -INFINITY, sum = 0.0;
    for (int64_t n = 0; n < rows; n++) {
      row[n] = 0.0;
      for (int64_t c = 0; c < d; c++)
        row[n] += (double)q[i * d + c] * k[n * d + c];
      row[n] *= scale;
      top = fmax(top, row[n]);
    }
    for (int64_t n = 0; n < rows; n++) sum += row[n] = exp(row[n] - top);
    for (int64_t n = 0; n < rows; n++) weight[n] += row[n] / sum;
  }
}

static double length_of(const float *row, int64_t d) {
  double squares = 0.0;
  for (int64_t c = 0; c < d; c++) squares += (double)row[c] * row[c];
  return sqrt(squares);
}

json_t *sink_json(const problem *p) {
  const int64_t heads = p->shape.batch * p->shape.heads;
  const int64_t rows = p->shape.seq_len, d = p->shape.head_dim;
  double *weight = calloc((size_t)rows, sizeof *weight);
  double *scratch = malloc((size_t)rows * sizeof *scratch);
  double value = 0.0;
  int64_t sink = 0;
  const bool good = weight && scratch;
  for (int64_t h = 0; h < heads && good; h++)
    add_weights(p->q + h * rows * d, p->k + h * rows * d, rows, d,
                p->softmax_scale, weight, scratch);
  for (int64_t n = 0; n < rows && good; n++)
    if (weight[n] > weight[sink]) sink = n;
  for (int64_t h = 0; h < heads && good; h++) {
    const float *v = p->v + h * rows * d;
    double mean = 0.0;
    for (int64_t n = 0; n < rows; n++)
      mean += length_of(v + n * d, d) / (double)rows;
    value += length_of(v + sink * d, d) / mean / (double)heads;
  }
  json_t *json =
      good ? json_pack("{s:I, s:f, s:f}", "key", (json_int_t)sink, "weight",
                       weight[sink] / (double)(heads * rows), "value", value)
           : NULL;
  free(weight);
  free(scratch);
  return json;
}
