/* Synchronisation beyond __syncthreads: what it computes, what it orders, and
 * what the executor says where it is used wrongly. */

#include "tests/simt/support.h"

#include <cuda_runtime_api.h>
#include <string.h>

static const char *const file = "sync.cu";
static void *memory;

static int prepare(void **state) {
  (void)state;
  cudaDeviceReset();
  memory = device_memory(1 << 16);
  return 0;
}

static int release(void **state) {
  (void)state;
  cudaDeviceReset();
  return cudaFree(memory) != cudaSuccess;
}

static void run_clean(kernel_run *run, int first) {
  assert_int_equal(run_checked(run, memory, first, 0), cudaSuccess);
  assert_finding_count(0);
}

static void mbarriers_order(void **state) {
  (void)state;
  const int *out = memory;
  run_clean(run_ring, 0);
  for (int i = 0; i < 8; i++)
    for (int lane = 0; lane < 32; lane++)
      assert_int_equal(out[32 * i + lane], 100 * i + 31 - lane);
  run_clean(run_new_phase, 0);
  for (int t = 0; t < 128; t++) assert_int_equal(out[t], 127 - t + 3);
}

static void mbarrier_bugs(void **state) {
  (void)state;
  run_checked(run_ring, memory, 1, 0);
  assert_finding(SIMT_RACE, file, "drain", "fill");
  run_checked(run_ring, memory, 2, 0);
  assert_finding(SIMT_RACE, file, "fill", "drain");
  run_checked(run_ring, memory, 3, 0);
  assert_finding(SIMT_RACE, file, "filled", "init");
  run_checked(run_ring, memory, 4, 0);
  assert_finding(SIMT_DEADLOCK, file, "refill", "wait");
  run_checked(run_ring, memory, 6, 0);
  assert_finding(SIMT_USAGE, file, "wait", "");
  run_checked(run_new_phase, memory, 1, 0);
  assert_finding(SIMT_RACE, file, "phase-write", "phase-read");
  run_clean(run_own_barrier, 0);
  run_checked(run_own_barrier, memory, 1, 0);
  assert_finding(SIMT_RACE, file, "own-wait", "own-init");
}

static void a_single_try_is_no_wait(void **state) {
  (void)state;
  const simt_finding *f;
  run_clean(run_one_try, 0);
  run_checked(run_one_try, memory, 1, 0);
  assert_finding(SIMT_TRIED_ONCE, file, "try", "");
  assert_finding(SIMT_RACE, file, "try-read", "try-write");
  assert_int_equal(simt_findings(&f), 2);
  assert_non_null(strstr(f->sentence, "may say false at any time"));
}

static void named_barriers_in_use(void **state) {
  (void)state;
  static const int clean[] = {0, 3, 4};
  for (int i = 0; i < 3; i++) run_clean(run_pairs, clean[i]);
  run_checked(run_pairs, memory, 1, 0);
  assert_finding(SIMT_BARRIER_REUSE, file, "pair", "pair");
  run_checked(run_pairs, memory, 2, 0);
  assert_finding(SIMT_BARRIER_REUSE, file, "all-pairs", "pair");
  run_checked(run_pairs, memory, 5, 0);
  assert_finding(SIMT_BARRIER_REUSE, file, "pair-arrive", "pair-arrive");
}

static void a_named_barrier_takes_whole_warps(void **state) {
  (void)state;
  run_clean(run_split_warps, 0);
  run_checked(run_split_warps, memory, 1, 0);
  assert_finding(SIMT_BARRIER_COUNT, file, "half-warps", "");
  run_checked(run_split_warps, memory, 2, 0);
  assert_finding(SIMT_BARRIER_LINES, file, "other-lanes", "one-lane");
}

static void global_memory_has_races_too(void **state) {
  (void)state;
  run_clean(run_global_exchange, 0);
  run_checked(run_global_exchange, memory, 1, 0);
  assert_finding(SIMT_RACE, file, "global-read", "global-write");
}

