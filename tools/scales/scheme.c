#include "tools/scales/scales.h"

#include <math.h>
#include <string.h>

#include "common/harness/numbers.h"

const scheme schemes[] = {
    {"bf16", NO_CODES, false, false, false},
    {"tensor", ONE_A_TENSOR, false, false, false},
    {"head", ONE_A_HEAD, false, false, false},
    {"block", ONE_A_BLOCK, false, false, false},
    {"k_mean", ONE_A_HEAD, true, false, false},
    {"v_mean", ONE_A_HEAD, false, true, false},
    {"rotated", ONE_A_HEAD, false, false, true},
    {"means", ONE_A_HEAD, true, true, false},
    {"all", ONE_A_HEAD, true, true, true},
    {"block_all", ONE_A_BLOCK, true, true, true},
};
const int scheme_count = sizeof schemes / sizeof *schemes;

float scheme_bf16(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000u;
  memcpy(&x, &bits, sizeof x);
  return x;
}

void scheme_rotate(float *row, int64_t d) {
  for (int64_t c = 0; c < d; c++)
    if (random_bits(0, 0, (uint64_t)c) & 1) row[c] = -row[c];
  for (int64_t half = 1; half < d; half *= 2)
    for (int64_t c = 0; c < d; c++)
      if (!(c & half)) {
        const float sum = row[c] + row[c + half];
        row[c + half] = row[c] - row[c + half];
        row[c] = sum;
      }
  for (int64_t c = 0; c < d; c++) row[c] /= sqrtf((float)d);
}

static void take_mean_out(float *head, int64_t rows, int64_t d, float *mean) {
  for (int64_t c = 0; c < d; c++) {
    double sum = 0.0;
    for (int64_t r = 0; r < rows; r++) sum += head[r * d + c];
    mean[c] = (float)(sum / (double)rows);
    for (int64_t r = 0; r < rows; r++) head[r * d + c] -= mean[c];
  }
}

static float scale_of(const float *values, size_t count) {
  float amax = 0.0f;
  for (size_t i = 0; i < count; i++) amax = fmaxf(amax, fabsf(values[i]));
  return amax > 0.0f ? amax / E4M3_MAX : 1.0f;
}

/* `values` become what their codes say. `codes` is NULL or gets them. */
static void round_values(float *values, uint8_t *codes, size_t count,
                         float scale) {
  for (size_t i = 0; i < count; i++) {
    const uint8_t code = e4m3_encode(values[i] / scale);
    if (codes) codes[i] = code;
    values[i] = scale * e4m3_decode(code);
  }
}

typedef struct {
  float *values;
  uint8_t *codes;
  float *scales;
  int64_t heads, rows, d;
} tensor;

static void quantise(const tensor *t, scale_reach reach) {
  const size_t in_head = (size_t)(t->rows * t->d);
  const size_t all = (size_t)t->heads * in_head;
  const float of_all = scale_of(t->values, all);
  if (reach == NO_CODES)
    for (size_t i = 0; i < all; i++) t->values[i] = scheme_bf16(t->values[i]);
  for (int64_t head = 0; head < t->heads && reach != NO_CODES; head++) {
    const size_t start = (size_t)head * in_head;
    float *values = t->values + start;
    for (size_t at = 0; reach == ONE_A_BLOCK && at < in_head;) {
      const size_t block = (size_t)(BLOCK_ROWS * t->d);
      const size_t count = in_head - at < block ? in_head - at : block;
      round_values(values + at, NULL, count, scale_of(values + at, count));
      at += count;
    }
    if (reach == ONE_A_BLOCK) continue;
    t->scales[head] =
        reach == ONE_A_TENSOR ? of_all : scale_of(values, in_head);
    round_values(values, t->codes + start, in_head, t->scales[head]);
  }
}

void scheme_apply(const scheme *s, const problem *of, problem *as,
                  float *v_mean) {
  const attention_shape *shape = &of->shape;
  const int64_t rows = shape->seq_len, d = shape->head_dim;
  const int64_t heads = shape->batch * shape->heads;
  const int64_t kv_heads = shape->batch * shape->kv_heads;
  const int64_t in_head = rows * d;
  memcpy(as->q, of->q, (size_t)(heads * in_head) * sizeof *as->q);
  memcpy(as->k, of->k, (size_t)(kv_heads * in_head) * sizeof *as->k);
  memcpy(as->v, of->v, (size_t)(kv_heads * in_head) * sizeof *as->v);
  memset(v_mean, 0, (size_t)(kv_heads * d) * sizeof *v_mean);
  for (int64_t head = 0; head < kv_heads; head++) {
    float k_mean[d];
    if (s->k_mean) take_mean_out(as->k + head * in_head, rows, d, k_mean);
    if (s->v_mean)
      take_mean_out(as->v + head * in_head, rows, d, v_mean + head * d);
  }
  for (int64_t row = 0; row < heads * rows && s->rotated; row++)
    scheme_rotate(as->q + row * d, d);
  for (int64_t row = 0; row < kv_heads * rows && s->rotated; row++)
    scheme_rotate(as->k + row * d, d);
  quantise(&(tensor){as->q, as->q_codes, as->q_scale, heads, rows, d},
           s->reach);
  quantise(&(tensor){as->k, as->k_codes, as->k_scale, kv_heads, rows, d},
           s->reach);
  quantise(&(tensor){as->v, as->v_codes, as->v_scale, kv_heads, rows, d},
           s->reach);
}
