#include "tests/library/tensors.h"

#include <cuda_runtime_api.h>
#include <string.h>

/* Room before and after a tensor that nobody may touch; it keeps 16 bytes'
 * alignment and no more. */
enum { MARGIN = 16 + 256 };

void *memory(size_t size, int value) {
  void *pointer = NULL;
  assert_int_equal(cudaMalloc(&pointer, size), cudaSuccess);
  assert_int_equal(cudaMemset(pointer, value, size), cudaSuccess);
  return pointer;
}

int64_t keys_of(const fp8attention_problem *p) {
  if (p->key_len == FP8ATTENTION_NO_KEYS) return 0;
  return p->key_len ? p->key_len : p->seq_len;
}

static fp8attention_strides strides_of(const fp8attention_problem *p,
                                       layout layout, int64_t heads,
                                       int64_t rows) {
  if (layout == MIXED) layout = PADDED_ROWS;
  const int64_t width = p->head_dim + (layout == PADDED_ROWS ? 16 : 0);
  const int64_t head = rows * width + (layout == PADDED_HEADS ? 48 : 0);
  const int64_t batch = heads * head + (layout == PADDED_BATCHES ? 4096 : 0);
  const int64_t parts = layout == PACKED ? 3 : 1;
  if (layout == SEQUENCE_FIRST || layout == PACKED)
    return (fp8attention_strides){parts * batch, width, parts * heads * width};
  return (fp8attention_strides){batch, head, width};
}

int64_t place(const fp8attention_strides *s, int64_t b, int64_t h,
              int64_t row) {
  return b * s->batch + h * s->head + row * s->row;
}

static uint8_t code_at(int tensor, int64_t index) {
  uint32_t x = (uint32_t)(3 * index + tensor + 1) * 2654435761u;
  x ^= x >> 15;
  x *= 2246822519u;
  x ^= x >> 13;
  return (uint8_t)((x >> 8 & 0x3f) | (x >> 24 & 0x80));
}

static void fill(uint8_t *codes, int tensor, const fp8attention_problem *p,
                 const fp8attention_strides *s, int64_t heads, int64_t rows) {
  int64_t index = 0;
  for (int64_t b = 0; b < p->batch; b++)
    for (int64_t h = 0; h < heads; h++)
      for (int64_t row = 0; row < rows; row++)
        for (int64_t d = 0; d < p->head_dim; d++)
          codes[place(s, b, h, row) + d] = code_at(tensor, index++);
}

tensors make_tensors(fp8attention_problem shape, layout layout) {
  tensors t = {.problem = shape};
  fp8attention_problem *p = &t.problem;
  const int64_t heads[3] = {p->heads, p->kv_heads, p->kv_heads};
  const int64_t keys = keys_of(p);
  const int64_t rows[3] = {p->seq_len, keys, keys};
  fp8attention_strides *strides[3] = {&p->q_strides, &p->k_strides,
                                      &p->v_strides};
  const uint8_t **pointers[3] = {&p->q, &p->k, &p->v};
  const float **scales[3] = {&p->q_scale, &p->k_scale, &p->v_scale};
  p->o_strides = strides_of(p, layout == PACKED ? SEQUENCE_FIRST : layout,
                            p->heads, p->seq_len);
  t.o_size = (size_t)(p->batch * (p->o_strides.batch + 16 * p->seq_len)) +
             2 * MARGIN;
  t.o = memory(t.o_size * sizeof *t.o, 0);
  for (size_t i = 0; i < t.o_size; i++) t.o[i] = GUARD;
  p->o = t.o + MARGIN;
  for (int i = 0; i < 3; i++) {
    *strides[i] = strides_of(p, layout == MIXED && i == 1 ? SEQUENCE_FIRST
                                                          : layout,
                             heads[i], rows[i]);
    t.codes_size[i] =
        (size_t)(p->batch * (strides[i]->batch + 16 * rows[i])) + 2 * MARGIN;
    if (layout != PACKED || i == 0)
      t.codes[i] = memory(t.codes_size[i], NOT_A_NUMBER);
    uint8_t *codes = layout == PACKED
                         ? t.codes[0] + MARGIN + i * p->heads * p->head_dim
                         : t.codes[i] + MARGIN;
    fill(codes, i, p, strides[i], heads[i], rows[i]);
    *pointers[i] = codes;
    t.scales[i] = memory((size_t)(p->batch * heads[i]) * sizeof(float), 0);
    for (int64_t h = 0; h < p->batch * heads[i]; h++)
      t.scales[i][h] = 0.25f + 0.03125f * (float)(h + i);
    *scales[i] = t.scales[i];
  }
  p->softmax_scale = 4.0f;
  return t;
}

void free_tensors(tensors *t) {
  for (int i = 0; i < 3; i++) {
    if (t->codes[i]) assert_int_equal(cudaFree(t->codes[i]), cudaSuccess);
    assert_int_equal(cudaFree(t->scales[i]), cudaSuccess);
  }
  assert_int_equal(cudaFree(t->o), cudaSuccess);
}

uint16_t output_at(const tensors *t, size_t row, int64_t d) {
  const fp8attention_problem *p = &t->problem;
  const int64_t head = (int64_t)row / p->seq_len;
  return p->o[place(&p->o_strides, head / p->heads, head % p->heads,
                    (int64_t)row % p->seq_len) + d];
}

size_t guards_left(const tensors *t) {
  size_t count = 0;
  for (size_t i = 0; i < t->o_size; i++) count += t->o[i] == GUARD;
  return count;
}
