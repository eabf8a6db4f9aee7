/* Kernels that hang, diverge or leave their memory: they end, with the right
 * error, and the executor names the line. */

#include "common/simt/include/simt_abi.h"
#include "common/simt/run/block.h"
#include "tests/simt/support.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <string.h>

static const char *const file = "stops.cu";
enum { WORDS = 100 };
static void *memory;

static int prepare(void **state) {
  (void)state;
  cudaDeviceReset();
  memory = device_memory(WORDS * sizeof(int));
  return 0;
}

static int release(void **state) {
  (void)state;
  cudaDeviceReset();
  return cudaFree(memory) != cudaSuccess;
}

static void deadlock(void **state) {
  (void)state;
  assert_int_equal(run_checked(run_two_barriers, memory, 0, 0),
                   cudaErrorLaunchTimeout);
  assert_finding(SIMT_DEADLOCK, file, "wait-for-all", "wait-for-some");
  assert_finding_count(1);
}

static void divergence(void **state) {
  (void)state;
  static const int limits[] = {32, 40};
  for (int i = 0; i < 2; i++) {
    assert_int_equal(run_checked(run_two_lines, memory, limits[i], 0),
                     cudaSuccess);
    assert_finding(SIMT_BARRIER_LINES, file, "line-two", "line-one");
    assert_finding_count(1);
  }
  run_checked(run_two_lines, memory, 64, 0);
  assert_finding_count(0);
}

static void exit_while_others_wait(void **state) {
  (void)state;
  for (int when = 1; when <= 3; when++) {
    assert_int_equal(run_checked(run_early_return, memory, when, 0),
                     cudaSuccess);
    assert_finding(SIMT_BARRIER_EXIT, file, "few-meet", "");
    assert_finding_count(1);
  }
  run_checked(run_early_return, memory, 0, 0);
  assert_finding_count(0);
}

static void inside_is_fine(void **state) {
  (void)state;
  assert_int_equal(run_checked(run_out_of_bounds, memory, 0, WORDS),
                   cudaSuccess);
  assert_finding_count(0);
}

static void outside_global(void **state) {
  (void)state;
  static const char *const marks[] = {"", "read-past", "write-past",
                                      "write-before"};
  for (int where = 1; where <= 3; where++) {
    assert_int_equal(run_checked(run_out_of_bounds, memory, where, WORDS),
                     cudaErrorIllegalAddress);
    assert_finding(SIMT_OUTSIDE_GLOBAL, file, marks[where], "");
    assert_finding_count(1);
  }
}

static void outside_shared(void **state) {
  (void)state;
  static const char *const marks[] = {"dynamic-past", "dynamic-before"};
  for (int i = 0; i < 2; i++) {
    assert_int_equal(run_checked(run_out_of_bounds, memory, 4 + i, WORDS),
                     cudaErrorIllegalAddress);
    assert_finding(SIMT_OUTSIDE_SHARED, file, marks[i], "");
    assert_finding_count(1);
  }
}

/* It lies among the kernels' variables. */
static void the_executors_own(void **state) {
  (void)state;
  const int index =
      (int)((int *)&simt_here - (int *)simt_dynamic_shared());
  assert_int_equal(run_checked(run_out_of_bounds, memory, 7, index),
                   cudaErrorIllegalAddress);
  assert_finding(SIMT_OUTSIDE_SHARED, file, "dynamic-index", "");
  assert_finding_count(1);
}

static void no_memory_is_named_that_there_is_not(void **state) {
  (void)state;
  const simt_finding *f;
  run_checked(run_no_dynamic, memory, 0, 0);
  assert_finding(SIMT_OUTSIDE_SHARED, file, "no-dynamic", "");
  assert_int_equal(simt_findings(&f), 1);
  assert_string_equal(f->where, "shared memory, in no variable");
}

