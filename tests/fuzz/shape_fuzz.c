/* Shapes and arms, as a reader types them. */

#include "common/harness/problem/shape_text.h"
#include "common/harness/record/arm.h"
#include "tests/fuzz/fuzz.h"

enum { MOST = 65535 };

static void check_shape(const char *text) {
  attention_shape shape, again;
  reason why = {""};
  if (!attention_shape_parse(&shape, text, &why)) {
    MUST(*why.text);
    return;
  }
  MUST(shape.batch >= 1 && shape.batch <= MOST);
  MUST(shape.heads >= 1 && shape.heads <= MOST);
  MUST(shape.kv_heads >= 1 && shape.heads % shape.kv_heads == 0);
  MUST(shape.seq_len >= 1 && shape.seq_len <= INT32_MAX);
  MUST(shape.head_dim >= 1 && shape.head_dim <= INT32_MAX);
  const __int128 elements =
      (__int128)shape.batch * shape.heads * shape.seq_len * shape.head_dim;
  MUST(elements * 128 <= INT64_MAX);
  char written[128];
  snprintf(written, sizeof written, "%lld,%lld:%lld,%lld,%lld%s",
           (long long)shape.batch, (long long)shape.heads,
           (long long)shape.kv_heads, (long long)shape.seq_len,
           (long long)shape.head_dim, shape.causal ? ",causal" : "");
  MUST(attention_shape_parse(&again, written, &why));
  MUST(again.batch == shape.batch && again.heads == shape.heads &&
       again.kv_heads == shape.kv_heads && again.seq_len == shape.seq_len &&
       again.head_dim == shape.head_dim && again.causal == shape.causal);
}

static void check_arm(const char *text) {
  arm a, again;
  char written[ARM_TEXT], stage[ARM_TEXT], spelling[ARM_TEXT];
  if (arm_decode(&a, text)) {
    arm_encode(&a, written);
    MUST(!strcmp(written, text));
    arm_settings(&a, "-D", written);
    MUST(a.count == 0 || *written);
  }
  if (!arm_of_file_name(text, stage, spelling)) return;
  MUST(arm_decode(&again, spelling));
  arm_file_name(stage, spelling, written);
  /* Of two names for the default, one is written. */
  MUST(!strcmp(written, text) || !strcmp(spelling, "default"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = text_of(data, size);
  check_shape(text);
  check_arm(text);
  free(text);
  return 0;
}
