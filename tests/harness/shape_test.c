#include "tests/harness/unit.h"

#include <string.h>

#include "common/harness/problem.h"

static const int only_64[] = {64, 0};

static void assert_refused(const char *text, const char *sentence) {
  char why[256] = "";
  attention_shape shape;
  if (attention_shape_parse(&shape, text, only_64, why, sizeof why))
    fail_msg("'%s' was taken", text);
  if (!strstr(why, sentence)) fail_msg("'%s' says: %s", text, why);
}

static void assert_taken(const char *text, int64_t batch, int64_t heads,
                         int64_t seq_len) {
  char why[256] = "";
  attention_shape s;
  if (!attention_shape_parse(&s, text, only_64, why, sizeof why))
    fail_msg("'%s' says: %s", text, why);
  assert_true(s.batch == batch && s.heads == heads);
  assert_true(s.seq_len == seq_len && s.head_dim == 64);
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

static void test_head_dim_is_the_stages(void **state) {
  (void)state;
  assert_refused("1,1,32,128", "takes D = 64 only, not 128.");
  assert_refused("1,1,32,2147483647", "takes D = 64 only");
  const int two[] = {64, 128, 0};
  char why[256] = "";
  attention_shape s;
  assert_true(
      attention_shape_parse(&s, "1,1,32,128", two, why, sizeof why));
  assert_false(
      attention_shape_parse(&s, "1,1,32,96", two, why, sizeof why));
}

/* A short buffer must not be written past its end. */
static void test_sentence_is_cut(void **state) {
  (void)state;
  char why[8];
  attention_shape s;
  assert_false(attention_shape_parse(&s, "nonsense", only_64, why, sizeof why));
  assert_int_equal(strlen(why), 7);
}

static void test_bytes(void **state) {
  (void)state;
  const attention_shape s = {2, 3, 100, 64};
  const size_t elements = 2 * 3 * 100 * 64;
  assert_int_equal(attention_shape_elements(&s), elements);
  /* Codes of Q, K, V; fp16 output; three scales a head. */
  assert_int_equal(attention_shape_device_bytes(&s), elements * 5 + 6 * 12);
  /* Inputs, codes, output and references: 17 + 20 bytes an element, 8 a row;
   * and one head in 40 bytes an element. */
  assert_int_equal(attention_shape_host_bytes(&s),
                   elements * 37 + 600 * 8 + 100 * 64 * 40);
  /* The largest shape that is taken does not overflow. */
  const attention_shape most = {8, 65535, 2147483647, 64};
  assert_true(attention_shape_host_bytes(&most) >
              attention_shape_elements(&most) * 17);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_names_and_numbers),
      cmocka_unit_test(test_not_a_shape),
      cmocka_unit_test(test_numbers_out_of_range),
      cmocka_unit_test(test_head_dim_is_the_stages),
      cmocka_unit_test(test_sentence_is_cut),
      cmocka_unit_test(test_bytes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
