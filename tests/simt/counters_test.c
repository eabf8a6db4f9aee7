/* Counters against answers worked out by hand. */

#include "tests/simt/support.h"

#include <cuda_runtime_api.h>
#include <string.h>

static const char *const file = "counting.cu";
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

static simt_counters count(kernel_run *run, int first, int second,
                           const char *mark) {
  assert_int_equal(run_checked(run, memory, first, second), cudaSuccess);
  assert_finding_count(0);
  return counters_at(file, mark);
}

static void assert_wavefronts(simt_counters c, uint64_t is, uint64_t ideal) {
  assert_int_equal(c.shared_loads + c.shared_stores, 1);
  assert_int_equal(c.shared_wavefronts, is);
  assert_int_equal(c.shared_wavefronts_ideal, ideal);
  assert_int_equal(c.bank_conflicts, is - ideal);
}

/* A stride of s words puts gcd(s, 32) lanes on each bank that is used. */
static void strides_of_words(void **state) {
  (void)state;
  static const int stride[] = {1, 2, 3, 4, 8, 12, 16, 32, 33};
  static const uint64_t degree[] = {1, 2, 1, 4, 8, 4, 16, 32, 1};
  for (int i = 0; i < 9; i++)
    assert_wavefronts(count(run_shared_stride, stride[i], 0, "shared-stride"),
                      degree[i], 1);
}

/* 16 bytes: 8 lanes at a time. Rows 36 words apart start on banks 0, 4, 8 ...;
 * rows 32 words apart all on bank 0; 8 words apart: two lanes on each bank. */
static void phases_of_16_bytes(void **state) {
  (void)state;
  assert_wavefronts(count(run_shared_vector, 4, 0, "vector"), 4, 4);
  assert_wavefronts(count(run_shared_vector, 32, 0, "vector"), 32, 4);
  assert_wavefronts(count(run_shared_vector, 36, 0, "vector"), 4, 4);
  assert_wavefronts(count(run_shared_vector, 8, 0, "vector"), 8, 4);
  assert_wavefronts(counters_at(file, "ten-lanes"), 2, 2);
}

/* 8 bytes: 16 lanes at a time. */
static void phases_of_8_bytes(void **state) {
  (void)state;
  assert_wavefronts(count(run_shared_pair, 2, 0, "pair"), 2, 2);
  assert_wavefronts(count(run_shared_pair, 32, 0, "pair"), 32, 2);
  assert_wavefronts(count(run_shared_pair, 34, 0, "pair"), 2, 2);
}

/* What Nsight Compute counts on an H200 for these addresses: wavefronts and
 * bank conflicts of a 16-byte load and of an 8-byte load. */
static int halves(int l) { return l / 16 * 36; }
static int quarters(int l) { return l / 8; }
static int odd_and_even(int l) { return l % 2; }
static int pairs(int l) { return l / 2; }
static int eights(int l) { return l % 8; }
static int fours(int l) { return l % 4; }
static int side_by_side(int l) { return l; }
static int all_on_one_bank(int l) { return l * 8; }
static int four_on_one_bank(int l) { return l / 8 * 8; }
static int pairs_on_one_bank(int l) { return l / 2 * 8; }
static int two_on_one_bank(int l) { return l % 2 * 8; }
static int eights_on_one_bank(int l) { return l % 8 * 8; }
static int half_in_pairs(int l) { return l < 8 ? l : l < 16 ? l - 8 : 0; }

static void wide_loads_as_an_h200_counts(void **state) {
  (void)state;
  static const struct {
    int (*place)(int lane);
    uint64_t wavefronts_16, conflicts_16, wavefronts_8, conflicts_8;
  } seen[] = {
      {halves, 2, 0, 1, 0},
      {quarters, 2, 0, 1, 0},
      {odd_and_even, 2, 0, 1, 0},
      {pairs, 2, 0, 1, 0},
      {eights, 4, 0, 2, 0},
      {fours, 4, 0, 2, 0},
      {side_by_side, 4, 0, 2, 0},
      {all_on_one_bank, 32, 28, 16, 14},
      {four_on_one_bank, 4, 2, 2, 1},
      {pairs_on_one_bank, 16, 14, 8, 7},
      {two_on_one_bank, 4, 2, 1, 0},
      {eights_on_one_bank, 32, 28, 8, 6},
      {half_in_pairs, 4, 0, 2, 0},
  };
  for (size_t i = 0; i < sizeof seen / sizeof *seen; i++) {
    int *places = memory;
    for (int lane = 0; lane < 32; lane++) places[lane] = seen[i].place(lane);
    const simt_counters wide = count(run_shared_places, 0, 0, "places-16");
    const simt_counters narrow = counters_at(file, "places-8");
    assert_int_equal(wide.shared_wavefronts, seen[i].wavefronts_16);
    assert_int_equal(wide.bank_conflicts, seen[i].conflicts_16);
    assert_int_equal(narrow.shared_wavefronts, seen[i].wavefronts_8);
    assert_int_equal(narrow.bank_conflicts, seen[i].conflicts_8);
  }
}

