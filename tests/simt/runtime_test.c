/* CUDA's runtime functions, and launches that must be refused. Plain kernels:
 * this program is not instrumented. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/simt/simt.h"
#include "tests/simt/kernels/kernels.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#define GOOD(call) assert_int_equal(call, cudaSuccess)
#define INVALID(call) assert_int_equal(call, cudaErrorInvalidValue)

static int *memory; /* 64 KiB, zeros */

static int prepare(void **state) {
  (void)state;
  simt_clear();
  return cudaDeviceReset() || cudaMalloc((void **)&memory, 1 << 16) ||
         cudaMemset(memory, 0, 1 << 16);
}

static int release(void **state) {
  (void)state;
  return cudaDeviceReset() || cudaFree(memory);
}

static void launches(void **state) {
  (void)state;
  assert_false(simt_is_instrumented());
  GOOD(run_launch(memory, 5, 1024));
  GOOD(run_launch(memory, 7, 33));
  assert_int_equal(*memory, 5 * 1024 + 7 * 33);
  static const int wrong[][2] = {{1, 1025}, {0, 32}, {1, 0}};
  for (int i = 0; i < 3; i++)
    assert_int_equal(run_launch(memory, wrong[i][0], wrong[i][1]),
                     cudaErrorInvalidConfiguration);
  GOOD(cudaGetLastError());
  assert_int_equal(*memory, 5 * 1024 + 7 * 33);
}

/* The kernel declares 1 KiB itself: 47 are left, or 226 when allowed. */
static void shared_memory_limits(void **state) {
  (void)state;
  GOOD(run_dynamic(memory, 47 * 1024, 0));
  assert_int_equal(*memory, 42);
  INVALID(run_dynamic(memory, 47 * 1024 + 1, 0));
  INVALID(allow_dynamic(226 * 1024 + 1));
  INVALID(cudaPeekAtLastError());
  INVALID(cudaGetLastError());
  GOOD(cudaGetLastError());
  GOOD(allow_dynamic(226 * 1024));
  *memory = 0;
  GOOD(run_dynamic(memory, 226 * 1024, 0));
  assert_int_equal(*memory, 42);
  INVALID(run_dynamic(memory, 226 * 1024 + 1, 0));
  INVALID(run_big_static(memory, 0, 0));
}

static void indices(void **state) {
  (void)state;
  GOOD(run_places(memory, 0, 0));
  for (int block = 0; block < 24; block++)
    for (int thread = 0; thread < 30; thread++)
      assert_int_equal(memory[30 * block + thread],
                       block % 2 + block / 2 % 3 * 10 + block / 6 * 100 +
                           thread % 5 * 1000 + thread / 5 % 2 * 10000 +
                           thread / 10 * 100000);
}

static void copies(void **state) {
  (void)state;
  unsigned char host[65], *device = NULL, *other = NULL;
  GOOD(cudaMalloc((void **)&device, 64));
  GOOD(cudaMalloc((void **)&other, 64));
  assert_int_equal((uintptr_t)device % 256, 0);
  assert_true((size_t)labs(other - device) >= 64 + 4096);
  for (int i = 0; i < 64; i++) assert_int_equal(device[i], 0xff);
  for (int i = 0; i < 64; i++) host[i] = (unsigned char)i;
  GOOD(cudaMemcpy(device, host, 64, cudaMemcpyHostToDevice));
  GOOD(cudaMemcpyAsync(other, device, 64, cudaMemcpyDeviceToDevice, 0));
  GOOD(cudaMemsetAsync(device, 7, 32, 0));
  memset(host, 0, 64);
  GOOD(cudaMemcpy(host, other, 64, cudaMemcpyDeviceToHost));
  assert_int_equal(host[63], 63);
  assert_int_equal(device[31], 7);
  assert_int_equal(device[32], 32);
  INVALID(cudaMemcpy(device, host, 65, cudaMemcpyHostToDevice));
  INVALID(cudaMemcpy(host, device, 65, cudaMemcpyDeviceToHost));
  INVALID(cudaMemcpy(host, host, 1, cudaMemcpyHostToDevice));
  INVALID(cudaMemset(device + 1, 0, 64));
  INVALID(cudaFree(device + 1));
  GOOD(cudaFree(device));
  INVALID(cudaFree(device));
  INVALID(cudaGetLastError());
  GOOD(cudaFree(other));
  GOOD(cudaFree(NULL));
}

