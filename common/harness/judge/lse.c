#include "common/harness/judge/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/harness/formats/e4m3.h"
#include "common/harness/problem/settings.h"

/* As in reference.c. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__)
#define VECTORISED __attribute__((target_clones("avx2", "default")))
#else
#define VECTORISED
#endif

enum { AT_ONCE = 32 };
static const double UNIT = 0x1p-13, OF_LOGARITHM = 0x1p-18;

/* One K/V head's codes, decoded, [D][keys]. */
static void decode_head(double *kt, const problem *p, int64_t head) {
  const int64_t s = attention_shape_keys(&p->shape), d = p->shape.head_dim;
#pragma omp parallel for
  for (int64_t n = 0; n < s; n++)
    for (int64_t c = 0; c < d; c++)
      kt[c * s + n] = e4m3_decode(p->k_codes[(head * s + n) * d + c]);
}

/* Scores of codes, and the largest number on the way to each. */
VECTORISED
static void sum_scores(const double *q, const double *kt, int64_t keys,
                       int64_t s, int64_t d, double *score, double *largest) {
  memset(score, 0, (size_t)keys * sizeof *score);
  memset(largest, 0, (size_t)keys * sizeof *largest);
  for (int64_t c = 0; c < d; c++) {
    for (int64_t n = 0; n < keys; n++) {
      const double x = q[c] * kt[c * s + n], size = fabs(x);
      score[n] += x;
      largest[n] = largest[n] > size ? largest[n] : size;
    }
    if (c % AT_ONCE == AT_ONCE - 1)
      for (int64_t n = 0; n < keys; n++) {
        const double size = fabs(score[n]);
        largest[n] = largest[n] > size ? largest[n] : size;
      }
  }
}

/* The error of row i of the sample, in units. `scratch` is 2 keys + D doubles.
 * Where a NaN is in the row's scores, one is right. */
static double error_of_row(double lse, const problem *p, const references *r,
                           const double *kt, int64_t i, double *scratch) {
  const int64_t s = attention_shape_keys(&p->shape), d = p->shape.head_dim;
  const int64_t rows = p->shape.seq_len, head = r->row[i] / rows;
  const int64_t kv_head = attention_shape_kv_head(&p->shape, head);
  const int64_t keys = p->shape.causal ? r->row[i] % rows + 1 : s;
  const double scale =
      p->softmax_scale * p->q_scale[head] * p->k_scale[kv_head];
  double *score = scratch, *largest = scratch + s, *q = scratch + 2 * s;
  const uint8_t *codes = p->q_codes + r->row[i] * d;
  for (int64_t c = 0; c < d; c++) q[c] = e4m3_decode(codes[c]);
  sum_scores(q, kt, keys, s, d, score, largest);
  double m = -INFINITY, l = 0.0, reach = 0.0;
  for (int64_t n = 0; n < keys; n++) m = fmax(m, scale * score[n]);
  for (int64_t n = 0; n < keys; n++) {
    const double e = exp(scale * score[n] - m);
    l += e;
    reach += e * scale * largest[n];
  }
  if (isnan(l)) return isnan(lse) ? 0.0 : NAN;
  const double steps = sqrt((double)(d + 2 * d / AT_ONCE));
  return (lse - m - log(l)) / (UNIT * steps * reach / l + OF_LOGARITHM);
}

static int64_t kv_head_of(const references *r, const problem *p, int64_t i) {
  return attention_shape_kv_head(&p->shape, r->row[i] / p->shape.seq_len);
}

/* Adds the squares of rows [first, end), which share a K/V head. */
static bool add_rows(double *squares, const float *lse, const problem *p,
                     const references *r, const double *kt, int64_t first,
                     int64_t end) {
  const int64_t s = attention_shape_keys(&p->shape), d = p->shape.head_dim;
  double sum = 0.0;
  bool enough = true;
#pragma omp parallel reduction(+ : sum)
  {
    double *scratch = malloc((size_t)(2 * s + d) * sizeof *scratch);
#pragma omp for schedule(static)
    for (int64_t i = first; i < end; i++) {
      if (scratch) {
        const double error = error_of_row(lse[r->row[i]], p, r, kt, i, scratch);
        sum += error * error;
      } else {
#pragma omp atomic write
        enough = false;
      }
    }
    free(scratch);
  }
  *squares += sum;
  return enough;
}

static bool all_finite(const float *lse, const attention_shape *shape) {
  const int64_t rows = shape->batch * shape->heads * shape->seq_len;
  for (int64_t i = 0; i < rows; i++)
    if (!isfinite(lse[i])) return false;
  return true;
}

bool lse_judge(lse_result *result, const float *lse, const problem *p,
               const references *r) {
  double *kt = malloc(lse_bytes(&p->shape)), squares = 0.0;
  bool enough = kt != NULL;
  for (int64_t first = 0, end; enough && first < r->count; first = end) {
    const int64_t head = kv_head_of(r, p, first);
    for (end = first; end < r->count && kv_head_of(r, p, end) == head;) end++;
    decode_head(kt, p, head);
    enough = add_rows(&squares, lse, p, r, kt, first, end);
  }
  free(kt);
  *result = (lse_result){.judged = enough, .limit = settings_get()->lse_rms};
  result->figure = p->distribution >= NAN_Q || all_finite(lse, &p->shape)
                       ? sqrt(squares / (double)r->count)
                       : NAN;
  return enough;
}

/* A comparison with NaN is false. */
bool lse_passed(const lse_result *result) {
  return !result->judged || result->figure <= result->limit;
}

size_t lse_bytes(const attention_shape *shape) {
  return (size_t)(attention_shape_keys(shape) * shape->head_dim) *
         sizeof(double);
}