static void one_word_serves_all(void **state) {
  (void)state;
  assert_wavefronts(count(run_shared_broadcast, 0, 0, "broadcast"), 1, 1);
  assert_wavefronts(counters_at(file, "two-words"), 2, 1);
}

static void bytes_of_one_word_do_not_conflict(void **state) {
  (void)state;
  assert_wavefronts(count(run_shared_bytes, 0, 0, "bytes-load"), 1, 1);
  assert_wavefronts(counters_at(file, "bytes-store"), 1, 1);
}

static void sectors_of_strides(void **state) {
  (void)state;
  static const int stride[] = {1, 1, 2, 8, 64, 0};
  static const int start[] = {0, 1, 0, 0, 0, 0};
  static const uint64_t sectors[] = {4, 5, 8, 32, 32, 1};
  static const uint64_t ideal[] = {4, 4, 4, 4, 4, 1};
  for (int i = 0; i < 6; i++) {
    run_checked(run_global_stride, memory, stride[i], start[i]);
    assert_finding_count(stride[i] == 0); /* then all write to one word */
    const simt_counters c = counters_at(file, "global-stride");
    assert_int_equal(c.global_stores, 1);
    assert_int_equal(c.global_loads, 0);
    assert_int_equal(c.global_store_sectors, sectors[i]);
    assert_int_equal(c.global_sectors_ideal, ideal[i]);
  }
  const simt_counters c = count(run_global_vector, 0, 0, "global-vector");
  assert_int_equal(c.global_load_sectors, 16);
  assert_int_equal(c.global_store_sectors, 16);
}

static void lanes_meet_again_after_a_branch(void **state) {
  (void)state;
  const simt_counters c = count(run_divergent_loop, 9, 0, "divergent-load");
  assert_int_equal(c.global_loads, 9);
  assert_int_equal(c.global_load_sectors, 9 * 4);
  assert_int_equal(counters_at(file, "divergent-store").shared_stores, 9);
  assert_int_equal(counters_at(file, "divergent-end").global_stores, 1);
}

static void lanes_meet_again_after_a_loop(void **state) {
  (void)state;
  const simt_counters c = count(run_trip_counts, 0, 0, "trip-load");
  assert_int_equal(c.global_loads, 32);
  assert_int_equal(c.lane_accesses, 32 * 33 / 2);
  assert_int_equal(counters_at(file, "trip-store").global_stores, 1);
}

static void the_log_may_overflow(void **state) {
  (void)state;
  const simt_counters c = count(run_long_loop, 3000, 0, "long-load");
  assert_int_equal(c.global_loads, 3000);
  assert_int_equal(c.lane_accesses, 3000 * 32);
  assert_int_equal(counters_at(file, "long-once").global_loads, 1);
}

/* Lanes that fill with zeros read nothing. */
static void asynchronous_copies(void **state) {
  (void)state;
  static const int lanes[] = {32, 20, 0};
  for (int i = 0; i < 3; i++) {
    const simt_counters c = count(run_async_copy, lanes[i], 0, "async-copy");
    assert_int_equal(c.async_copies, 1);
    assert_int_equal(c.async_copy_bytes, 512);
    assert_int_equal(c.global_loads, lanes[i] > 0);
    assert_int_equal(c.global_load_sectors, lanes[i] / 2);
    assert_int_equal(c.shared_wavefronts, 4);
  }
}

