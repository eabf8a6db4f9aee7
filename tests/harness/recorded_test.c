/* The recorded tensors as inputs, and files that are none. */

#include "tests/harness/test_shapes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/harness/problem/half.h"
#include "common/harness/recorded/recorded.h"

enum { LAYERS = 2, HEADS = 12, ROWS = 512, WIDTH = 32 };

/* The number itself, by the format that recorded.h describes. */
static float number_at(int layer, int tensor, int head, int row, int column) {
  const long index =
      ((((long)layer * 3 + tensor) * HEADS + head) * ROWS + row) * WIDTH +
      column;
  unsigned char bytes[2];
  FILE *file = fopen(RECORDED_FILE, "rb");
  assert_non_null(file);
  assert_int_equal(fseek(file, 96 + 2 * index, SEEK_SET), 0);
  assert_int_equal(fread(bytes, 1, 2, file), 2);
  fclose(file);
  return half_decode((uint16_t)(bytes[0] + 256 * bytes[1]));
}

static void test_the_file(void **state) {
  (void)state;
  recorded r;
  reason why = {""};
  if (!recorded_open(&r, RECORDED_FILE, &why)) fail_msg("%s", why.text);
  assert_int_equal(r.layers, LAYERS);
  assert_int_equal(r.heads, HEADS);
  assert_int_equal(r.rows, ROWS);
  assert_int_equal(r.width, WIDTH);
  for (size_t i = 0; i < recorded_count(&r); i++)
    assert_true(isfinite(half_decode(r.values[i])));
  recorded_close(&r);
}

/* Every head of both layers, at its place, with zeros behind each row. */
static void test_inputs_are_the_records(void **state) {
  (void)state;
  problem p;
  make_problem(&p, "2,12,512,64", REAL, 0);
  const float *const tensors[] = {p.q, p.k, p.v};
  assert_true(fabs(p.softmax_scale - 1.0 / sqrt(32.0)) < 1e-12);
  for (int t = 0; t < 3; t++)
    for (int head = 0; head < LAYERS * HEADS; head++)
      for (int row = 5; row < ROWS; row += 253) {
        const float *values = tensors[t] + (head * ROWS + row) * 64;
        for (int c = 0; c < 64; c += 3)
          assert_true(values[c] == (c < WIDTH ? number_at(head / HEADS, t,
                                                          head % HEADS, row, c)
                                              : 0.0f));
      }
  problem_free(&p);
}

static void test_longer_sequences_repeat_it(void **state) {
  (void)state;
  problem p;
  make_problem(&p, "1,1,1100,128", REAL, 0);
  for (int row = ROWS; row < 1100; row++)
    assert_memory_equal(p.v + row * 128, p.v + (row - ROWS) * 128, 128 * 4);
  assert_true(p.v[0] == number_at(0, 2, 0, 0, 0));
  assert_true(memcmp(p.v, p.v + 128, 128 * 4) != 0);
  problem_free(&p);
}

static void test_seeds_take_other_layers(void **state) {
  (void)state;
  const int row[] = {0, 0, 171}, layer[] = {0, 1, 0};
  for (uint64_t seed = 0; seed < 3; seed++) {
    problem p;
    make_problem(&p, "1,2,100,64", REAL, seed);
    for (int c = 0; c < WIDTH; c++)
      assert_true(p.k[100 * 64 + c] ==
                  number_at(layer[seed], 1, 1, row[seed], c));
    problem_free(&p);
  }
}

/* A group's queries meet the K of their own head, and are not all the same. */
static void test_shared_heads_stay_together(void **state) {
  (void)state;
  problem p;
  make_problem(&p, "1,6:2,40,64", REAL, 0);
  for (int head = 0; head < 6; head++)
    for (int c = 0; c < WIDTH; c++)
      assert_true(p.q[head * 40 * 64 + c] ==
                  number_at(0, 0, head / 3, head % 3 * 37, c));
  problem_free(&p);
}

