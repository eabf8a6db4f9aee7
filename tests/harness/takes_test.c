/* What a stage takes, and which shapes it is checked at unasked. */

#include "tests/harness/test_shapes.h"

#include <string.h>

#include "common/device/interface/attention.h"
#include "common/harness/settings.h"
#include "common/harness/stage.h"

static const attention_support plain = {.head_dims = {64}};
static const attention_support full = {.head_dims = {64, 128},
                                       .takes = TAKES_CAUSAL | TAKES_GROUPED};

/* The harness and the kernel itself are of one opinion. */
static void assert_takes(const attention_support *support, const char *text,
                         bool wanted) {
  reason why = {""};
  attention_shape shape;
  assert_true(attention_shape_parse(&shape, text, &why));
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
  (void)state;
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

/* As many keys as rows are no need, said or not; under a mask others cannot
 * be. */
static void test_strides_key_len_and_lse(void **state) {
  (void)state;
  const attention_support able = {
      .head_dims = {64},
      .takes = TAKES_CAUSAL | TAKES_KEY_LEN | TAKES_STRIDES | RETURNS_LSE};
  attention_args args = {.batch = 2, .heads = 2, .kv_heads = 2, .seq_len = 9,
                         .head_dim = 64};
  static const int lengths[] = {0, 9, 1, 8, 10, 1000, -1, INT32_MIN};
  for (int causal = 0; causal < 2; causal++)
    for (int i = 0; i < 8; i++) {
      args.causal = causal;
      args.key_len = lengths[i];
      const bool same = i < 2, good = lengths[i] >= 0;
      assert_int_equal(attention_supports(&able, &args),
                       good && (same || !causal));
      assert_int_equal(attention_supports(&full, &args), same);
    }
  args.causal = args.key_len = 0;
  float lse;
  args.lse = &lse;
  const attention_strides strides = contiguous_strides(&args);
  args.strides = &strides;
  assert_true(attention_supports(&able, &args));
  assert_false(attention_supports(&full, &args));
}

/* How many of its default shapes are masked, shared, or of D = 128. */
static void count(const stage_description *stage,
                  const attention_support *support, stage_verb verb,
                  int *shapes, int *variants) {
  const stage_options options = {.verb = verb};
  const stage_object object = {.support = support};
  case_list list;
  reason why = {""};
  assert_int_equal(cases_list(&list, &options, false, &object, stage, &why), 0);
  *shapes = *variants = 0;
  for (int i = 0; i < list.count; i++) {
    const attention_shape *s = &list.cases[i].shape;
    if (list.cases[i].axis) continue;
    if (i > 0 && !strcmp(list.cases[i].name, list.cases[i - 1].name)) continue;
    ++*shapes;
    *variants += s->causal || s->kv_heads != s->heads || s->head_dim != 64;
  }
  case_list_free(&list);
}

static bool is_taken(const attention_support *support, const char *text) {
  reason why;
  case_words words;
  attention_shape shape;
  assert_true(case_parse(&shape, &words, text, &why));
  return takes_shape(support, "x", &shape, text, &why);
}

/* Those that a stage takes, and in check and race its own behind them; and of
 * the axes each is taken by a stage that can do all. */
static void test_default_cases(void **state) {
  (void)state;
  const settings *s = settings_get();
  const stage_description none = {0},
                          own = {.shapes = {"1,1,77,64", "1,1,78,64,causal"}};
  int shapes, variants, of_plain;
  const attention_support all_of = {{64, 128}, ~0, P_FP32, 0};
  for (int i = 0; s->check_axes[i]; i++)
    assert_true(is_taken(&all_of, s->check_axes[i]));
  for (stage_verb verb = VERB_CHECK; verb < VERB_INFO; verb++) {
    const char *const *names = verb == VERB_CHECK  ? s->check_variants
                               : verb == VERB_RACE ? s->race_variants
                                                   : NULL;
    int all = 0, of_one;
    for (; names && *names; names++) all += is_taken(&full, *names);
    count(&none, &plain, verb, &of_plain, &variants);
    assert_int_equal(variants, 0);
    if (verb == VERB_CHECK)
      assert_int_equal(of_plain, 4 + s->check_seq_len_count);
    count(&none, &full, verb, &shapes, &variants);
    assert_int_equal(variants, all);
    assert_int_equal(shapes, of_plain + all);
    count(&own, &full, verb, &of_one, &variants);
    const bool has_own = verb == VERB_CHECK || verb == VERB_RACE;
    assert_int_equal(of_one - shapes, has_own ? 2 : 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_a_stage_takes),
      cmocka_unit_test(test_strides_key_len_and_lse),
      cmocka_unit_test(test_default_cases),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
