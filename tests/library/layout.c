/* Where the C structures that example.py fills have their fields. */
#include <stddef.h>
#include <stdio.h>

#include "libfp8attention/fp8attention.h"

#define FIELD(type, name) printf(#name " %zu\n", offsetof(type, name))

int main(void) {
  FIELD(fp8attention_strides, batch);
  FIELD(fp8attention_strides, head);
  FIELD(fp8attention_strides, row);
  printf("size %zu\n", sizeof(fp8attention_strides));
  FIELD(fp8attention_problem, batch);
  FIELD(fp8attention_problem, heads);
  FIELD(fp8attention_problem, kv_heads);
  FIELD(fp8attention_problem, seq_len);
  FIELD(fp8attention_problem, head_dim);
  FIELD(fp8attention_problem, q);
  FIELD(fp8attention_problem, k);
  FIELD(fp8attention_problem, v);
  FIELD(fp8attention_problem, o);
  FIELD(fp8attention_problem, q_strides);
  FIELD(fp8attention_problem, k_strides);
  FIELD(fp8attention_problem, v_strides);
  FIELD(fp8attention_problem, o_strides);
  FIELD(fp8attention_problem, q_scale);
  FIELD(fp8attention_problem, k_scale);
  FIELD(fp8attention_problem, v_scale);
  FIELD(fp8attention_problem, softmax_scale);
  FIELD(fp8attention_problem, causal);
  FIELD(fp8attention_problem, drift);
  FIELD(fp8attention_problem, key_len);
  FIELD(fp8attention_problem, lse);
  printf("size %zu\n", sizeof(fp8attention_problem));
  FIELD(fp8attention_tensor, batch);
  FIELD(fp8attention_tensor, heads);
  FIELD(fp8attention_tensor, seq_len);
  FIELD(fp8attention_tensor, head_dim);
  FIELD(fp8attention_tensor, format);
  FIELD(fp8attention_tensor, values);
  FIELD(fp8attention_tensor, codes);
  FIELD(fp8attention_tensor, scale);
  FIELD(fp8attention_tensor, values_strides);
  FIELD(fp8attention_tensor, codes_strides);
  printf("size %zu\n", sizeof(fp8attention_tensor));
}
