#include "common/harness/judge/judge.h"

/* Vector instructions where the processor has them. Every sum is a chain over
 * one output each, so the result is the same with and without. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__)
#define VECTORISED __attribute__((target_clones("avx2", "default")))
#else
#define VECTORISED
#endif

/* ---- the rows that are checked ---- */

enum { LEAST_ROWS = 2048, LAST_TILE = 32 };
static const double most_multiply_adds = 8589934592.0; /* 2^33 */

static int64_t sample_stride(const attention_shape *shape) {
  const int64_t heads = shape->batch * shape->heads, s = shape->seq_len;
  if (attention_shape_flops(shape) / 2.0 <= most_multiply_adds) return 1;
  const int64_t in_head = (LEAST_ROWS + heads - 1) / heads;
  const int64_t stride = s / in_head > 1 ? s / in_head : 1;
  /* A mask differs from row to row of a tile: an odd step visits them all. */
  return shape->causal && stride % 2 == 0 ? stride - 1 : stride;
}

/* One head: rows at even distances, then the whole last tile. `row` may be
 * NULL, to count only. */
static int64_t sample_head(int64_t *row, int64_t head_start, int64_t seq_len,
                           int64_t stride) {
  const int64_t tail = seq_len > LAST_TILE ? seq_len - LAST_TILE : 0;
  const int64_t even = (tail + stride - 1) / stride;
  for (int64_t i = 0; row && i < even; i++) row[i] = head_start + i * stride;
  for (int64_t s = tail; row && s < seq_len; s++)
    row[even + s - tail] = head_start + s;
  return even + seq_len - tail;
}

static int64_t rows_count(const attention_shape *shape, bool *complete) {
  const int64_t stride = sample_stride(shape);
  *complete = stride == 1;
  return shape->batch * shape->heads *
         sample_head(NULL, 0, shape->seq_len, stride);
}

/* Row i of the sample: its head, counted through the batches, the K/V head, and
 * how many of its keys take part. */
typedef struct {
  int64_t head, kv_head, keys;
} row_place;

static row_place place_of(const references *r, const problem *p, int64_t i) {
  const attention_shape *s = &p->shape;
  const int64_t head = r->row[i] / s->seq_len;
  return (row_place){
      head, attention_shape_kv_head(s, head),
      s->causal ? r->row[i] % s->seq_len + 1 : attention_shape_keys(s)};
}

/* ---- the references ---- */

/* K and V of one K/V head in double and in float, K transposed to [D][S] so
 * that the loop over keys is the inner one. Read by all threads. */
typedef struct {
  references *r;
  const problem *p;
  p_rounding rounding;
  int64_t s, d;
  double *k_exact, *v_exact, *k_quantised, *v_quantised;
  float *k_codes, *v_codes; /* decoded, not scaled */
  float *k_length;          /* [S], of the decoded codes */
} head_inputs;

/* One piece of memory, that k_exact begins. */
static bool head_new(head_inputs *h, references *r, const problem *p,
                     p_rounding rounding) {
  const int64_t s = attention_shape_keys(&p->shape), d = p->shape.head_dim;
  double *all = malloc((size_t)(s * d) * (4 * sizeof(double) +
                                          2 * sizeof(float)) +
                       (size_t)s * sizeof(float));
  float *codes = (float *)(all + 4 * s * d);
  *h = (head_inputs){.r = r,
                     .p = p,
                     .rounding = rounding,
                     .s = s,
                     .d = d,
                     .k_exact = all,
                     .v_exact = all + s * d,
                     .k_quantised = all + 2 * s * d,
                     .v_quantised = all + 3 * s * d,
                     .k_codes = codes,
                     .v_codes = codes + s * d,
                     .k_length = codes + 2 * s * d};
  return all;
}

static void head_fill(const head_inputs *h, int64_t head) {
  const problem *p = h->p;
  const int64_t s = h->s, d = h->d, start = head * s * d;
#pragma omp parallel for
  for (int64_t n = 0; n < s; n++) {
    float squares = 0.0f;
    for (int64_t c = 0; c < d; c++) {
      const int64_t in = start + n * d + c;
      const float k = e4m3_decode(p->k_codes[in]);
      const float v = e4m3_decode(p->v_codes[in]);
      h->k_exact[c * s + n] = p->k[in];
      h->v_exact[n * d + c] = p->v[in];
      h->k_codes[c * s + n] = k;
      h->v_codes[n * d + c] = v;
      h->k_quantised[c * s + n] = (double)p->k_scale[head] * k;
      h->v_quantised[n * d + c] = (double)p->v_scale[head] * v;
      squares += k * k;
    }
    h->k_length[n] = sqrtf(squares);
  }
}

