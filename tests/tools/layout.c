/* Where the C structures that peers fills from Python have their fields. */
#include <stddef.h>
#include <stdio.h>

#include "common/device/interface/attention.h"
#include "common/harness/object/object.h"

#define FIELD(type, name) printf(#name " %zu\n", offsetof(type, name))

int main(void) {
  FIELD(attention_args, q);
  FIELD(attention_args, k);
  FIELD(attention_args, v);
  FIELD(attention_args, q_scale);
  FIELD(attention_args, k_scale);
  FIELD(attention_args, v_scale);
  FIELD(attention_args, o);
  FIELD(attention_args, batch);
  FIELD(attention_args, heads);
  FIELD(attention_args, seq_len);
  FIELD(attention_args, head_dim);
  FIELD(attention_args, softmax_scale);
  FIELD(attention_args, kv_heads);
  FIELD(attention_args, causal);
  FIELD(attention_args, key_len);
  FIELD(attention_args, strides);
  FIELD(attention_args, lse);
  printf("size %zu\n", sizeof(attention_args));
  FIELD(attention_support, head_dims);
  FIELD(attention_support, takes);
  FIELD(attention_support, rounds_p_to);
  FIELD(attention_support, sums);
  printf("size %zu\n", sizeof(attention_support));
  FIELD(stage_object, stage);
  FIELD(stage_object, arm);
  FIELD(stage_object, toggles);
  FIELD(stage_object, kernel_hash);
  FIELD(stage_object, compiler);
  FIELD(stage_object, flags);
  FIELD(stage_object, launch);
  FIELD(stage_object, support);
  printf("size %zu\n", sizeof(stage_object));
  printf("takes %d %d %d %d %d\n", TAKES_CAUSAL, TAKES_GROUPED, TAKES_STRIDES,
         TAKES_KEY_LEN, RETURNS_LSE);
}
