#include <stdlib.h>

#include "common/harness/reference.h"

enum { LEAST_ROWS = 2048, LAST_TILE = 32 };
static const double most_multiply_adds = 8589934592.0; /* 2^33 */

/* Rows [first, S) of each head: an even stride, then the whole last tile. */
static int64_t sample_head(int64_t *row, int64_t head_start, int64_t seq_len,
                           int64_t stride) {
  int64_t count = 0;
  const int64_t tail = seq_len > LAST_TILE ? seq_len - LAST_TILE : 0;
  for (int64_t s = 0; s < tail; s += stride) row[count++] = head_start + s;
  for (int64_t s = tail; s < seq_len; s++) row[count++] = head_start + s;
  return count;
}

bool references_sample(references *r, const attention_shape *shape) {
  const int64_t heads = shape->batch * shape->heads, s = shape->seq_len;
  const double work = 2.0 * (double)heads * (double)s * (double)s *
                      (double)shape->head_dim;
  r->complete = work <= most_multiply_adds;
  int64_t stride = 1;
  if (!r->complete) {
    const int64_t a_head = (LEAST_ROWS + heads - 1) / heads;
    stride = s / a_head > 1 ? s / a_head : 1;
  }
  const int64_t most = heads * ((s + stride - 1) / stride + LAST_TILE);
  r->row = malloc((size_t)most * sizeof *r->row);
  if (!r->row) return false;
  r->count = 0;
  for (int64_t head = 0; head < heads; head++)
    r->count += sample_head(r->row + r->count, head * s, s, stride);
  return true;
}