static void freed_memory(void **state) {
  (void)state;
  cudaDeviceReset();
  void *freed = device_memory(WORDS * sizeof(int));
  assert_int_equal(cudaFree(freed), cudaSuccess);
  assert_int_equal(run_checked(run_out_of_bounds, freed, 6, WORDS),
                   cudaErrorIllegalAddress);
  assert_finding(SIMT_OUTSIDE_GLOBAL, file, "freed", "");
}

static void host_memory(void **state) {
  (void)state;
  int *host = test_malloc(64);
  assert_int_equal(run_checked(run_host_pointer, host, 0, 0),
                   cudaErrorIllegalAddress);
  assert_finding(SIMT_OUTSIDE_GLOBAL, file, "host-pointer", "");
  test_free(host);
}

static void misaligned(void **state) {
  (void)state;
  assert_int_equal(run_checked(run_misaligned, memory, 4, 0), cudaSuccess);
  assert_finding_count(0);
  assert_int_equal(run_checked(run_misaligned, memory, 2, 0),
                   cudaErrorMisalignedAddress);
  assert_finding(SIMT_MISALIGNED, file, "misaligned", "");
  assert_finding_count(1);
}

/* Half of the word lies in the allocation. */
static void across_the_end(void **state) {
  (void)state;
  cudaDeviceReset();
  void *six = device_memory(6);
  assert_int_equal(run_checked(run_misaligned, six, 0, 0), cudaSuccess);
  assert_int_equal(run_checked(run_misaligned, six, 4, 0),
                   cudaErrorIllegalAddress);
  assert_finding(SIMT_OUTSIDE_GLOBAL, file, "misaligned", "");
  cudaDeviceReset();
  assert_int_equal(cudaFree(six), cudaSuccess);
}

static void uninitialised(void **state) {
  (void)state;
  run_checked(run_unwritten, memory, 64, 0);
  assert_finding_count(0);
  run_checked(run_unwritten, memory, 63, 0);
  assert_finding(SIMT_UNINITIALISED, file, "unwritten", "");
  assert_finding_count(1);
  assert_int_equal(((const int *)memory)[63], -1);
  run_checked(run_out_of_bounds, memory, 0, WORDS); /* fills it */
  run_checked(run_unwritten_dynamic, memory, 0, 0);
  assert_finding(SIMT_UNINITIALISED, file, "unwritten-dynamic", "");
  assert_int_equal(((const int *)memory)[31], -1);
}

static void warp_masks(void **state) {
  (void)state;
  run_checked(run_mask, memory, 0, 0);
  assert_finding_count(0);
  assert_int_equal(run_checked(run_mask, memory, 1, 0),
                   cudaErrorIllegalInstruction);
  assert_finding(SIMT_WARP_MASK, file, "not-in-mask", "");
  assert_int_equal(run_checked(run_mask, memory, 2, 0),
                   cudaErrorLaunchFailure);
  assert_finding(SIMT_WARP_MASK, file, "mask-all", "mask-half");
  assert_int_equal(run_checked(run_mask, memory, 3, 0),
                   cudaErrorLaunchFailure);
  assert_finding(SIMT_WARP_OPERATION, file, "sync", "not-sync");
  run_checked(run_mask, memory, 4, 0);
  assert_finding(SIMT_SHUFFLE_SOURCE, file, "source", "");
}

static void livelock(void **state) {
  (void)state;
  assert_int_equal(run_checked(run_spin, memory, 0, 0), cudaSuccess);
  assert_finding(SIMT_RACE, file, "set", "spin");
  assert_finding_count(1);
  assert_int_equal(run_checked(run_spin, memory, 1, 0),
                   cudaErrorLaunchTimeout);
  assert_finding(SIMT_LIVELOCK, file, "spin", "");
}

