#include "tests/impostors/impostors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/harness/numbers.h"

enum { TILE = 32, MAX_D = 256 };

/* Vector instructions where the processor has them; the sums are the same. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__)
#define VECTORISED __attribute__((target_clones("avx2", "default")))
#else
#define VECTORISED
#endif

/* The value of each of the 256 codes. */
static void fill_table(float *table, const faults *f) {
  for (int code = 0; code < 256; code++) {
    const int exponent = code >> 3 & 15;
    const float step = ldexpf(1.0f, (exponent ? exponent : 1) - 10);
    table[code] = e4m3_decode((uint8_t)code);
    if (f->half_step) table[code] += step / 2.0f;
    if (f->half_table && code >= 128) table[code] = 0.0f;
  }
}

/* One head, decoded: kt[D][S], v[S][D]. */
typedef struct {
  int64_t s, d, keys; /* without a mask */
  bool causal;
  const faults *f;
  const float *table;
  float *kt, *v;
  float score_scale, v_scale;
} head;

static float round_p(float p, p_rounding rounding) {
  if (rounding == P_HALF) return half_decode(half_encode(p));
  if (rounding == P_E4M3) return e4m3_decode(e4m3_encode(256 * p)) / 256;
  return p;
}

VECTORISED
static void accumulate_tile(const head *h, const float *q, int64_t first,
                            int64_t keys, float *m, float *l, float *sum) {
  const int64_t left = keys - first, count = left < TILE ? left : TILE;
  float score[TILE] = {0}, top = *m;
  for (int64_t c = 0; c < h->d; c++)
    for (int64_t j = 0; j < count; j++)
      score[j] += q[c] * h->kt[c * h->s + first + j];
  for (int64_t j = 0; j < count; j++) {
    score[j] *= h->score_scale;
    top = fmaxf(top, score[j]);
  }
  const float rescale = h->f->no_rescale ? 1.0f : expf(*m - top);
  *l *= rescale;
  for (int64_t c = 0; c < h->d; c++) sum[c] *= rescale;
  for (int64_t j = 0; j < count; j++) {
    const float exact = expf(score[j] - top);
    const float p = round_p(exact, h->f->rounding);
    *l += exact;
    for (int64_t c = 0; c < h->d; c++)
      sum[c] += p * h->v[(first + j) * h->d + c];
  }
  *m = top;
}

static void store_row(const head *h, const float *sum, float l, uint16_t *o) {
  const int64_t columns = h->f->half_written ? h->d / 2 : h->d;
  for (int64_t c = 0; c < columns; c++) {
    float value = sum[c] * (h->v_scale / l);
    if (h->f->result_bias != 0.0f) {
      int exponent;
      frexpf(value, &exponent);
      value += h->f->result_bias * ldexpf(1.0f, exponent - 11);
    }
    o[c] = half_encode(value);
  }
}

static void attend_row(const head *h, int64_t row, const uint8_t *q_codes,
                       uint16_t *o) {
  const int64_t seen = row + (h->f->mask_too_wide ? 2 : 1);
  const int64_t keys = h->causal && seen < h->keys ? seen : h->keys;
  float q[MAX_D], sum[MAX_D] = {0}, m = -INFINITY, l = 0.0f;
  for (int64_t c = 0; c < h->d; c++) q[c] = h->table[q_codes[c]];
  for (int64_t first = 0; first < keys; first += TILE)
    accumulate_tile(h, q, first, keys, &m, &l, sum);
  store_row(h, sum, l, o);
}

/* The K/V head of a head; both are counted through the batches. */
static int64_t kv_head_of(const attention_args *a, const faults *f,
                          int64_t index) {
  const int64_t kv_heads = a->kv_heads;
  const int64_t batch = index / a->heads, in_batch = index % a->heads;
  return batch * kv_heads + (f->wrong_group
                                 ? in_batch % kv_heads
                                 : in_batch / (a->heads / kv_heads));
}

static void attend_head(const attention_args *a, head *h, int64_t index) {
  const int64_t s = h->s, d = h->d, start = index * s * d;
  const int64_t kv_head = kv_head_of(a, h->f, index);
  const uint8_t *k = a->k + kv_head * s * d, *v = a->v + kv_head * s * d;
  const int64_t heads = a->batch * a->heads;
  const int64_t of = h->f->neighbours_scale ? (index + 1) % heads : index;
  const int64_t of_kv =
      h->f->neighbours_scale ? kv_head_of(a, h->f, of) : kv_head;
  h->score_scale = a->q_scale[of] * a->k_scale[of_kv] * a->softmax_scale *
                   (1.0f + h->f->softmax_scale_error);
  h->v_scale = a->v_scale[of_kv];
  for (int64_t n = 0; n < s; n++)
    for (int64_t c = 0; c < d; c++) {
      const int64_t at = c * s + n;
      h->kt[at] = h->table[h->f->k_untransposed ? k[at] : k[n * d + c]];
      h->v[n * d + c] = h->table[v[n * d + c]];
    }
  for (int64_t row = 0; row < s; row++) {
    const int64_t stored = h->f->row_shifted ? (row + 1) % s : row;
    attend_row(h, row, a->q + start + row * d, a->o + start + stored * d);
  }
}

cudaError_t attend(const attention_args *a, const faults *f) {
  const int64_t s = a->seq_len, d = a->head_dim;
  float table[256];
  bool enough = d <= MAX_D;
  for (int64_t i = 0; f->filled && i < a->batch * a->heads * s * d; i++)
    a->o[i] = half_encode(f->fill);
  if (f->filled || f->untouched) return cudaSuccess;
  fill_table(table, f);
#pragma omp parallel for schedule(dynamic) reduction(&& : enough)
  for (int64_t i = 0; i < a->batch * a->heads; i++) {
    head h = {.s = s, .d = d, .keys = s, .f = f, .table = table};
    h.causal = a->causal;
    if (f->drop_last_tile) h.keys = (s - 1) / TILE * TILE;
    h.kt = malloc((size_t)(s * d) * sizeof(float));
    h.v = malloc((size_t)(s * d) * sizeof(float));
    enough = enough && h.kt && h.v;
    if (h.kt && h.v && d <= MAX_D) attend_head(a, &h, i);
    free(h.kt);
    free(h.v);
  }
  return enough ? cudaSuccess : cudaErrorMemoryAllocation;
}