/* 512 bytes a group. A wait leaves no more groups than there are. */
static void bytes_that_waits_leave(void **state) {
  (void)state;
  static const struct {
    int groups, left;
    const char *mark;
    uint64_t bytes;
  } cases[] = {{1, 1, "leaves-one", 512},
               {1, 2, "leaves-two", 512},
               {3, 1, "leaves-one", 512},
               {3, 2, "leaves-two", 1024}};
  for (int i = 0; i < 4; i++) {
    const simt_counters c = count(run_async_groups, cases[i].groups,
                                  cases[i].left, cases[i].mark);
    assert_int_equal(c.async_bytes_left, cases[i].bytes);
    simt_counters total;
    simt_total(&total);
    assert_int_equal(total.async_bytes_left, cases[i].bytes);
  }
}

/* Three blocks of two warps. */
static void collectives(void **state) {
  (void)state;
  assert_int_equal(count(run_collectives, 3, 0, "shuffle").shuffles, 6);
  assert_int_equal(counters_at(file, "ballot").shuffles, 6);
  assert_int_equal(counters_at(file, "warp-sync").warp_syncs, 6);
  assert_int_equal(counters_at(file, "barrier").barriers, 3);
  simt_counters total;
  simt_total(&total);
  assert_int_equal(total.barriers, 6);
  assert_int_equal(total.shuffles, 30);
  const int *out = memory;
  for (int block = 0; block < 3; block++)
    for (int i = 0; i < 64; i++) {
      const int expected = (i ^ 1) + 1 + 4000 + 10000 * (i / 8 * 8 + 3) +
                           1000000 * (i == 11) +
                           2000000 * (i == 27 || i == 31);
      assert_int_equal(out[64 * block + i], expected);
    }
}

static void atomics(void **state) {
  (void)state;
  assert_int_equal(cudaMemset(memory, 0, 64), cudaSuccess);
  const simt_counters c = count(run_atomics, 8, 0, "atomic-shared");
  assert_int_equal(c.atomics, 16);
  const int *out = memory;
  assert_int_equal(out[0], 8 * 63 * 32);
  assert_int_equal(out[1], 8 * 64 - 1);
  assert_int_equal(out[2], -63);
  assert_true(((const float *)memory)[3] == 256.0f);
  assert_int_equal(out[4], 7);
}

/* 64 lanes; lane t loops t times. A negation, a maximum and a conversion are
 * none, which is how a profiler counts as well. */
static void float_operations(void **state) {
  (void)state;
  if (!simt_counts_scalar_flops()) skip();
  assert_int_equal(count(run_flops, 0, 0, "two-flops").scalar_flops, 128);
  assert_int_equal(counters_at(file, "two-more").scalar_flops, 128);
  assert_int_equal(counters_at(file, "three-flops").scalar_flops, 192);
  assert_int_equal(counters_at(file, "fused").scalar_flops, 128);
  assert_int_equal(counters_at(file, "doubles").scalar_flops, 128);
  assert_int_equal(counters_at(file, "lane-flops").scalar_flops, 64 * 63 / 2);
  assert_int_equal(counters_at(file, "one-flop").scalar_flops, 64);
  simt_counters total;
  simt_total(&total);
  assert_int_equal(total.scalar_flops, 12 * 64 + 64 * 63 / 2);
  assert_int_equal(total.tensor_flops, 0);
}

/* The order of blocks on OS threads must not show. */
static void any_number_of_os_threads(void **state) {
  (void)state;
  simt_counters one, three;
  simt_set_threads(1);
  count(run_collectives, 17, 0, "shuffle");
  simt_total(&one);
  simt_set_threads(3);
  count(run_collectives, 17, 0, "shuffle");
  simt_total(&three);
  simt_set_threads(0);
  assert_memory_equal(&one, &three, sizeof one);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(strides_of_words),
      cmocka_unit_test(phases_of_16_bytes),
      cmocka_unit_test(phases_of_8_bytes),
      cmocka_unit_test(wide_loads_as_an_h200_counts),
      cmocka_unit_test(one_word_serves_all),
      cmocka_unit_test(bytes_of_one_word_do_not_conflict),
      cmocka_unit_test(sectors_of_strides),
      cmocka_unit_test(lanes_meet_again_after_a_branch),
      cmocka_unit_test(lanes_meet_again_after_a_loop),
      cmocka_unit_test(the_log_may_overflow),
      cmocka_unit_test(asynchronous_copies),
      cmocka_unit_test(bytes_that_waits_leave),
      cmocka_unit_test(collectives),
      cmocka_unit_test(atomics),
      cmocka_unit_test(float_operations),
      cmocka_unit_test(any_number_of_os_threads),
  };
  return cmocka_run_group_tests_name("simt counters", tests, prepare, release);
}
