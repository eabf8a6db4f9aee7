/* CUDA's runtime functions, and launches that must be refused. Plain kernels:
 * this program is not instrumented. */

#include "tests/simt/support.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void launches(void **state) {
  (void)state;
  int *total = device_memory(sizeof *total);
  assert_false(simt_is_instrumented());
  assert_int_equal(run_launch(total, 5, 1024), cudaSuccess);
  assert_int_equal(run_launch(total, 7, 33), cudaSuccess);
  assert_int_equal(*total, 5 * 1024 + 7 * 33);
  assert_int_equal(cudaFree(total), cudaSuccess);
}

static void refused_launches(void **state) {
  (void)state;
  int *total = device_memory(sizeof *total);
  assert_int_equal(run_launch(total, 1, 1025), cudaErrorInvalidConfiguration);
  assert_int_equal(run_launch(total, 0, 32), cudaErrorInvalidConfiguration);
  assert_int_equal(run_launch(total, 1, 0), cudaErrorInvalidConfiguration);
  assert_int_equal(cudaGetLastError(), cudaSuccess);
  assert_int_equal(*total, 0);
  assert_int_equal(run_launch(total, 1, 32), cudaSuccess);
  assert_int_equal(cudaFree(total), cudaSuccess);
}

/* The kernel declares 1 KiB itself: 47 are left, or 226 when allowed. */
static void shared_memory_limits(void **state) {
  (void)state;
  int *out = device_memory(sizeof *out);
  assert_int_equal(run_dynamic(out, 47 * 1024, 0), cudaSuccess);
  assert_int_equal(*out, 42);
  assert_int_equal(run_dynamic(out, 47 * 1024 + 1, 0), cudaErrorInvalidValue);
  assert_int_equal(allow_dynamic(226 * 1024 + 1), cudaErrorInvalidValue);
  assert_int_equal(cudaPeekAtLastError(), cudaErrorInvalidValue);
  assert_int_equal(cudaGetLastError(), cudaErrorInvalidValue);
  assert_int_equal(cudaGetLastError(), cudaSuccess);
  assert_int_equal(allow_dynamic(226 * 1024), cudaSuccess);
  *out = 0;
  assert_int_equal(run_dynamic(out, 226 * 1024, 0), cudaSuccess);
  assert_int_equal(*out, 42);
  assert_int_equal(run_dynamic(out, 226 * 1024 + 1, 0), cudaErrorInvalidValue);
  assert_int_equal(cudaFree(out), cudaSuccess);
}

static void static_shared_memory_limit(void **state) {
  (void)state;
  int *out = device_memory(sizeof *out);
  assert_int_equal(run_big_static(out, 0, 0), cudaErrorInvalidValue);
  assert_int_equal(cudaFree(out), cudaSuccess);
}

static void indices(void **state) {
  (void)state;
  int *out = device_memory(24 * 30 * sizeof *out);
  assert_int_equal(run_places(out, 0, 0), cudaSuccess);
  for (int block = 0; block < 24; block++)
    for (int thread = 0; thread < 30; thread++)
      assert_int_equal(out[30 * block + thread],
                       block % 2 + block / 2 % 3 * 10 + block / 6 * 100 +
                           thread % 5 * 1000 + thread / 5 % 2 * 10000 +
                           thread / 10 * 100000);
  assert_int_equal(cudaFree(out), cudaSuccess);
}

static void memory(void **state) {
  (void)state;
  unsigned char host[64], *device = NULL, *other = NULL;
  assert_int_equal(cudaMalloc((void **)&device, 64), cudaSuccess);
  assert_int_equal(cudaMalloc((void **)&other, 64), cudaSuccess);
  assert_int_equal((uintptr_t)device % 256, 0);
  assert_true((size_t)labs(other - device) >= 64 + 4096);
  for (int i = 0; i < 64; i++) assert_int_equal(device[i], 0xff);
  for (int i = 0; i < 64; i++) host[i] = (unsigned char)i;
  assert_int_equal(cudaMemcpy(device, host, 64, cudaMemcpyHostToDevice),
                   cudaSuccess);
  assert_int_equal(cudaMemcpyAsync(other, device, 64, cudaMemcpyDeviceToDevice,
                                   0), cudaSuccess);
  assert_int_equal(cudaMemsetAsync(device, 7, 32, 0), cudaSuccess);
  memset(host, 0, 64);
  assert_int_equal(cudaMemcpy(host, other, 64, cudaMemcpyDeviceToHost),
                   cudaSuccess);
  assert_int_equal(host[63], 63);
  assert_int_equal(device[31], 7);
  assert_int_equal(device[32], 32);
  assert_int_equal(cudaFree(device), cudaSuccess);
  assert_int_equal(cudaFree(other), cudaSuccess);
  assert_int_equal(cudaFree(NULL), cudaSuccess);
}

