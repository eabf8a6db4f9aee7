#include "common/harness/problem/rows.h"

#include <stddef.h>

enum { LEAST_ROWS = 2048, LAST_TILE = 32 };
static const double most_multiply_adds = 8589934592.0; /* 2^33 */

/* How far apart the rows of a head are. */
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

int64_t rows_count(const attention_shape *shape, bool *complete) {
  const int64_t stride = sample_stride(shape);
  *complete = stride == 1;
  return shape->batch * shape->heads *
         sample_head(NULL, 0, shape->seq_len, stride);
}

void rows_list(const attention_shape *shape, int64_t *row) {
  const int64_t heads = shape->batch * shape->heads, s = shape->seq_len;
  const int64_t stride = sample_stride(shape);
  for (int64_t head = 0; head < heads; head++)
    row += sample_head(row, head * s, s, stride);
}
