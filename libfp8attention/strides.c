#include "libfp8attention/strides.h"

enum { ROWS_A_PIECE = 64 };

int64_t pieces_of(const tensor_size *size) {
  if (size->batch < 0 || size->heads < 0 || size->rows < 0 ||
      size->rows > ROWS_LIMIT)
    return -1;
  if (!size->batch || !size->heads || !size->rows) return 0;
  const int64_t pieces = (size->rows + ROWS_A_PIECE - 1) / ROWS_A_PIECE;
  if (size->batch > PIECES_LIMIT / pieces ||
      size->heads > PIECES_LIMIT / pieces / size->batch)
    return -1;
  return pieces * size->batch * size->heads;
}

tensor_strides strides_of(const tensor_size *size,
                          const fp8attention_strides *strides) {
  const tensor_strides used = {
      size->batch > 1 ? strides->batch : size->head_dim,
      size->heads > 1 ? strides->head : size->head_dim,
      size->rows > 1 ? strides->row : size->head_dim};
  return used;
}

bool strides_fit(const tensor_strides *strides, int64_t head_dim,
                 int64_t limit, int64_t unit) {
  const int64_t all[3] = {strides->batch, strides->head, strides->row};
  for (int i = 0; i < 3; i++)
    if (all[i] < head_dim || all[i] >= limit || all[i] % unit) return false;
  return true;
}

//> span
int64_t span_of(const tensor_size *size, const tensor_strides *strides) {
  const int64_t steps[3] = {size->batch - 1, size->heads - 1, size->rows - 1};
  const int64_t stride[3] = {strides->batch, strides->head, strides->row};
  int64_t elements = size->head_dim;
  for (int i = 0; i < 3; i++) {
    if (steps[i] > (SPAN_LIMIT - elements) / stride[i]) return 0;
    elements += steps[i] * stride[i];
  }
  return elements;
}
//< span

typedef struct {
  int64_t size, stride;
} dimension;

static void put_in_order(dimension *a, dimension *b) {
  if (a->stride <= b->stride) return;
  const dimension kept = *a;
  *a = *b;
  *b = kept;
}

bool rows_lie_apart(const tensor_size *size, const tensor_strides *strides) {
  dimension d[3] = {{size->batch, strides->batch},
                    {size->heads, strides->head},
                    {size->rows, strides->row}};
  put_in_order(&d[0], &d[1]);
  put_in_order(&d[1], &d[2]);
  put_in_order(&d[0], &d[1]);
//> no-overlap
  int64_t within = size->head_dim;
  for (int i = 0; i < 3; i++) {
    if (d[i].size == 1) continue;
    if (d[i].stride < within) return false;
    within += (d[i].size - 1) * d[i].stride;
  }
//< no-overlap
  return true;
}

/* No sum of an address and a size, which may be more than an address can be. */
static bool two_lie_apart(memory_range a, memory_range b) {
  const uintptr_t one = (uintptr_t)a.start, other = (uintptr_t)b.start;
  return one <= other ? other - one >= (uintptr_t)a.bytes
                      : one - other >= (uintptr_t)b.bytes;
}

bool ranges_lie_apart(const memory_range *ranges, int count,
                      const memory_range *others, int other_count) {
  for (int i = 0; i < count; i++) {
    for (int j = 0; j < i; j++)
      if (!two_lie_apart(ranges[i], ranges[j])) return false;
    for (int j = 0; j < other_count; j++)
      if (!two_lie_apart(ranges[i], others[j])) return false;
  }
  return true;
}

bool is_aligned(const void *pointer, uintptr_t alignment) {
  return (uintptr_t)pointer % alignment == 0;
}