enum { AT_ONCE = 32 };
static const double UNIT = 0x1p-13, OF_LOGARITHM = 0x1p-18;

/* One row in double over its keys, which are the first of the S: q[D],
 * kt[D][S], v[S][D] -> o[D]; score is [S] scratch. Where lse is not null, the
 * log-sum-exp, too, and the unit of its error, for which `largest`, [S], keeps
 * the largest number on the way to each score. Both are NaN where a NaN is in
 * the scores. */
VECTORISED
static void row_double(const double *q, const double *kt, const double *v,
                       double scale, int64_t keys, int64_t s, int64_t d,
                       double *score, double *o, double *largest, double *lse,
                       double *unit) {
  memset(score, 0, (size_t)keys * sizeof *score);
  memset(largest, 0, (size_t)keys * sizeof *largest);
  for (int64_t c = 0; c < d; c++) {
    for (int64_t n = 0; n < keys; n++) score[n] += q[c] * kt[c * s + n];
    const int64_t kept = lse ? keys : 0;
    for (int64_t n = 0; n < kept; n++) {
      const double size = fabs(q[c] * kt[c * s + n]);
      largest[n] = largest[n] > size ? largest[n] : size;
    }
    const int64_t ends = c % AT_ONCE == AT_ONCE - 1 ? kept : 0;
    for (int64_t n = 0; n < ends; n++) {
      const double size = fabs(score[n]);
      largest[n] = largest[n] > size ? largest[n] : size;
    }
  }
  double m = -INFINITY, l = 0.0, reach = 0.0;
  for (int64_t n = 0; n < keys; n++) {
    score[n] *= scale;
    m = fmax(m, score[n]);
  }
  memset(o, 0, (size_t)d * sizeof *o);
  for (int64_t n = 0; n < keys; n++) {
    const double p = exp(score[n] - m);
    l += p;
    reach += p * scale * largest[n];
    for (int64_t c = 0; c < d; c++) o[c] += p * v[n * d + c];
  }
  for (int64_t c = 0; c < d; c++) o[c] /= l;
  if (!lse) return;
  *lse = m + log(l);
  *unit = UNIT * sqrt((double)(d + 2 * d / AT_ONCE)) * reach / l + OF_LOGARITHM;
}

static float round_p(float p, p_rounding rounding, float shift) {
  if (rounding == P_HALF || rounding == P_HALF_SHORT_SCORES)
    return half_decode(half_encode(p));
  if (rounding == P_E4M3) return e4m3_decode(e4m3_encode(shift * p)) / shift;
  return p;
}

/* ---- scores as wgmma sums them: common/simt/README.md, "The numbers" ---- */

static inline float masked(float x, uint32_t mask) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  bits &= mask;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static inline float exponent_alone(float x) { return masked(x, 0x7f800000); }

/* 2 to the exponent of a value of E4M3; of a zero, 0. */
static inline float label_of(float x) {
  return x == 0.0f ? 0.0f : fmaxf(exponent_alone(x), 0x1p-6f);
}

/* 32 products at a time; unit and sum are [S] scratch. */
VECTORISED
static void short_scores(const float *q, const float *kt, int64_t keys,
                         int64_t s, int64_t d, float *score, float *unit,
                         int32_t *sum) {
  for (int64_t first = 0; first < d; first += 32) {
    const int64_t end = first + 32 < d ? first + 32 : d;
    for (int64_t n = 0; n < keys; n++)
      unit[n] = fmaxf(exponent_alone(score[n]), 0x1p-60f);
    for (int64_t c = first; c < end; c++) {
      const float label = label_of(q[c]);
      for (int64_t n = 0; n < keys; n++) {
        const float both = label * label_of(kt[c * s + n]);
        unit[n] = both > unit[n] ? both : unit[n];
      }
    }
    for (int64_t n = 0; n < keys; n++) {
      unit[n] = 0x1p13f / unit[n]; /* in which a conversion cuts */
      sum[n] = (int32_t)(score[n] * unit[n]);
    }
    for (int64_t c = first; c < end; c++)
      for (int64_t n = 0; n < keys; n++)
        sum[n] += (int32_t)(q[c] * (kt[c * s + n] * unit[n]));
    for (int64_t n = 0; n < keys; n++)
      score[n] = masked((float)sum[n], ~0x3ffu) / unit[n]; /* 14 bits */
  }
}

