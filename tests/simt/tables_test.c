/* What a reader sees of findings and counters. */

#include "tests/simt/support.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <string.h>

static void *memory;

static int prepare(void **state) {
  (void)state;
  memory = device_memory(1 << 16);
  return 0;
}

static int release(void **state) {
  (void)state;
  cudaDeviceReset();
  return cudaFree(memory) != cudaSuccess;
}

static void run_divergent(void) {
  assert_int_equal(run_checked(run_divergent_loop, memory, 9, 0), cudaSuccess);
}

static void tables_fit_100_columns(void **state) {
  (void)state;
  run_divergent();
  FILE *out = tmpfile();
  simt_print_counters(out);
  rewind(out);
  char text[512];
  bool found = false;
  while (fgets(text, sizeof text, out)) {
    assert_true(strlen(text) <= 101);
    if (strstr(text, "global load") && strstr(text, "4.00 of  4.00") &&
        strstr(text, "const float x = data["))
      found = true;
  }
  fclose(out);
  assert_true(found);
}

static void json_agrees_with_the_table(void **state) {
  (void)state;
  run_divergent();
  json_t *all = simt_counters_json();
  const json_t *total = json_object_get(all, "total");
  assert_int_equal(json_integer_value(json_object_get(total, "global_loads")),
                   9);
  const json_t *lines = json_object_get(all, "lines");
  assert_int_equal(json_array_size(lines), 4);
  const json_t *first = json_array_get(lines, 0);
  assert_string_equal(json_string_value(json_object_get(first, "file")),
                      "tests/simt/kernels/counting.cu");
  assert_int_equal(json_integer_value(json_object_get(first, "line")),
                   marked_line("counting.cu", "divergent-load"));
  json_decref(all);
}

static void findings_print(char *text, size_t size) {
  FILE *out = tmpfile();
  simt_print_findings(out);
  rewind(out);
  text[fread(text, 1, size - 1, out)] = '\0';
  fclose(out);
}

static void findings_as_a_table(void **state) {
  (void)state;
  run_checked(run_two_barriers, memory, 0, 0);
  char text[1024], wanted[1024];
  findings_print(text, sizeof text);
  snprintf(wanted, sizeof wanted,
           "deadlock: 32 threads wait in __syncthreads(), 32 in a named "
           "barrier, for ever\n"
           "  here  tests/simt/kernels/stops.cu:%d, thread 0\n"
           "        __syncthreads(); // @wait-for-all\n"
           "  there tests/simt/kernels/stops.cu:%d, thread 32\n"
           "        named_barrier_sync(1, 64); // @wait-for-some\n"
           "  line %d, warp 0: waits for __syncthreads(): 32 of 64 threads\n"
           "  line %d, warp 1: waits for named barrier 1: 32 of 64 threads\n"
           "  first in block (0, 0, 0); seen 1 time\n"
           "1 finding\n",
           marked_line("stops.cu", "wait-for-all"),
           marked_line("stops.cu", "wait-for-some"),
           marked_line("stops.cu", "wait-for-all"),
           marked_line("stops.cu", "wait-for-some"));
  assert_string_equal(text, wanted);
}

/* Of a line that several calls reach, a reader wants to know which one did. */
static void a_finding_names_the_calls(void **state) {
  (void)state;
  char text[1024], wanted[1024];
  const struct {
    const char *put, *code, *read;
  } cases[] = {
      {"put-one", "put(tiles, 1); // @put-one",
       "if (bug != 2) out[threadIdx.x] = tiles[other]; // @read-one"},
      {"put-other", "put(tiles + 32, 2); // @put-other",
       "if (bug != 1) out[threadIdx.x] = tiles[32 + other]; // @read-other"}};
  for (int i = 0; i < 2; i++) {
    run_checked(run_helpers, memory, i + 1, 0);
    findings_print(text, sizeof text);
    snprintf(wanted, sizeof wanted,
             "race: a read after a write, with no barrier between the two "
             "threads\n"
             "  here  tests/simt/kernels/races.cu:%d, thread 0\n"
             "        %s\n"
             "  there tests/simt/kernels/races.cu:%d, thread 31\n"
             "        tile[threadIdx.x] = value; // @put\n"
             "        called in line %d: %s\n"
             "        called in line %d: put_two(tiles); // @put-two\n"
             "  first in block (0, 0, 0), at tiles + %d; seen 32 times\n"
             "1 finding\n",
             marked_line("races.cu", i ? "read-other" : "read-one"),
             cases[i].read, marked_line("races.cu", "put"),
             marked_line("races.cu", cases[i].put), cases[i].code,
             marked_line("races.cu", "put-two"), i ? 252 : 124);
    assert_string_equal(text, wanted);
  }
}

/* So does the list of those who wait, and JSON. */
static void waiters_name_the_calls(void **state) {
  (void)state;
  char text[1024], wanted[256];
  run_checked(run_too_few, memory, 0, 0);
  findings_print(text, sizeof text);
  const int line = marked_line("stops.cu", "meet");
  const int caller = marked_line("stops.cu", "meet-all");
  const int kernel = marked_line("stops.cu", "too-few");
  snprintf(wanted, sizeof wanted,
           "  line %d (called in %d, %d), warp 0: waits for named barrier 2: "
           "32 of 64 threads\n",
           line, caller, kernel);
  assert_non_null(strstr(text, wanted));
  json_t *all = simt_findings_json();
  json_t *calls = json_object_get(
      json_object_get(json_array_get(all, 0), "here"), "calls");
  json_t *expected = json_pack("[i, i]", caller, kernel);
  assert_true(json_equal(calls, expected));
  json_decref(expected);
  json_decref(all);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tables_fit_100_columns),
      cmocka_unit_test(json_agrees_with_the_table),
      cmocka_unit_test(findings_as_a_table),
      cmocka_unit_test(a_finding_names_the_calls),
      cmocka_unit_test(waiters_name_the_calls),
  };
  return cmocka_run_group_tests_name("simt tables", tests, prepare, release);
}
