#ifndef SHAPE_H
#define SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How tensors lie in memory: one row behind the other; with gaps behind rows,
 * heads and batches; so, in another order in each tensor; with so many elements
 * between rows that a row's, a head's and a batch's place needs over 32 bits,
 * in memory that exists only where it is used. */
typedef enum {
  LAYOUT_CONTIGUOUS,
  LAYOUT_PADDED,
  LAYOUT_PERMUTED,
  LAYOUT_WIDE,
  LAYOUT_COUNT
} tensor_layout;

typedef struct {
  int64_t batch, heads, seq_len, head_dim; /* B, H, S, D */
  int64_t kv_heads; /* H_kv, divides H: H / H_kv heads share one of K and V */
  bool causal;      /* key j takes part in row i only where j <= i */
  int64_t key_len;  /* rows of K and V; 0: S */
  double softmax_scale; /* 0: 1 / sqrt(D) */
  tensor_layout layout;
} attention_shape;

int64_t attention_shape_keys(const attention_shape *shape); /* rows of K */
size_t attention_shape_elements(const attention_shape *shape); /* of Q, and O */
size_t attention_shape_kv_elements(const attention_shape *shape); /* of K */

/* The K/V head of a head; both are counted through the batches. */
int64_t attention_shape_kv_head(const attention_shape *shape, int64_t head);

/* Operations of both products, as the field counts them: 4 B H S S D, and half
 * of that under a causal mask. */
double attention_shape_flops(const attention_shape *shape);

/* Codes of Q, K and V, their scales, and O. */
size_t attention_shape_device_bytes(const attention_shape *shape);

#endif