/* What rounding to E4M3 moves at most, as a share of what is rounded, which is
 * not below the smallest normal number; and the smallest half. */
static const float CODE = 0x1p-4f, SMALLEST = 0x1p-6f, HALF_STEP = 0x1p-24f;
static const float SIGMAS = 4.0f;

/* The same in float, from codes; scales are applied where a kernel would.
 * `score` is [3 S] scratch. A score of tensor cores is off by some units of the
 * largest number on its way, which is at most |q| |k|. */
VECTORISED
static void row_float(const float *q, const float *kt, const float *v,
                      const float *k_length, float score_scale, float v_scale,
                      p_rounding rounding, float shift, int64_t keys, int64_t s,
                      int64_t d, float *score, float *o, float *reach) {
  memset(score, 0, (size_t)keys * sizeof *score);
  if (rounding == P_HALF_SHORT_SCORES)
    short_scores(q, kt, keys, s, d, score, score + s, (int32_t *)score + 2 * s);
  else
    for (int64_t c = 0; c < d; c++)
      for (int64_t n = 0; n < keys; n++) score[n] += q[c] * kt[c * s + n];
  float m = -INFINITY, l = 0.0f, squares = 0.0f;
  for (int64_t c = 0; c < d; c++) squares += q[c] * q[c];
  const float unit = (float)UNIT * sqrtf(squares) * score_scale;
  for (int64_t n = 0; n < keys; n++) {
    score[n] *= score_scale;
    m = fmaxf(m, score[n]);
  }
  memset(o, 0, (size_t)d * sizeof *o);
  memset(reach, 0, (size_t)d * sizeof *reach);
  for (int64_t n = 0; n < keys; n++) {
    const float p = expf(score[n] - m);
    l += p;
    const float rounded = round_p(p, rounding, shift);
    const float far = CODE * (p > SMALLEST ? p : SMALLEST) +
                      unit * k_length[n] * p;
    for (int64_t c = 0; c < d; c++) {
      o[c] += rounded * v[n * d + c];
      reach[c] += far * v[n * d + c] * (far * v[n * d + c]);
    }
  }
  /* Weights are off now up and now down, or all one way. */
  for (int64_t c = 0; c < d; c++) {
    o[c] *= v_scale / l;
    reach[c] = 2.0f * CODE * fabsf(o[c]) +
               SIGMAS * (v_scale / l) * sqrtf(reach[c]) + HALF_STEP;
    o[c] = half_decode(half_encode(o[c]));
  }
}

/* Scratch are 2 S + D doubles. */
static void compute_row(const head_inputs *h, int64_t i, double *scratch) {
  const problem *p = h->p;
  references *r = h->r;
  const row_place at = place_of(r, p, i);
  const int64_t s = h->s, d = h->d, keys = at.keys;
  const int64_t in = r->row[i] * d, out = i * d;
  double *score = scratch, *q = scratch + 2 * s;
  for (int64_t c = 0; c < d; c++) q[c] = p->q[in + c];
  row_double(q, h->k_exact, h->v_exact, p->softmax_scale, keys, s, d, score,
             r->exact + out, score + s, NULL, NULL);
  for (int64_t c = 0; c < d; c++)
    q[c] = (double)p->q_scale[at.head] * e4m3_decode(p->q_codes[in + c]);
  row_double(q, h->k_quantised, h->v_quantised, p->softmax_scale, keys, s, d,
             score, r->quantised + out, score + s, r->lse ? &r->lse[i] : NULL,
             &r->lse_unit[i]);
  /* E4M3 is as fine near 256 as near 1, and finer than near 0, so P comes times
   * `shift`. Where the maximum itself lands between two codes depends on when a
   * kernel learns of it; each row of the reference takes another place, between
   * 128 and 256. With the maximum always at 256, exact, a row with one dominant
   * key would have no error to compare with. */
  const float shift = 256.0f * exp2f(-(float)(i * 5 % 8) / 8.0f);
  float *q_codes = (float *)q;
  for (int64_t c = 0; c < d; c++) q_codes[c] = e4m3_decode(p->q_codes[in + c]);
  row_float(q_codes, h->k_codes, h->v_codes, h->k_length,
            p->q_scale[at.head] * p->k_scale[at.kv_head] *
                (float)p->softmax_scale,
            p->v_scale[at.kv_head], h->rounding, shift, keys, s, d,
            (float *)score, r->same + out, r->reach + out);
}