static void more_memory_than_there_is(void **state) {
  (void)state;
  size_t free_bytes = 0, total = 0;
  GOOD(cudaMemGetInfo(&free_bytes, &total));
  assert_true(free_bytes > 0 && free_bytes < total);
  void *device = &total;
  assert_int_equal(cudaMalloc(&device, total + 1), cudaErrorMemoryAllocation);
  assert_null(device);
  assert_int_equal(cudaGetLastError(), cudaErrorMemoryAllocation);
  /* Managed memory is there where it is used. */
  char *wide = NULL, last = 1;
  GOOD(cudaMallocManaged((void **)&wide, total + 1, cudaMemAttachGlobal));
  GOOD(cudaMemset(wide + total, 7, 1));
  GOOD(cudaMemcpy(&last, wide + total, 1, cudaMemcpyDeviceToHost));
  assert_int_equal(last, 7);
  GOOD(cudaFree(wide));
}

static void the_device(void **state) {
  (void)state;
  int number = 7;
  GOOD(cudaGetDevice(&number));
  assert_int_equal(number, 0);
  assert_int_equal(cudaSetDevice(1), cudaErrorInvalidDevice);
  struct cudaPointerAttributes where;
  void *memory = NULL;
  GOOD(cudaMalloc(&memory, 1));
  GOOD(cudaPointerGetAttributes(&where, memory));
  assert_int_equal(where.type, cudaMemoryTypeDevice);
  GOOD(cudaFree(memory));
  GOOD(cudaPointerGetAttributes(&where, &number));
  assert_int_equal(where.type, cudaMemoryTypeUnregistered);
  for (int wanted = 2; wanted <= 132; wanted += 130) {
    simt_set_multiprocessors(wanted);
    assert_false(simt_multiprocessors_asked());
    GOOD(cudaDeviceGetAttribute(&number, cudaDevAttrMultiProcessorCount, 0));
    assert_int_equal(number, wanted);
    assert_true(simt_multiprocessors_asked());
  }
}

/* What would crash the program is an error of the kernel. */
static void crashes_are_errors(void **state) {
  (void)state;
  const simt_finding *f;
  for (int how = 0; how < 2; how++) {
    simt_clear();
    assert_int_equal(run_crash(memory, how, 0), cudaErrorIllegalAddress);
    assert_true(simt_findings(&f) >= 1);
    if (how == 0)
      assert_int_equal(f->kind, SIMT_OUTSIDE_GLOBAL);
    else
      assert_non_null(strstr(f->sentence, "local variables"));
    GOOD(cudaDeviceReset());
  }
  GOOD(run_crash(memory, 2, 0));
}

static void a_lost_device_stays_lost(void **state) {
  (void)state;
  const cudaError_t lost = cudaErrorIllegalAddress;
  run_crash(memory, 0, 0);
  assert_int_equal(cudaGetLastError(), lost);
  assert_int_equal(cudaGetLastError(), lost);
  assert_int_equal(cudaDeviceSynchronize(), lost);
  assert_int_equal(cudaMemset(memory, 0, 4), lost);
  assert_int_equal(run_launch(memory, 1, 32), lost);
  GOOD(cudaDeviceReset());
  GOOD(run_launch(memory, 1, 32));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, prepare, release)
  const struct CMUnitTest tests[] = {
      TEST(launches),
      TEST(shared_memory_limits),
      TEST(indices),
      TEST(copies),
      TEST(more_memory_than_there_is),
      TEST(the_device),
      TEST(crashes_are_errors),
      TEST(a_lost_device_stays_lost),
  };
  return cmocka_run_group_tests_name("simt runtime", tests, NULL, NULL);
}
