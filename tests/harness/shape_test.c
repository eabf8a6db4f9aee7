#include "tests/harness/unit.h"

#include <string.h>

#include "common/harness/judge/check.h"
#include "common/harness/problem/shape_text.h"

static void assert_refused(const char *text, const char *sentence) {
  reason why = {""};
  attention_shape shape;
  if (attention_shape_parse(&shape, text, &why))
    fail_msg("'%s' was taken", text);
  if (!strstr(why.text, sentence)) fail_msg("'%s' says: %s", text, why.text);
}

static attention_shape taken(const char *text) {
  reason why = {""};
  attention_shape s;
  if (!attention_shape_parse(&s, text, &why))
    fail_msg("'%s' says: %s", text, why.text);
  return s;
}

static void assert_taken(const char *text, int64_t batch, int64_t heads,
                         int64_t seq_len) {
  const attention_shape s = taken(text);
  assert_true(s.batch == batch && s.heads == heads);
  assert_true(s.seq_len == seq_len && s.head_dim == 64);
  assert_true(s.kv_heads == heads && !s.causal);
}

static void test_names_and_numbers(void **state) {
  (void)state;
  assert_taken("small", 1, 1, 32);
  assert_taken("mission", 1, 8, 512);
  assert_taken("long", 1, 8, 2048);
  assert_taken("odd", 2, 3, 100);
  assert_taken("large", 4, 16, 8192);
  assert_taken("7,5,3,64", 7, 5, 3);
  assert_taken("1,1,2147483647,64", 1, 1, 2147483647);
  assert_taken("65535,1,1,64", 65535, 1, 1);
}

static void assert_variant(const char *text, int64_t kv_heads,
                           int64_t head_dim, bool causal) {
  const attention_shape s = taken(text);
  assert_true(s.batch == 2 && s.heads == 8 && s.seq_len == 333);
  assert_true(s.kv_heads == kv_heads && s.head_dim == head_dim);
  assert_int_equal(s.causal, causal);
}

static void test_masks_and_groups(void **state) {
  (void)state;
  assert_variant("2,8,333,128", 8, 128, false);
  assert_variant("2,8,333,64,causal", 8, 64, true);
  assert_variant("2,8:2,333,64", 2, 64, false);
  assert_variant("2,8:1,333,128,causal", 1, 128, true);
  assert_variant("2,8:8,333,64", 8, 64, false);
  const char *const texts[] = {
      "2,8:2,333,64,",      "2,8:2,333,64,causal,", "2,8:2,333,64,causal x",
      "2,8:2,333,64,caus",  "2,8:2,333,64,Causal",  "2,8:2,333,64causal",
      "2,8:2:2,333,64",     "2:8,333,64",           "2,8,333:2,64",
      "2,8,333,64:2",       "2,8:,333,64",          "2,:2,333,64",
      "2,8: 2,333,64",      "2,8:2,333,causal",     "2,8:2,333",
      "2,8:2,333,64,64",    "causal",               "mission,causal",
      "2,8,causal,333,64",  "2,8:2,333,64 causal",  "2,8:+2,333,64"};
  for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
    assert_refused(texts[i], "is no shape: give small, mission");
  assert_refused("2,8:3,333,64", "a multiple of its 3 K/V heads");
  assert_refused("2,8:16,333,64", "a multiple of its 16 K/V heads");
  assert_refused("2,8:0,333,64", "KV in shape 2,8:0,333,64 must be at least 1");
  assert_refused("2,8:-2,333,64,causal", "must be at least 1.");
  assert_refused("2,8:2147483648,333,64", "KV in shape 2,8:2147483648,333,64 "
                 "is too large");
  assert_refused("2,8:2,2147483648,64,causal", "S in shape");
  assert_refused("9999,9999:1,2147483647,64,causal", "more elements");
}

/* Every head of a group in every batch has the same one, and no other group. */
static void test_kv_head(void **state) {
  (void)state;
  const attention_shape s = taken("3,6:2,5,64");
  const int wanted[] = {0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5};
  for (int i = 0; i < 18; i++)
    assert_int_equal(attention_shape_kv_head(&s, i), wanted[i]);
  const attention_shape plain = taken("3,6,5,64");
  for (int i = 0; i < 18; i++)
    assert_int_equal(attention_shape_kv_head(&plain, i), i);
}

