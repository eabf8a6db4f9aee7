#ifndef SHAPE_H
#define SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  int64_t batch, heads, seq_len, head_dim; /* B, H, S, D */
  int64_t kv_heads; /* H_kv, divides H: H / H_kv heads share one of K and V */
  bool causal;      /* key j takes part in row i only where j <= i */
} attention_shape;

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