static void wrong_memory(void **state) {
  (void)state;
  char host[65];
  void *device = device_memory(64);
  assert_int_equal(cudaMemcpy(device, host, 65, cudaMemcpyHostToDevice),
                   cudaErrorInvalidValue);
  assert_int_equal(cudaMemcpy(host, device, 65, cudaMemcpyDeviceToHost),
                   cudaErrorInvalidValue);
  assert_int_equal(cudaMemcpy(host, host, 1, cudaMemcpyHostToDevice),
                   cudaErrorInvalidValue);
  assert_int_equal(cudaMemset((char *)device + 1, 0, 64),
                   cudaErrorInvalidValue);
  assert_int_equal(cudaFree((char *)device + 1), cudaErrorInvalidValue);
  assert_int_equal(cudaFree(device), cudaSuccess);
  assert_int_equal(cudaFree(device), cudaErrorInvalidValue);
  assert_int_equal(cudaGetLastError(), cudaErrorInvalidValue);
}

static void more_memory_than_there_is(void **state) {
  (void)state;
  size_t free_bytes = 0, total = 0;
  assert_int_equal(cudaMemGetInfo(&free_bytes, &total), cudaSuccess);
  assert_true(free_bytes > 0 && free_bytes < total);
  void *device = &total;
  assert_int_equal(cudaMalloc(&device, total + 1), cudaErrorMemoryAllocation);
  assert_null(device);
  assert_int_equal(cudaGetLastError(), cudaErrorMemoryAllocation);
}

static void many_allocations(void **state) {
  (void)state;
  enum { COUNT = 500 };
  char *all[COUNT];
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < COUNT; i++) {
      all[i] = device_memory((size_t)(1 + i * 37));
      memset(all[i], i, (size_t)(1 + i * 37));
    }
    for (int i = 0; i < COUNT; i++)
      for (int k = 0; k < 1 + i * 37; k++)
        if (all[i][k] != (char)i) fail_msg("allocations overlap");
    for (int i = round; i < COUNT + round; i++)
      assert_int_equal(cudaFree(all[i * 7 % COUNT]), cudaSuccess);
  }
}

static void names_of_errors(void **state) {
  (void)state;
  assert_string_equal(cudaGetErrorName(cudaErrorInvalidValue),
                      "cudaErrorInvalidValue");
  assert_string_equal(cudaGetErrorString(cudaErrorMemoryAllocation),
                      "out of memory");
  assert_string_equal(cudaGetErrorString(cudaSuccess), "no error");
}

static void devices_and_streams(void **state) {
  (void)state;
  int count = 0, device = 7;
  cudaStream_t stream = NULL;
  assert_int_equal(cudaGetDeviceCount(&count), cudaSuccess);
  assert_int_equal(cudaGetDevice(&device), cudaSuccess);
  assert_int_equal(count, 1);
  assert_int_equal(device, 0);
  assert_int_equal(cudaSetDevice(1), cudaErrorInvalidDevice);
  assert_int_equal(cudaGetLastError(), cudaErrorInvalidDevice);
  assert_int_equal(cudaStreamCreate(&stream), cudaSuccess);
  assert_non_null(stream);
  assert_int_equal(cudaStreamSynchronize(stream), cudaSuccess);
  assert_int_equal(cudaStreamDestroy(stream), cudaSuccess);
}

static int multiprocessors(void) {
  int number = 0;
  assert_int_equal(cudaDeviceGetAttribute(
                       &number, cudaDevAttrMultiProcessorCount, 0),
                   cudaSuccess);
  return number;
}

static void multiprocessors_as_set(void **state) {
  (void)state;
  assert_false(simt_multiprocessors_asked());
  assert_int_equal(multiprocessors(), 2);
  assert_true(simt_multiprocessors_asked());
  simt_set_multiprocessors(132);
  assert_false(simt_multiprocessors_asked());
  assert_int_equal(multiprocessors(), 132);
  assert_true(simt_multiprocessors_asked());
  simt_set_multiprocessors(2);
}

