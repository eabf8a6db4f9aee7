/* Planted bugs: each kernel is clean without its bug, and with it the executor
 * names both lines. */

#include "tests/simt/support.h"

#include <cuda_runtime_api.h>

static const char *const file = "races.cu";
static void *memory;

static int prepare(void **state) {
  (void)state;
  memory = device_memory(1 << 20);
  return 0;
}

static int release(void **state) {
  (void)state;
  return cudaFree(memory) != cudaSuccess;
}

static void run(kernel_run *kernel, int bug, int second) {
  assert_int_equal(run_checked(kernel, memory, bug, second), cudaSuccess);
}

static void assert_clean(kernel_run *kernel, int bug, int second) {
  run(kernel, bug, second);
  assert_finding_count(0);
}

static void assert_race(const char *here, const char *there) {
  assert_finding(SIMT_RACE, file, here, there);
}

static void missing_syncthreads(void **state) {
  (void)state;
  assert_clean(run_block_exchange, 0, 0);
  run(run_block_exchange, 1, 0);
  assert_race("exchange-read", "exchange-write");
  assert_race("exchange-write", "exchange-read");
  assert_finding_count(2);
}

static void missing_syncwarp(void **state) {
  (void)state;
  assert_clean(run_warp_exchange, 0, 0);
  run(run_warp_exchange, 1, 0);
  assert_race("warp-read", "warp-write");
  assert_finding_count(1);
}

static void volatile_orders_nothing(void **state) {
  (void)state;
  assert_clean(run_volatile_exchange, 0, 0);
  for (int bug = 1; bug < 3; bug++) {
    run(run_volatile_exchange, bug, 0);
    assert_race("volatile-read", "volatile-write");
  }
}

static void half_a_warp_meets(void **state) {
  (void)state;
  assert_clean(run_half_warps, 0, 0);
  run(run_half_warps, 1, 0);
  assert_race("half-read", "half-write");
  assert_finding_count(1);
}

static void tile_reused_too_early(void **state) {
  (void)state;
  assert_clean(run_reuse, 0, 0);
  run(run_reuse, 1, 0);
  assert_race("reuse-write", "reuse-read");
}

static void two_writers(void **state) {
  (void)state;
  assert_clean(run_two_writers, 0, 0);
  run(run_two_writers, 1, 0);
  assert_race("writer-one", "writer-two");
}

static void lanes_write_one_address(void **state) {
  (void)state;
  assert_clean(run_one_address, 0, 0);
  run(run_one_address, 1, 0);
  assert_race("one-address", "one-address");
}

static void bytes_are_told_apart(void **state) {
  (void)state;
  assert_clean(run_bytes, 0, 0);
  run(run_bytes, 1, 0);
  assert_race("bytes-write", "bytes-read");
  run(run_bytes, 2, 0);
  assert_race("word-read", "bytes-write");
}

static void halves_and_words_mix(void **state) {
  (void)state;
  assert_clean(run_halves, 0, 0);
  run(run_halves, 1, 0);
  assert_race("words", "halves-read");
}

static void atomics_race_with_plain_reads_only(void **state) {
  (void)state;
  assert_clean(run_counter, 0, 0);
  run(run_counter, 1, 0);
  assert_race("count-read", "count");
  run(run_counter, 2, 0);
  assert_race("count", "count-early");
}

static void named_barriers_order(void **state) {
  (void)state;
  assert_clean(run_producer, 0, 0);
  run(run_producer, 1, 0);
  assert_race("consume", "produce");
  run(run_producer, 2, 0);
  assert_race("produce", "consume");
}

static void every_reader_is_remembered(void **state) {
  (void)state;
  for (int bytes = 1; bytes <= 4; bytes += 3) {
    assert_clean(run_reads_by_all, 0, bytes);
    for (int warp = 1; warp < 4; warp++) {
      run(run_reads_by_all, warp, bytes);
      assert_race(bytes == 4 ? "word-write" : "byte-write", "all-read");
    }
  }
}

static void lanes_of_one_warp_are_told_apart(void **state) {
  (void)state;
  assert_clean(run_two_readers, 0, 0);
  run(run_two_readers, 1, 0);
  assert_race("upper-write", "lower-read");
}

static void a_named_barrier_forgets(void **state) {
  (void)state;
  run(run_two_pairs, 0, 0);
  assert_finding(SIMT_BARRIER_REUSE, file, "shared", "shared");
  assert_finding_count(1);
  run(run_two_pairs, 1, 0);
  assert_race("pair-read", "pair-write");
}

static void right_pipelines_are_clean(void **state) {
  (void)state;
  for (int tiles = 1; tiles < 6; tiles++)
    assert_clean(run_pipeline, 0, tiles);
}

static void wait_for_one_group_too_few(void **state) {
  (void)state;
  run(run_pipeline, 1, 4);
  assert_finding(SIMT_READ_IN_FLIGHT, file, "use", "first-copy");
}