/* ---- files that are none ---- */

static char *text;
static size_t size;

static int read_all(void **state) {
  (void)state;
  FILE *file = fopen(RECORDED_FILE, "rb");
  if (!file) return -1;
  fseek(file, 0, SEEK_END);
  size = (size_t)ftell(file);
  text = malloc(size + 1);
  rewind(file);
  const bool good = text && fread(text, 1, size, file) == size;
  fclose(file);
  return good ? 0 : -1;
}

static int free_all(void **state) {
  (void)state;
  free(text);
  return 0;
}

/* `bytes` of the text in a file must be refused with a sentence that has
 * `wanted`, and nothing may stay allocated. */
static void refused(size_t bytes, const char *wanted) {
  char path[] = "/tmp/recorded-XXXXXX";
  const int handle = mkstemp(path);
  assert_true(handle >= 0);
  assert_int_equal(write(handle, text, bytes), (ssize_t)bytes);
  close(handle);
  recorded r;
  reason why = {""};
  const bool taken = recorded_open(&r, path, &why);
  unlink(path);
  if (taken) fail_msg("taken, and should be refused: %s", wanted);
  if (!strstr(why.text, wanted)) fail_msg("%s", why.text);
  assert_null(r.values);
}

static void test_cut_off(void **state) {
  (void)state;
  refused(size - 1, "is cut off: it lacks 1 of 2359296 bytes.");
  refused(RECORDED_HEADER, "is cut off: it lacks 2359296 of 2359296 bytes.");
  refused(RECORDED_HEADER - 1, "does not begin as recorded tensors do.");
  refused(0, "does not begin as recorded tensors do.");
}

static void test_damaged(void **state) {
  (void)state;
  const size_t places[] = {RECORDED_HEADER, size / 2, size - 1};
  for (int i = 0; i < 3; i++) {
    text[places[i]] ^= 1;
    refused(size, "is damaged");
    text[places[i]] ^= 1;
  }
  text[size] = 0; /* one byte too many */
  refused(size + 1, "is damaged");
}

static void test_wrong_header(void **state) {
  (void)state;
  char kept[RECORDED_HEADER];
  memcpy(kept, text, sizeof kept);
  const char *const lines[] = {
      "recorded tensors 2: layers 2 heads 12 rows 512 width 32 checksum 0",
      "recorded tensors 1: layers 0 heads 12 rows 512 width 32 checksum 0",
      "recorded tensors 1: layers 2 heads -1 rows 512 width 32 checksum 0",
      "recorded tensors 1: layers 2 heads 12 rows 512 width 9999 checksum 0",
      "recorded tensors 1: layers 4096 heads 4096 rows 512 width 32 checksum 0",
      "#!/bin/sh"};
  for (int i = 0; i < 6; i++) {
    memset(text, ' ', RECORDED_HEADER);
    memcpy(text, lines[i], strlen(lines[i]));
    refused(size, "does not begin as recorded tensors do.");
  }
  memcpy(text, kept, sizeof kept);
}

static void test_no_file(void **state) {
  (void)state;
  recorded r;
  reason why = {""};
  assert_false(recorded_open(&r, "/none/such.qkv", &why));
  assert_string_equal(why.text, "Cannot read the recorded tensors, "
                                "/none/such.qkv: No such file or directory.");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_file),
      cmocka_unit_test(test_inputs_are_the_records),
      cmocka_unit_test(test_longer_sequences_repeat_it),
      cmocka_unit_test(test_seeds_take_other_layers),
      cmocka_unit_test(test_shared_heads_stay_together),
      cmocka_unit_test_setup_teardown(test_cut_off, read_all, free_all),
      cmocka_unit_test_setup_teardown(test_damaged, read_all, free_all),
      cmocka_unit_test_setup_teardown(test_wrong_header, read_all, free_all),
      cmocka_unit_test(test_no_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