bool references_sample(references *r, const attention_shape *shape) {
  const int64_t stride = sample_stride(shape), s = shape->seq_len;
  r->count = rows_count(shape, &r->complete);
  r->row = malloc((size_t)r->count * sizeof *r->row);
  for (int64_t i = 0, head = 0; r->row && i < r->count; head++)
    i += sample_head(r->row + i, head * s, s, stride);
  return r->row != NULL;
}

/* K/V head by K/V head, each one's rows on all threads. False if memory is
 * short. */
static bool compute_rows(const head_inputs *h) {
  const references *r = h->r;
  bool enough = true;
  for (int64_t first = 0, end; enough && first < r->count; first = end) {
    const int64_t head = place_of(r, h->p, first).kv_head;
    end = first;
    while (end < r->count && place_of(r, h->p, end).kv_head == head) end++;
    head_fill(h, head);
#pragma omp parallel
    {
      double *scratch = malloc((size_t)(2 * h->s + h->d) * sizeof *scratch);
#pragma omp for schedule(static)
      for (int64_t i = first; i < end; i++) {
        if (scratch)
          compute_row(h, i, scratch);
        else
#pragma omp atomic write
          enough = false;
      }
      free(scratch);
    }
  }
  return enough;
}

bool references_new(references *r, const problem *p, p_rounding rounding,
                    bool lse, reason *why) {
  head_inputs h;
  *r = (references){.head_dim = p->shape.head_dim};
  bool good = references_sample(r, &p->shape);
  const size_t rows = (size_t)r->count, values = rows * (size_t)r->head_dim;
  r->exact = malloc(values * (2 * sizeof(double) + 2 * sizeof(float)) +
                    2 * rows * sizeof(double));
  r->quantised = r->exact + values;
  r->lse_unit = r->quantised + values;
  r->lse = lse ? r->lse_unit + rows : NULL;
  r->same = (float *)(r->lse_unit + 2 * rows);
  r->reach = r->same + values;
  good = head_new(&h, r, p, rounding) && good && r->exact;
  phase_begin("references", 0);
  good = good && compute_rows(&h);
  phase_end();
  free(h.k_exact);
  if (good) return true;
  refuse(why, "Too little memory for the references.");
  references_free(r);
  return false;
}

void references_free(references *r) {
  free(r->row);
  free(r->exact);
  *r = (references){0};
}

/* Two references in double and two in float for each row, and its log-sum-exp;
 * one head's K and V in double, twice, and in float. */
size_t references_bytes(const attention_shape *shape) {
  bool complete;
  const int64_t s = attention_shape_keys(shape), d = shape->head_dim;
  const size_t rows = (size_t)rows_count(shape, &complete);
  return rows * (24 + (size_t)d * (2 * 8 + 2 * 4)) +
         (size_t)(s * (d * (4 * 8 + 2 * 4) + 4));
}

lse_result lse_judge(const float *lse, const problem *p, const references *r) {
  double squares = 0.0;
  for (int64_t i = 0; i < r->count; i++) {
    const double is = lse[r->row[i]], right = r->lse[i];
    const double error = (is - right) / r->lse_unit[i];
    squares += isnan(is) && isnan(right) ? 0.0 : error * error;
  }
  const attention_shape *s = &p->shape;
  bool finite = true;
  for (int64_t i = 0; i < s->batch * s->heads * s->seq_len; i++)
    finite = finite && (p->distribution >= NAN_Q || isfinite(lse[i]));
  return (lse_result){.judged = true,
                      .figure = finite ? sqrt(squares / (double)r->count) : NAN,
                      .limit = settings_get()->lse_rms};
}

/* A comparison with NaN is false. */
bool lse_passed(const lse_result *result) {
  return !result->judged || result->figure <= result->limit;
}