static void test_flops(void **state) {
  (void)state;
  attention_shape s = taken("mission");
  assert_true(attention_shape_flops(&s) == 4.0 * 8 * 512 * 512 * 64);
  s = taken("1,8:2,512,64,causal");
  assert_true(attention_shape_flops(&s) == 2.0 * 8 * 512 * 512 * 64);
}

static void test_not_a_shape(void **state) {
  (void)state;
  const char *const texts[] = {
      "",           "Mission",      "1,2,3",      "1,2,3,64,5", "1,2,3,",
      ",1,2,3",     "1,2,x,64",     "1,2,3,64x",  "1, 2,3,64",  "1,2,+3,64",
      "1.5,2,3,64", "1e2,2,3,64",   "1,2,,64",    " 1,2,3,64",  "1,2,3,64 ",
      "-",          "0x1,2,3,64",   "1;2;3;64",   "--help",     "1,2,3,64\n"};
  for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
    assert_refused(texts[i], "is no shape: give small, mission");
}

static void test_numbers_out_of_range(void **state) {
  (void)state;
  assert_refused("0,1,1,64", "B in shape 0,1,1,64 must be at least 1.");
  assert_refused("1,1,0,64", "S in shape 1,1,0,64 must be at least 1.");
  assert_refused("1,-3,1,64", "H in shape 1,-3,1,64 must be at least 1.");
  assert_refused("1,-99999999999999999999,1,64", "must be at least 1.");
  assert_refused("1,1,2147483648,64", "at most 2147483647.");
  assert_refused("1,1,99999999999999999999,64", "at most 2147483647.");
  assert_refused("65536,1,1,64", "at most 65535");
  assert_refused("1,65536,1,64", "at most 65535");
  assert_refused("65535,65535,2147483647,64", "more elements than memory");
}

/* A sentence must not be written past the end of its room. */
static void test_sentence_is_cut(void **state) {
  (void)state;
  struct {
    reason why;
    char after[8];
  } r = {.after = "intact"};
  char nonsense[2 * sizeof r.why.text];
  attention_shape s;
  memset(nonsense, 'x', sizeof nonsense - 1);
  nonsense[sizeof nonsense - 1] = '\0';
  assert_false(attention_shape_parse(&s, nonsense, &r.why));
  assert_int_equal(strlen(r.why.text), sizeof r.why.text - 1);
  assert_string_equal(r.after, "intact");
}

static void test_bytes(void **state) {
  (void)state;
  const attention_shape s = {2, 3, 100, 64, 3, false};
  const size_t elements = 2 * 3 * 100 * 64;
  assert_int_equal(attention_shape_elements(&s), elements);
  /* Codes of Q, K, V; fp16 output; three scales a head. */
  assert_int_equal(attention_shape_device_bytes(&s), elements * 5 + 6 * 12);
  /* Inputs, codes, output and references: 17 + 20 bytes an element, 8 a row;
   * and one head in 40 bytes an element. For the log-sum-exp 4 a row, and one
   * head of K in 8 bytes an element. */
  const size_t of_lse = 600 * 4 + 100 * 64 * 8;
  assert_int_equal(check_host_bytes(&s),
                   elements * 37 + 600 * 8 + 100 * 64 * 40 + of_lse);
  /* K and V of a third of the heads. */
  const attention_shape shared = {2, 3, 100, 64, 1, true};
  assert_int_equal(attention_shape_elements(&shared), elements);
  assert_int_equal(attention_shape_kv_elements(&shared), elements / 3);
  assert_int_equal(attention_shape_device_bytes(&shared),
                   elements * 3 + elements / 3 * 2 + (6 + 2 * 2) * 4);
  assert_int_equal(check_host_bytes(&shared),
                   elements * 27 + elements / 3 * 10 + 600 * 8 +
                       100 * 64 * 40 + of_lse);
  /* The largest shape that is taken does not overflow. */
  const attention_shape most = {8, 65535, 2147483647, 64, 65535, false};
  assert_true(check_host_bytes(&most) >
              attention_shape_elements(&most) * 17);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_names_and_numbers),
      cmocka_unit_test(test_not_a_shape),
      cmocka_unit_test(test_numbers_out_of_range),
      cmocka_unit_test(test_masks_and_groups),
      cmocka_unit_test(test_kv_head),
      cmocka_unit_test(test_flops),
      cmocka_unit_test(test_sentence_is_cut),
      cmocka_unit_test(test_bytes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