static void kernels_can_print(void **state) {
  (void)state;
  FILE *out = tmpfile();
  fflush(stdout);
  const int saved = dup(STDOUT_FILENO);
  dup2(fileno(out), STDOUT_FILENO);
  const cudaError_t error = run_print(NULL, 1, 0);
  fflush(stdout);
  dup2(saved, STDOUT_FILENO);
  close(saved);
  assert_int_equal(error, cudaSuccess);
  char text[64] = "";
  rewind(out);
  assert_non_null(fgets(text, sizeof text, out));
  assert_string_equal(text, "thread 33 of block 0\n");
  fclose(out);
}

/* Shuffles, votes, barriers and copies give the same without tracing. */
static void plain_kernels_work(void **state) {
  (void)state;
  int *memory = device_memory(1 << 16);
  assert_int_equal(run_collectives(memory, 1, 0), cudaSuccess);
  assert_int_equal(memory[1], 0 + 1 + 4000 + 30000);
  for (int i = 0; i < 4 * 256; i++) memory[i] = i;
  assert_int_equal(run_pipeline(memory, 0, 4), cudaSuccess);
  const int *out = memory + 4 * 256;
  for (int t = 0; t < 64; t++)
    assert_int_equal(out[4 * t], 4 * (4 * (63 - t)) + 256 * (1 + 2 + 3));
  assert_finding_count(0);
  assert_int_equal(cudaFree(memory), cudaSuccess);
}

/* A deadlock is found without instrumentation too. */
static void plain_kernels_do_not_hang(void **state) {
  (void)state;
  simt_clear();
  assert_int_equal(run_two_barriers(NULL, 0, 0), cudaErrorLaunchTimeout);
  assert_finding(SIMT_DEADLOCK, "stops.cu", "wait-for-all", "wait-for-some");
  simt_clear();
  assert_int_equal(cudaDeviceReset(), cudaSuccess);
}

/* Nor does a loop that calls nothing of the executor. */
static void plain_loops_end(void **state) {
  (void)state;
  int *memory = device_memory(256);
  simt_set_patience(0.3);
  for (int kernel = 0; kernel < 2; kernel++) {
    simt_clear();
    assert_int_equal(kernel ? run_spin(memory, 1, 0)
                            : run_for_ever(memory, 0, 0),
                     cudaErrorLaunchTimeout);
    assert_finding(SIMT_LIVELOCK, "stops.cu", kernel ? "spin" : "for-ever",
                   "");
    assert_int_equal(cudaDeviceReset(), cudaSuccess);
  }
  simt_set_patience(60);
  simt_clear();
  assert_int_equal(cudaFree(memory), cudaSuccess);
}

/* What would crash the program is an error of the kernel. */
static void crashes_are_errors(void **state) {
  (void)state;
  int *memory = device_memory(64);
  for (int how = 0; how < 2; how++) {
    simt_clear();
    assert_int_equal(run_crash(memory, how, 0), cudaErrorIllegalAddress);
    if (how == 0)
      assert_finding(SIMT_OUTSIDE_GLOBAL, "launches.cu", "nobody-has", "");
    assert_int_equal(cudaDeviceReset(), cudaSuccess);
  }
  const simt_finding *f;
  assert_true(simt_findings(&f) >= 1);
  assert_non_null(strstr(f->sentence, "local variables"));
  assert_int_equal(run_crash(memory, 2, 0), cudaSuccess);
  assert_int_equal(cudaFree(memory), cudaSuccess);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(launches),
      cmocka_unit_test(refused_launches),
      cmocka_unit_test(shared_memory_limits),
      cmocka_unit_test(static_shared_memory_limit),
      cmocka_unit_test(indices),
      cmocka_unit_test(memory),
      cmocka_unit_test(wrong_memory),
      cmocka_unit_test(more_memory_than_there_is),
      cmocka_unit_test(many_allocations),
      cmocka_unit_test(names_of_errors),
      cmocka_unit_test(devices_and_streams),
      cmocka_unit_test(multiprocessors_as_set),
      cmocka_unit_test(kernels_can_print),
      cmocka_unit_test(plain_kernels_work),
      cmocka_unit_test(plain_kernels_do_not_hang),
      cmocka_unit_test(plain_loops_end),
      cmocka_unit_test(crashes_are_errors),
  };
  return cmocka_run_group_tests_name("simt runtime", tests, NULL, NULL);
}
