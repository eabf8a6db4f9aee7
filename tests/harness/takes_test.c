/* What a stage takes: the harness and the kernel itself are of one opinion. */

#include "tests/harness/unit.h"

#include "common/device/interface/attention.h"
#include "common/harness/stage.h"

static const attention_support plain = {.head_dims = {64}};
static const attention_support full = {.head_dims = {64, 128},
                                       .takes = TAKES_CAUSAL | TAKES_GROUPED};

static void assert_takes(const attention_support *support, const char *text,
                         bool wanted) {
  reason why = {""};
  attention_shape shape;
  assert_true(case_parse(&shape, NULL, text, &why));
  if (takes_shape(support, "Stage 9", &shape, text, &why) != wanted)
    fail_msg("%s: %s", text, why.text);
  attention_args args = {.heads = shape.heads, .kv_heads = shape.kv_heads,
                         .seq_len = shape.seq_len, .head_dim = shape.head_dim,
                         .causal = shape.causal,
                         .key_len = (int)shape.key_len};
  const attention_strides strides = contiguous_strides(&args);
  if (shape.layout) args.strides = &strides;
  assert_int_equal(attention_supports(support, &args), wanted);
}

static void test_what_a_stage_takes(void **state) {
  assert_takes(&plain, "2,3,100,64", true);
  assert_takes(&plain, "2,3:3,100,64", true);
  assert_takes(&plain, "1,1,32,128", false);
  assert_takes(&plain, "1,1,32,64,causal", false);
  assert_takes(&plain, "1,4:2,32,64", false);
  assert_takes(&full, "2,8:2,100,128,causal", true);
  assert_takes(&full, "1,1,32,96", false);
  const attention_support masked = {.head_dims = {64}, .takes = TAKES_CAUSAL};
  assert_takes(&masked, "1,4,32,64,causal", true);
  assert_takes(&masked, "1,4:2,32,64,causal", false);
  const attention_support able = {.head_dims = {64}, .takes = TAKES_CAUSAL |
                                  TAKES_KEY_LEN | TAKES_STRIDES};
  static const char *const further[] = {"1,1,32,64,keys=31",
                                        "1,1,32,64,strides=padded",
                                        "1,1,32,64,keys=33,strides=wide"};
  for (int i = 0; i < 3; i++) {
    assert_takes(&full, further[i], false);
    assert_takes(&able, further[i], true);
  }
  assert_takes(&able, "1,1,32,64,keys=31,causal", false);
  assert_takes(&able, "1,1,32,64,keys=32,causal", true);
  assert_takes(&plain, "1,1,32,64,keys=32,scale=0.3", true);
}

MAIN(cmocka_unit_test(test_what_a_stage_takes))