static void last_wait_missing(void **state) {
  (void)state;
  run(run_pipeline, 2, 4);
  assert_finding(SIMT_READ_IN_FLIGHT, file, "use", "next-copy");
  run(run_pipeline, 2, 1);
  assert_finding(SIMT_READ_IN_FLIGHT, file, "use", "first-copy");
}

static void buffer_copied_over_too_early(void **state) {
  (void)state;
  run(run_pipeline, 3, 4);
  assert_race("next-copy", "use");
}

static void barrier_after_the_wait_missing(void **state) {
  (void)state;
  run(run_pipeline, 4, 4);
  assert_race("use", "next-copy");
}

static void destination_read_before_the_wait(void **state) {
  (void)state;
  run(run_pipeline, 5, 2);
  assert_finding(SIMT_READ_IN_FLIGHT, file, "early-read", "first-copy");
  assert_finding_count(1);
}

static void copy_never_waited_for(void **state) {
  (void)state;
  run(run_pipeline, 6, 2);
  assert_finding(SIMT_NEVER_WAITED, file, "next-copy", "");
  assert_finding_count(1);
}

static void destination_written_before_the_wait(void **state) {
  (void)state;
  run(run_pipeline, 7, 2);
  assert_finding(SIMT_WRITE_IN_FLIGHT, file, "scribble", "first-copy");
}

static void blocks_leave_nothing_behind(void **state) {
  (void)state;
  assert_clean(run_sequence, 0, 0);
  run(run_sequence, 1, 0);
  assert_finding(SIMT_UNINITIALISED, file, "left-over", "");
  assert_finding_count(1);
  const simt_finding *f;
  simt_findings(&f);
  assert_int_equal(f->block[0], 1); /* the first of four, always */
  assert_int_equal(f->count, 4 * 64);
}

static void a_finding_tells_the_whole_story(void **state) {
  (void)state;
  run(run_warp_exchange, 1, 0);
  const simt_finding *f;
  assert_int_equal(simt_findings(&f), 1);
  assert_string_equal(f->name, "race");
  assert_int_equal(f->thread, 0);
  assert_int_equal(f->other_thread, 31);
  assert_string_equal(f->where, "tile + 124");
  assert_int_equal(f->count, 64);
  assert_string_equal(f->sentence, "a read after a write, with no barrier "
                                   "between the two threads");
  json_t *list = simt_findings_json();
  const json_t *there = json_object_get(json_array_get(list, 0), "there");
  assert_int_equal(json_integer_value(json_object_get(there, "line")),
                   marked_line(file, "warp-write"));
  json_decref(list);
}

static void nothing_is_checked_unless_asked(void **state) {
  (void)state;
  cudaDeviceReset();
  simt_clear();
  simt_set_checks(SIMT_COUNTS);
  assert_int_equal(run_warp_exchange(memory, 1, 0), cudaSuccess);
  assert_finding_count(0);
  simt_set_checks(SIMT_RACES);
  assert_int_equal(run_warp_exchange(memory, 0, 0), cudaSuccess);
  simt_counters total;
  simt_clear();
  assert_int_equal(run_warp_exchange(memory, 1, 0), cudaSuccess);
  simt_total(&total);
  assert_int_equal(total.shared_loads, 0);
  assert_finding_count(1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(missing_syncthreads),
      cmocka_unit_test(missing_syncwarp),
      cmocka_unit_test(volatile_orders_nothing),
      cmocka_unit_test(half_a_warp_meets),
      cmocka_unit_test(tile_reused_too_early),
      cmocka_unit_test(two_writers),
      cmocka_unit_test(lanes_write_one_address),
      cmocka_unit_test(bytes_are_told_apart),
      cmocka_unit_test(halves_and_words_mix),
      cmocka_unit_test(atomics_race_with_plain_reads_only),
      cmocka_unit_test(named_barriers_order),
      cmocka_unit_test(every_reader_is_remembered),
      cmocka_unit_test(lanes_of_one_warp_are_told_apart),
      cmocka_unit_test(a_named_barrier_forgets),
      cmocka_unit_test(right_pipelines_are_clean),
      cmocka_unit_test(wait_for_one_group_too_few),
      cmocka_unit_test(last_wait_missing),
      cmocka_unit_test(buffer_copied_over_too_early),
      cmocka_unit_test(barrier_after_the_wait_missing),
      cmocka_unit_test(destination_read_before_the_wait),
      cmocka_unit_test(copy_never_waited_for),
      cmocka_unit_test(destination_written_before_the_wait),
      cmocka_unit_test(blocks_leave_nothing_behind),
      cmocka_unit_test(a_finding_tells_the_whole_story),
      cmocka_unit_test(nothing_is_checked_unless_asked),
  };
  return cmocka_run_group_tests_name("simt races", tests, prepare, release);
}