static void blocks_race(void **state) {
  (void)state;
  static const int clean[] = {0, 3, 4};
  for (unsigned threads = 1; threads <= 4; threads += 3) {
    simt_set_threads(threads);
    for (int i = 0; i < 3; i++) {
      assert_int_equal(cudaMemset(memory, 0, 4), cudaSuccess);
      run_clean(run_blocks_meet, clean[i]);
    }
    run_checked(run_blocks_meet, memory, 1, 0);
    assert_finding(SIMT_RACE, file, "plain-count", "plain-count");
    run_checked(run_blocks_meet, memory, 2, 0);
    assert_finding(SIMT_RACE, file, "plain-write", "plain-read");
    assert_finding_count(1);
    cudaMemset(memory, 0, 4);
    run_checked(run_blocks_meet, memory, 5, 0);
    assert_finding(SIMT_RACE, file, "give", "gather");
    assert_finding_count(1);
  }
  simt_set_threads(0);
}

static bool is_found(uint64_t order) {
  const simt_finding *f;
  simt_set_order(order);
  run_checked(run_first_come, memory, 1, 0);
  simt_set_order(SIMT_FORWARD);
  return simt_findings(&f) > 0;
}

static void other_orders_find_more(void **state) {
  (void)state;
  enum { SEEDS = 12 };
  int found = 0;
  assert_false(is_found(SIMT_FORWARD));
  assert_true(is_found(SIMT_BACKWARD));
  assert_finding(SIMT_RACE, file, "first-read", "first-write");
  for (uint64_t seed = 2; seed < 2 + SEEDS; seed++) {
    const bool once = is_found(seed);
    assert_int_equal(is_found(seed), once);
    found += once;
  }
  assert_in_range(found, 1, SEEDS - 1);
}

/* Each block runs once, in any order. */
static void every_block_has_its_turn(void **state) {
  (void)state;
  for (int blocks = 1; blocks <= 60; blocks++)
    for (uint64_t order = 0; order < 6; order++) {
      assert_int_equal(cudaMemset(memory, 0, 4 * 62), cudaSuccess);
      simt_set_order(order);
      assert_int_equal(run_checked(run_last_block, memory, blocks, 0),
                       cudaSuccess);
      simt_set_order(SIMT_FORWARD);
      const int *out = memory;
      assert_int_equal(out[0], blocks);
      assert_int_equal(out[1], blocks * (blocks - 1) / 2);
      assert_finding_count(0);
    }
}

static void copies_arrive(void **state) {
  (void)state;
  enum { WORDS = 4 * 160 };
  int *in = memory;
  const int *out = in + WORDS;
  for (int i = 0; i < WORDS; i++) in[i] = 3 * i;
  for (int waits = 0; waits <= 4; waits += 4) {
    run_clean(run_copy_ring, waits);
    for (int unit = 0; unit < 160; unit++)
      for (int k = 0; k < 4; k++)
        assert_int_equal(out[4 * unit + k], 3 * (4 * (unit ^ 31) + k));
  }
}

static void copies_without_a_wait(void **state) {
  (void)state;
  run_checked(run_copy_ring, memory, 1, 0);
  assert_finding(SIMT_READ_IN_FLIGHT, file, "ring-early", "ring-copy");
  run_checked(run_copy_ring, memory, 2, 0);
  assert_finding(SIMT_READ_IN_FLIGHT, file, "ring-use", "ring-copy");
  run_checked(run_copy_ring, memory, 3, 0);
  assert_finding(SIMT_NEVER_WAITED, file, "ring-rest", "");
}

static void mbarrier_deadlock(void **state) {
  (void)state;
  assert_int_equal(run_checked(run_ring, memory, 5, 0),
                   cudaErrorLaunchTimeout);
  assert_finding(SIMT_DEADLOCK, file, "refill", "wait");
  assert_finding_count(1);
}

static void reductions(void **state) {
  (void)state;
  run_clean(run_reductions, 0);
  for (int lane = 0; lane < 32; lane++) {
    /* x goes from -40 to 5 in the lower half, from 8 to 53 in the upper. */
    const int low = lane < 16;
    const int expected[9] = {
        low ? -280 : 488, low ? -40 : 8,         low ? 5 : 53,
        low ? -280 : 488, low ? 2 : 8,           low ? -1 : 53,
        low ? 0x1000 : 0x1010, low ? 0xffff : (int)0xffff0000,
        /* 16 lanes: 4, 3, 3, 3, 3 with lane % 5 = 0, 1, 2, 3, 4; the upper
         * half begins with 1. */
        low ? 0x1e : 0x1d};
    for (int i = 0; i < 9; i++)
      assert_int_equal(((const int *)memory)[9 * lane + i], expected[i]);
  }
}