static void named_barriers(void **state) {
  (void)state;
  run_checked(run_named_barriers, memory, 0, 0);
  assert_finding_count(0);
  run_checked(run_named_barriers, memory, 1, 0);
  assert_finding(SIMT_BARRIER_COUNT, file, "count-32", "count-64");
  assert_int_equal(run_checked(run_named_barriers, memory, 2, 0),
                   cudaErrorIllegalInstruction);
  assert_finding(SIMT_USAGE, file, "count-33", "");
  assert_int_equal(run_checked(run_named_barriers, memory, 3, 0),
                   cudaErrorIllegalInstruction);
  assert_finding(SIMT_USAGE, file, "number-16", "");
}

static void what_the_hardware_refuses(void **state) {
  (void)state;
  run_checked(run_wrong_use, memory, 0, 0);
  assert_finding_count(0);
  for (int bug = 1; bug <= 9; bug++) {
    char mark[8];
    snprintf(mark, sizeof mark, "use-%d", bug);
    const cudaError_t error = run_checked(run_wrong_use, memory, bug, 0);
    assert_true(bug == 8 || error != cudaSuccess);
    assert_finding(SIMT_USAGE, file, mark, "");
    assert_finding_count(1);
  }
}

/* The sentence says in what they wait. */
static void lanes_apart(void **state) {
  (void)state;
  static const char *const names[] = {"a vote", "a reduction", "__syncwarp()",
                                      "a shuffle", "a matrix product"};
  for (int where = 0; where < 5; where++) {
    char mark[16];
    const simt_finding *f;
    snprintf(mark, sizeof mark, "apart-%d", where);
    assert_int_equal(run_checked(run_wait_apart, memory, where, 0),
                     cudaErrorLaunchTimeout);
    assert_finding(SIMT_DEADLOCK, file, mark, "others");
    assert_int_equal(simt_findings(&f), 1);
    assert_non_null(strstr(f->sentence, names[where]));
  }
}

static void never_ends(void **state) {
  (void)state;
  simt_set_patience(0.3);
  assert_int_equal(run_checked(run_for_ever, memory, 0, 0),
                   cudaErrorLaunchTimeout);
  simt_set_patience(60);
  assert_finding(SIMT_LIVELOCK, file, "for-ever", "");
}

static void lanes_may_return(void **state) {
  (void)state;
  assert_int_equal(run_checked(run_lanes_return, memory, 0, 0), cudaSuccess);
  assert_finding_count(0);
  for (int lane = 0; lane < 20; lane++)
    assert_int_equal(((const int *)memory)[lane], lane ^ 1);
}

static void a_lost_device_stays_lost(void **state) {
  (void)state;
  run_checked(run_misaligned, memory, 2, 0);
  assert_int_equal(cudaGetLastError(), cudaErrorMisalignedAddress);
  assert_int_equal(cudaGetLastError(), cudaErrorMisalignedAddress);
  assert_int_equal(cudaDeviceSynchronize(), cudaErrorMisalignedAddress);
  assert_int_equal(cudaMemset(memory, 0, 4), cudaErrorMisalignedAddress);
  assert_int_equal(run_misaligned(memory, 4, 0), cudaErrorMisalignedAddress);
  assert_int_equal(cudaDeviceReset(), cudaSuccess);
  assert_int_equal(run_misaligned(memory, 4, 0), cudaSuccess);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, prepare, release)
  const struct CMUnitTest tests[] = {
      TEST(deadlock),
      TEST(divergence),
      TEST(exit_while_others_wait),
      TEST(inside_is_fine),
      TEST(outside_global),
      TEST(outside_shared),
      TEST(the_executors_own),
      TEST(no_memory_is_named_that_there_is_not),
      TEST(freed_memory),
      TEST(host_memory),
      TEST(misaligned),
      TEST(across_the_end),
      TEST(uninitialised),
      TEST(warp_masks),
      TEST(livelock),
      TEST(named_barriers),
      TEST(what_the_hardware_refuses),
      TEST(lanes_apart),
      TEST(never_ends),
      TEST(lanes_may_return),
      TEST(a_lost_device_stays_lost),
  };
  return cmocka_run_group_tests_name("simt stops", tests, NULL, NULL);
}
