#include "common/harness/problem/shape.h"

size_t attention_shape_elements(const attention_shape *s) {
  return (size_t)s->batch * (size_t)s->heads * (size_t)s->seq_len *
         (size_t)s->head_dim;
}

int64_t attention_shape_keys(const attention_shape *s) {
  return s->key_len ? s->key_len : s->seq_len;
}

size_t attention_shape_kv_elements(const attention_shape *s) {
  return (size_t)s->batch * (size_t)s->kv_heads *
         (size_t)attention_shape_keys(s) * (size_t)s->head_dim;
}

int64_t attention_shape_kv_head(const attention_shape *s, int64_t head) {
  return head / (s->heads / s->kv_heads);
}

double attention_shape_flops(const attention_shape *s) {
  return (s->causal ? 2.0 : 4.0) * (double)s->batch * (double)s->heads *
         (double)s->seq_len * (double)attention_shape_keys(s) *
         (double)s->head_dim;
}

size_t attention_shape_device_bytes(const attention_shape *s) {
  return attention_shape_elements(s) * (1 + 2) +
         attention_shape_kv_elements(s) * 2 +
         (size_t)(s->batch * (s->heads + 2 * s->kv_heads)) * 4;
}
