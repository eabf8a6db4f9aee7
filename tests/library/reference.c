#include "tests/library/reference.h"

#include <math.h>
#include <stdlib.h>

#include "common/harness/problem/e4m3.h"

/* wgmma keeps 13 bits below the largest of 32 products and the sum before them:
 * each of these, and the sum after them, loses less than this share of it. The
 * rest is for the logarithm itself. */
static const double SHARE = 0x1p-13, REST = 0x1p-18;
enum { AT_ONCE = 32 };

static double *numbers(int64_t count) {
  double *memory = calloc((size_t)count, sizeof *memory);
  assert_non_null(memory);
  return memory;
}

/* One row; score and largest, the largest number on the way to it, have room
 * for its keys. */
static void row(const fp8attention_problem *p, const uint8_t *q,
                const uint8_t *k, const uint8_t *v, double scale,
                double v_scale, int64_t keys, double *score, double *largest,
                double *o, double *lse, double *room) {
  double m = -INFINITY, l = 0.0, reach = 0.0;
  for (int64_t j = 0; j < keys; j++) {
    score[j] = largest[j] = 0.0;
    for (int64_t d = 0; d < p->head_dim; d++) {
      const double x = scale * e4m3_decode(q[d]) *
                       e4m3_decode(k[j * p->k_strides.row + d]);
      score[j] += x;
      largest[j] = fmax(largest[j], fabs(x));
      if (d % AT_ONCE == AT_ONCE - 1)
        largest[j] = fmax(largest[j], fabs(score[j]));
    }
    m = fmax(m, score[j]);
  }
  for (int64_t j = 0; j < keys; j++) {
    const double e = exp(score[j] - m);
    l += e;
    reach += e * largest[j];
    for (int64_t d = 0; d < p->head_dim; d++)
      o[d] += e * v_scale * e4m3_decode(v[j * p->v_strides.row + d]);
  }
  for (int64_t d = 0; d < p->head_dim; d++) o[d] /= l;
  *lse = m + log(l);
  const double cuts = (double)(p->head_dim + 2 * p->head_dim / AT_ONCE);
  *room = cuts * SHARE * reach / l + REST;
}

reference new_reference(const fp8attention_problem *p) {
  const int64_t rows = p->batch * p->heads * p->seq_len;
  return (reference){numbers(rows * p->head_dim), numbers(rows), numbers(rows)};
}

reference reference_of(const fp8attention_problem *p) {
  const int64_t rows = p->batch * p->heads * p->seq_len;
  const int64_t all = p->key_len ? p->key_len : p->seq_len;
  reference r = new_reference(p);
  double *score = numbers(all), *largest = numbers(all);
  for (int64_t i = 0; i < rows; i++) {
    const int64_t at = i % p->seq_len, head = i / p->seq_len;
    const int64_t b = head / p->heads, h = head % p->heads;
    const int64_t shared = h / (p->heads / p->kv_heads);
    const int64_t kv_head = b * p->kv_heads + shared;
    row(p, p->q + b * p->q_strides.batch + h * p->q_strides.head +
               at * p->q_strides.row,
        p->k + b * p->k_strides.batch + shared * p->k_strides.head,
        p->v + b * p->v_strides.batch + shared * p->v_strides.head,
        (double)p->softmax_scale * p->q_scale[head] * p->k_scale[kv_head],
        p->v_scale[kv_head], p->causal ? at + 1 : all, score, largest,
        r.o + i * p->head_dim, r.lse + i, r.room + i);
  }
  free(score);
  free(largest);
  return r;
}

void free_reference(reference *r) {
  free(r->o);
  free(r->lse);
  free(r->room);
}
