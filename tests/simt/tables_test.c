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

static void findings_as_a_table(void **state) {
  (void)state;
  run_checked(run_two_barriers, memory, 0, 0);
  FILE *out = tmpfile();
  simt_print_findings(out);
  rewind(out);
  char text[1024] = "", wanted[1024];
  assert_true(fread(text, 1, sizeof text - 1, out) > 0);
  fclose(out);
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tables_fit_100_columns),
      cmocka_unit_test(json_agrees_with_the_table),
      cmocka_unit_test(findings_as_a_table),
  };
  return cmocka_run_group_tests_name("simt tables", tests, prepare, release);
}
