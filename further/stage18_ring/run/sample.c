#include "further/stage18_ring/run/run.h"

#include <math.h>
#include <stdlib.h>

#include "common/harness/numbers.h"
#include "common/harness/settings.h"
#include "further/stage18_ring/ranks/ranks.h"

enum { MOST_D = 128, CODES = 256 };
/* P comes times this before it is rounded, as in the kernel. */
#define P_SHIFT 256.0

/* Of one row: squared errors by the square of the reference, and the largest
 * error. */
typedef struct {
  double error, same, most;
} row_errors;

static void decode_all(double *values) {
  for (int code = 0; code < CODES; code++)
    values[code] = (double)e4m3_decode((uint8_t)code);
}

/* The scores of one row, times the softmax scale; returns the largest. */
static double scores_of(const inputs *in, const double *value, int64_t head,
                        int64_t kv_head, int64_t position, int64_t keys,
                        double *score) {
  const int64_t d = in->shape.head_dim;
  const double scale = (double)inputs_scale(in, TENSOR_Q, head) *
                       (double)inputs_scale(in, TENSOR_K, kv_head) /
                       sqrt((double)d);
  uint8_t q[MOST_D], k[MOST_D];
  double most = -INFINITY;
  inputs_row(in, TENSOR_Q, head, position, q);
  for (int64_t n = 0; n < keys; n++) {
    inputs_row(in, TENSOR_K, kv_head, n, k);
    double sum = 0.0;
    for (int64_t c = 0; c < d; c++) sum += value[q[c]] * value[k[c]];
    score[n] = sum * scale;
    if (!(score[n] <= most)) most = score[n];
  }
  return most;
}

/* One row against double, and against P in E4M3. */
static row_errors judge_row(const shard *s, const inputs *in,
                            const double *value, int64_t head, int64_t row,
                            const uint16_t *o, double *score) {
  const int64_t d = in->shape.head_dim;
  const int64_t position = plan_position(&s->plan, s->rank, row);
  const int64_t keys = in->shape.causal ? position + 1 : in->shape.seq_len;
  const int64_t kv_head = attention_shape_kv_head(&in->shape, head);
  const double most =
      scores_of(in, value, head, kv_head, position, keys, score);
  const double scale = (double)inputs_scale(in, TENSOR_V, kv_head);
  double right[MOST_D] = {0.0}, same[MOST_D] = {0.0}, sum = 0.0;
  uint8_t v[MOST_D];
  for (int64_t n = 0; n < keys; n++) {
    inputs_row(in, TENSOR_V, kv_head, n, v);
    const double p = exp(score[n] - most);
    const double rounded = value[e4m3_encode((float)(P_SHIFT * p))] / P_SHIFT;
    sum += p;
    for (int64_t c = 0; c < d; c++) {
      right[c] += p * value[v[c]];
      same[c] += rounded * value[v[c]];
    }
  }
  row_errors all = {0.0, 0.0, 0.0};
  double reference = 0.0;
  for (int64_t c = 0; c < d; c++) {
    const double exact = scale * right[c] / sum;
    const float near = (float)(scale * same[c] / sum);
    const double got = (double)half_decode(o[(head * s->rows + row) * d + c]);
    const double rounded = (double)half_decode(half_encode(near));
    all.error += (got - exact) * (got - exact);
    all.same += (rounded - exact) * (rounded - exact);
    all.most = fmax(all.most, fabs(got - exact));
    reference += exact * exact;
  }
  if (reference > 0.0 || all.error > 0.0) {
    all.error /= reference;
    all.same /= reference;
  }
  return all;
}

bool sample_judge(const shard *s, const inputs *in, const uint16_t *o,
                  int64_t rows_a_rank, sample_result *result, reason *why) {
  const int64_t heads = in->shape.batch * in->shape.heads;
  const int64_t all = heads * s->rows;
  const int64_t rows = rows_a_rank < all ? rows_a_rank : all;
  double value[CODES], error = 0.0, same = 0.0, most = 0.0;
  bool enough = true;
  decode_all(value);
#pragma omp parallel for schedule(dynamic) reduction(+ : error, same) \
    reduction(max : most)
  for (int64_t i = 0; i < rows; i++) {
    double *score = malloc((size_t)in->shape.seq_len * sizeof *score);
    if (!score) {
#pragma omp atomic write
      enough = false;
      continue;
    }
    /* The first sample is the last row, and the last one the first; a stride
     * of heads would miss some. */
    const int64_t at = all - 1 - (rows > 1 ? i * (all - 1) / (rows - 1) : 0);
    const row_errors one =
        judge_row(s, in, value, at / s->rows, at % s->rows, o, score);
    error += one.error;
    same += one.same;
    most = fmax(most, one.most);
    free(score);
  }
  const double total = ranks_sum((double)rows);
  const double squared = ranks_sum(error), squared_same = ranks_sum(same);
  *result = (sample_result){
      .rows = (int64_t)total,
      .figure = sqrt(squared / total),
      .limit = settings_get()->rel_rms_ratio * sqrt(squared_same / total),
      .most = ranks_largest(most)};
  const char *sentence = enough ? NULL : "Too little memory for the reference.";
  return ranks_can(sentence, why);
}

bool sample_passed(const sample_result *result) {
  return isfinite(result->figure) && result->figure <= result->limit;
}
