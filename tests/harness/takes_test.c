#include "tests/harness/unit.h"

#include <string.h>

#include "common/device/interface/attention.h"
#include "common/harness/judge/check_report.h"
#include "common/harness/launch/upload.h"
#include "common/harness/problem/settings.h"
#include "common/harness/problem/shape_text.h"
#include "common/harness/run/cases.h"
#include "common/harness/run/takes.h"

static const attention_support plain = {.head_dims = {64}};
static const stage_object plain_stage = {.stage = "stage99_x",
                                         .support = &plain};
static const attention_support full = {.head_dims = {64, 128},
                                       .takes = TAKES_CAUSAL | TAKES_GROUPED};

static attention_shape parse(const char *text) {
  reason why = {""};
  attention_shape shape;
  if (!attention_shape_parse(&shape, text, &why)) fail_msg("%s", why.text);
  return shape;
}

/* `sentence` is NULL where the stage takes it. */
static void assert_takes(const attention_support *support, const char *text,
                         const char *sentence) {
  reason why = {""};
  const attention_shape shape = parse(text);
  const bool takes = takes_shape(support, "Stage 9", &shape, text, &why);
  if (takes == (sentence != NULL) ||
      (sentence && (!strstr(why.text, sentence) ||
                    strncmp(why.text, "Stage 9 ", 8))))
    fail_msg("%s: %s", text, why.text);
  /* The kernel itself is of the same opinion. */
  attention_args args = {.heads = shape.heads, .kv_heads = shape.kv_heads,
                         .head_dim = shape.head_dim, .causal = shape.causal};
  assert_int_equal(attention_supports(support, &args), takes);
  const attention_strides strides = contiguous_strides(&args);
  args.strides = &strides;
  assert_false(attention_supports(support, &args));
}

static void test_what_a_stage_takes(void **state) {
  (void)state;
  assert_takes(&plain, "2,3,100,64", NULL);
  assert_takes(&plain, "2,3:3,100,64", NULL);
  assert_takes(&plain, "1,1,32,128", "takes D = 64 only, not 128.");
  assert_takes(&plain, "1,1,1,2147483647", "takes D = 64 only");
  assert_takes(&plain, "1,1,32,64,causal",
               "no causal mask, which shape 1,1,32,64,causal has.");
  assert_takes(&plain, "1,4:2,32,64", "shape 1,4:2,32,64 shares them.");
  assert_takes(&full, "2,8:2,100,128,causal", NULL);
  assert_takes(&full, "1,1,32,96", "takes D = 64 or 128, not 96.");
  const attention_support masked = {.head_dims = {64}, .takes = TAKES_CAUSAL};
  assert_takes(&masked, "1,4,32,64,causal", NULL);
  assert_takes(&masked, "1,4:2,32,64,causal", "shares them");
  const attention_support shared = {.head_dims = {64}, .takes = TAKES_GROUPED};
  assert_takes(&shared, "1,4:2,32,64", NULL);
  assert_takes(&shared, "1,4:2,32,64,causal", "no causal mask");
}

/* With strides, a kernel that takes them; their sizes fill in the others. */
static void test_strides(void **state) {
  (void)state;
  const attention_support able = {.head_dims = {64}, .takes = TAKES_STRIDES};
  attention_args args = {.batch = 2, .heads = 6, .kv_heads = 6, .seq_len = 9,
                         .head_dim = 64};
  assert_true(attention_supports(&able, &args));
  args.kv_heads = 2;
  const attention_strides strides = contiguous_strides(&args);
  assert_int_equal(strides.q.batch, 6 * 9 * 64);
  assert_int_equal(strides.o.head, 9 * 64);
  assert_int_equal(strides.k.batch, 2 * 9 * 64);
  assert_int_equal(strides.v.row, 64);
  args.kv_heads = 6;
  args.strides = &strides;
  assert_true(attention_supports(&able, &args));
  assert_false(attention_supports(&full, &args));
}

/* As many keys as rows are no need, said or not; under a mask others cannot
 * be. */