static void every_atomic(void **state) {
  (void)state;
  uint32_t *word = memory;
  uint64_t *wide = (uint64_t *)memory + 8;
  memset(memory, 0, 256);
  word[1] = 50;
  word[5] = UINT32_MAX;
  run_clean(run_every_atomic, 0);
  float f;
  double d;
  memcpy(&f, &word[10], sizeof f);
  memcpy(&d, &wide[4], sizeof d);
  assert_int_equal(word[0], 4 * 63 * 32);
  assert_int_equal(word[1], 0);
  assert_int_equal(word[2], 63);
  assert_int_equal((int)word[3], -63);
  assert_int_equal((int)word[4], 53);
  assert_int_equal(word[5], 0);
  assert_int_equal(word[6], UINT32_MAX);
  assert_int_equal(word[7], 0);
  assert_int_equal(word[8], 70);
  assert_int_equal(word[9], 9);
  assert_true(f == 64);
  assert_true(wide[0] == (uint64_t)256 << 32);
  assert_true(wide[1] == (uint64_t)63 << 40);
  assert_true(wide[2] == (uint64_t)1 << 50);
  assert_true(wide[3] == (uint64_t)1 << 60);
  assert_true(d == 128);
}

/* More than a loop that gets nowhere may go round. */
static void many_atomics(void **state) {
  (void)state;
  run_clean(run_many_atomics, 30000);
  assert_int_equal(*(const int *)memory, 32 * 30000);
}

static void pair_atomics(void **state) {
  (void)state;
  memset(memory, 0, 16);
  run_clean(run_pair_atomics, 0);
  assert_int_equal(*(const int *)memory, 0);
  assert_float_equal(((const float *)memory)[2], 64, 0);
  assert_float_equal(((const float *)memory)[3], 16, 0);
}

static void locks(void **state) {
  (void)state;
  memset(memory, 0, 4);
  run_clean(run_lock, 0);
  assert_int_equal(*(const int *)memory, 8);
  assert_int_equal(run_checked(run_lock, memory, 1, 0),
                   cudaErrorLaunchTimeout);
  assert_finding(SIMT_LIVELOCK, file, "take", "");
}

/* Time goes on, and from run to run it is the same. */
static void stamps(void **state) {
  (void)state;
  enum { COUNT = 2 * 3 * 64 };
  int64_t first[COUNT];
  run_clean(run_stamps, 0);
  memcpy(first, memory, sizeof first);
  for (int i = 0; i < COUNT; i++) assert_true(first[i] > 0);
  simt_set_threads(1);
  run_clean(run_stamps, 0);
  simt_set_threads(0);
  assert_memory_equal(memory, first, sizeof first);
}

static void the_last_block_sees_all(void **state) {
  (void)state;
  memset(memory, 0, 8);
  run_clean(run_last_block, 300);
  assert_int_equal(((const int *)memory)[1], 300 * 299 / 2);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, prepare, release)
  const struct CMUnitTest tests[] = {
      TEST(mbarriers_order),
      TEST(mbarrier_bugs),
      TEST(a_single_try_is_no_wait),
      TEST(named_barriers_in_use),
      TEST(a_named_barrier_takes_whole_warps),
      TEST(global_memory_has_races_too),
      TEST(blocks_race),
      TEST(other_orders_find_more),
      TEST(every_block_has_its_turn),
      TEST(mbarrier_deadlock),
      TEST(copies_arrive),
      TEST(copies_without_a_wait),
      TEST(reductions),
      TEST(every_atomic),
      TEST(many_atomics),
      TEST(pair_atomics),
      TEST(locks),
      TEST(stamps),
      TEST(the_last_block_sees_all),
  };
  return cmocka_run_group_tests_name("simt sync", tests, NULL, NULL);
}
