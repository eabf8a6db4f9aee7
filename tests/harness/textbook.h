#ifndef TEXTBOOK_H
#define TEXTBOOK_H

#include <math.h>
#include <string.h>

#include "common/harness/numbers.h"
#include "common/harness/problem.h"

enum { MOST_KEYS = 1200, AT_ONCE = 32 };

/* Element i, of this head, from its code, or as it was before. */
static inline long double number(const tensor_place *t, bool quantised,
                                 int64_t head, int64_t i) {
  if (!quantised) return (*t->values)[i];
  return (long double)(*t->scales)[head] * e4m3_decode((*t->codes)[i]);
}

/* Attention of one row as a textbook has it, element by element; the first
 * `skipped` keys take no part. With a mask over another number of keys than
 * rows the last row sees all. Fills o[D], with zeros where there is no key, and
 * returns the log-sum-exp. `reach`: a mean over the keys by their weight of the
 * largest number on the way to a score, product or sum of AT_ONCE more. */
static inline long double textbook(const problem *p, bool quantised,
                                   int64_t row, int64_t skipped,
                                   long double *o, long double *reach) {
  const attention_shape *s = &p->shape;
  const tensor_place q = problem_tensor((problem *)p, 0);
  const tensor_place k = problem_tensor((problem *)p, 1);
  const tensor_place v = problem_tensor((problem *)p, 2);
  const int64_t d = s->head_dim, head = row / s->seq_len;
  const int64_t in_batch = head % s->heads;
  const int64_t kv_head = head / s->heads * s->kv_heads +
                          in_batch / (s->heads / s->kv_heads);
  const int64_t first = kv_head * k.rows;
  const int64_t end =
      s->causal ? row % s->seq_len + 1 + k.rows - s->seq_len : k.rows;
  static long double score[MOST_KEYS], largest[MOST_KEYS], its_q[128];
  long double m = -INFINITY, l = 0.0L;
  memset(o, 0, (size_t)d * sizeof *o);
  *reach = 0.0L;
  for (int64_t c = 0; c < d; c++)
    its_q[c] = number(&q, quantised, head, row * d + c) * p->softmax_scale;
  for (int64_t n = skipped; n < end; n++) {
    score[n] = largest[n] = 0.0L;
    for (int64_t c = 0; c < d; c++) {
      const long double x =
          its_q[c] * number(&k, quantised, kv_head, (first + n) * d + c);
      score[n] += x;
      largest[n] = fmaxl(largest[n], fabsl(x));
      if (c % AT_ONCE == AT_ONCE - 1)
        largest[n] = fmaxl(largest[n], fabsl(score[n]));
    }
    m = fmaxl(m, score[n]);
  }
  for (int64_t n = skipped; n < end; n++) {
    const long double weight = expl(score[n] - m);
    l += weight;
    *reach += weight * largest[n];
    for (int64_t c = 0; c < d; c++)
      o[c] += weight * number(&v, quantised, kv_head, (first + n) * d + c);
  }
  for (int64_t c = 0; c < d && l != 0.0L; c++) o[c] /= l;
  if (l != 0.0L) *reach /= l;
  return m + logl(l);
}

#endif