static void test_key_len_and_lse(void **state) {
  (void)state;
  const attention_support able = {
      .head_dims = {64}, .takes = TAKES_CAUSAL | TAKES_KEY_LEN | RETURNS_LSE};
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
  args.causal = 0;
  args.key_len = 4;
  assert_int_equal(key_rows(&args), 4);
  assert_int_equal(contiguous_strides(&args).v.head, 4 * 64);
  assert_int_equal(contiguous_strides(&args).q.head, 9 * 64);
  float lse;
  args.lse = &lse;
  assert_true(attention_supports(&able, &args));
  args.key_len = 0;
  assert_int_equal(attention_needs(&args), RETURNS_LSE);
  assert_false(attention_supports(&full, &args));
}

/* How many of its default shapes are masked, shared, or of D = 128. */
static void count_those_of(const char *name, const attention_support *stage,
                           stage_verb verb, int *shapes, int *variants) {
  const stage_options options = {.verb = verb};
  const stage_object object = {.stage = name, .support = stage};
  case_list list;
  reason why = {""};
  if (cases_list(&list, &options, false, &object, &why))
    fail_msg("%s", why.text);
  *shapes = *variants = 0;
  for (int i = 0; i < list.count; i++) {
    const attention_shape *s = &list.cases[i].shape;
    if (i > 0 && !strcmp(list.cases[i].name, list.cases[i - 1].name)) continue;
    ++*shapes;
    *variants += s->causal || s->kv_heads != s->heads || s->head_dim != 64;
  }
  case_list_free(&list);
}

static void count_defaults(const attention_support *stage, stage_verb verb,
                           int *shapes, int *variants) {
  count_those_of("stage99_x", stage, verb, shapes, variants);
}

static void test_default_cases(void **state) {
  (void)state;
  const settings *s = settings_get();
  int shapes, variants, of_plain, all = 0, race = 0;
  while (s->check_variants[all]) all++;
  while (s->race_variants[race]) race++;
  count_defaults(&plain, VERB_CHECK, &of_plain, &variants);
  assert_int_equal(of_plain, 4 + s->check_seq_len_count);
  assert_int_equal(variants, 0);
  count_defaults(&full, VERB_CHECK, &shapes, &variants);
  assert_int_equal(variants, all);
  assert_int_equal(shapes, of_plain + all);
  count_defaults(&plain, VERB_RACE, &of_plain, &variants);
  assert_int_equal(variants, 0);
  count_defaults(&full, VERB_RACE, &shapes, &variants);
  assert_int_equal(variants, race);
  count_defaults(&full, VERB_COUNT, &shapes, &variants);
  assert_int_equal(variants, 0);
  const attention_support wide = {.head_dims = {64, 128}};
  count_defaults(&wide, VERB_CHECK, &shapes, &variants);
  assert_true(variants > 0 && variants < all);
}

/* Those of one stage alone are behind those of all, in check and in race. */
static void test_further_cases(void **state) {
  (void)state;
  const char *const name = "stage17_promotion", *further[SETTINGS_MAX];
  int count = 0;
  settings_further(settings_get(), name, further);
  while (further[count]) count++;
  assert_true(count > 0);
  for (stage_verb verb = VERB_CHECK; verb < VERB_INFO; verb++) {
    int of_all, of_one, variants;
    count_those_of("stage99_x", &full, verb, &of_all, &variants);
    count_those_of(name, &full, verb, &of_one, &variants);
    assert_int_equal(of_one - of_all,
                     verb == VERB_CHECK || verb == VERB_RACE ? count : 0);
  }
}

/* How many the device has for the case of this seed. */
static int multiprocessors(stage_options options, uint64_t seed) {
  case_list list;
  reason why = {""};
  options.shapes.texts[options.shapes.count++] = "small";
  options.seeds[options.seed_count++] = seed;
  assert_int_equal(cases_list(&list, &options, false, &plain_stage, &why), 0);
  const int number = list.cases[0].multiprocessors;
  case_list_free(&list);
  return number;
}

/* By its seed, whichever seeds are beside it; counters are of the first. */
static void test_multiprocessors(void **state) {
  (void)state;
  const settings *s = settings_get();
  const stage_options check = {.verb = VERB_CHECK}, race = {.verb = VERB_RACE},
                      count = {.verb = VERB_COUNT},
                      asked = {.verb = VERB_RACE, .multiprocessors = 5};
  for (uint64_t seed = 0; seed < 7; seed++) {
    assert_int_equal(multiprocessors(check, seed),
                     s->multiprocessors[seed % 3]);
    assert_int_equal(multiprocessors(count, seed), s->multiprocessors[0]);
    assert_int_equal(multiprocessors(race, seed), 0);
    assert_int_equal(multiprocessors(asked, seed), 5);
  }
}

/* A shape that was asked for is refused, not left out. */
static void test_asked_for(void **state) {
  (void)state;
  stage_options options = {.verb = VERB_CHECK};
  case_list list;
  reason why = {""};
  options.shapes.texts[options.shapes.count++] = "small";
  options.shapes.texts[options.shapes.count++] = "1,4:2,32,64,causal";
  assert_int_equal(cases_list(&list, &options, false, &plain_stage, &why), 3);
  assert_non_null(strstr(why.text, "takes no causal mask"));
  const stage_object able = {.stage = "stage99_y", .support = &full};
  assert_int_equal(cases_list(&list, &options, false, &able, &why), 0);
  assert_string_equal(list.cases[list.count - 1].name, "1,4:2,32,64,causal");
  assert_false(cases_taken(&list, &plain_stage, &why));
  assert_non_null(strstr(why.text, "stage99_x takes no causal mask"));
  case_list_free(&list);
}

/* "shape" stays four numbers; what they leave out is there where it differs. */
static void test_result(void **state) {
  (void)state;
  check_case cases[] = {{.name = "a", .shape = parse("2,6:2,9,128,causal")},
                        {.name = "b", .shape = parse("2,6:6,9,128")}};
  const case_list list = {cases, 2};
  const check_result results[2] = {{.why = {"not run"}}, {.why = {"not run"}}};
  json_t *json = check_json(&list, results);
  const json_t *each = json_object_get(json, "each");
  const json_t *a = json_array_get(each, 0), *b = json_array_get(each, 1);
  assert_int_equal(json_array_size(json_object_get(a, "shape")), 4);
  assert_int_equal(json_integer_value(json_object_get(a, "kv_heads")), 2);
  assert_true(json_is_true(json_object_get(a, "causal")));
  assert_null(json_object_get(b, "kv_heads"));
  assert_null(json_object_get(b, "causal"));
  json_decref(json);
}

static const attention_args *seen;

static cudaError_t look(const attention_args *args, cudaStream_t stream) {
  (void)stream;
  seen = args;
  return cudaSuccess;
}

/* What is launched is a call; the arrays are as long as it says. */
static void test_upload(void **state) {
  (void)state;
  const attention_shape shape = parse("2,6:2,9,8,causal");
  reason why = {""};
  problem p;
  upload u;
  uint16_t o[2 * 6 * 9 * 8];
  assert_true(problem_new(&p, &shape, NORMAL, 0, &why));
  assert_true(upload_new(&u, &p, &why));
  assert_true(upload_run(&u, look, o, &why));
  assert_true(seen->kv_heads == 2 && seen->causal == 1);
  assert_true(seen->heads == 6 && seen->head_dim == 8);
  assert_memory_equal(seen->q, p.q_codes, 2 * 6 * 9 * 8);
  assert_memory_equal(seen->k, p.k_codes, 2 * 2 * 9 * 8);
  assert_memory_equal(seen->v, p.v_codes, 2 * 2 * 9 * 8);
  assert_memory_equal(seen->q_scale, p.q_scale, 2 * 6 * 4);
  assert_memory_equal(seen->k_scale, p.k_scale, 2 * 2 * 4);
  assert_memory_equal(seen->v_scale, p.v_scale, 2 * 2 * 4);
  upload_free(&u);
  problem_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_a_stage_takes),
      cmocka_unit_test(test_strides),
      cmocka_unit_test(test_key_len_and_lse),
      cmocka_unit_test(test_default_cases),
      cmocka_unit_test(test_further_cases),
      cmocka_unit_test(test_multiprocessors),
      cmocka_unit_test(test_asked_for),
      cmocka_unit_test(test_result),
      cmocka_unit_test(test_upload),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
