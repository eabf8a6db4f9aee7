#include "tests/simt/support.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int marked_line(const char *file, const char *mark) {
  char path[256], wanted[128], text[256];
  snprintf(path, sizeof path, "tests/simt/kernels/%s", file);
  snprintf(wanted, sizeof wanted, "// @%s\n", mark);
  FILE *in = fopen(path, "r");
  if (!in) fail_msg("cannot read %s", path);
  int line = 0, found = 0;
  while (fgets(text, sizeof text, in)) {
    line++;
    if (strstr(text, wanted)) found = line;
  }
  fclose(in);
  if (!found) fail_msg("%s has no line marked @%s", path, mark);
  return found;
}

void *device_memory(size_t size) {
  void *memory = NULL;
  assert_int_equal(cudaMalloc(&memory, size), cudaSuccess);
  assert_int_equal(cudaMemset(memory, 0, size), cudaSuccess);
  return memory;
}

static const uint8_t halves[] = {0x00, 0x30, 0x38, 0x3c,
                                 0x40, 0x42, 0x44, 0x46};

uint8_t *small_codes(void) {
  uint8_t *memory = device_memory(2 * RESULTS);
  srand(1);
  for (int i = 0; i < RESULTS; i++)
    memory[i] = (uint8_t)(halves[rand() % 8] | (rand() & 0x80));
  return memory;
}

float small_value(uint8_t code) {
  for (int i = 0; i < 8; i++)
    if (halves[i] == (code & 0x7f))
      return (code & 0x80 ? -0.5f : 0.5f) * (float)i;
  fail_msg("no such code: %d", code);
  return 0;
}

uint8_t *codes;

int prepare_codes(void **state) {
  (void)state;
  cudaDeviceReset();
  codes = small_codes();
  return 0;
}

int release_codes(void **state) {
  (void)state;
  cudaDeviceReset();
  return cudaFree(codes) != cudaSuccess;
}

cudaError_t run_checked(kernel_run *run, void *memory, int first, int second) {
  cudaDeviceReset();
  simt_clear();
  simt_set_checks(SIMT_RACES | SIMT_COUNTS);
  return run(memory, first, second);
}

static bool is_at(const simt_place *place, const char *file, int line) {
  char path[256];
  snprintf(path, sizeof path, "tests/simt/kernels/%s", file);
  return (place->line == line || (line && place->via == line)) &&
         (line == 0 || !strcmp(place->file, path));
}

void assert_finding(simt_finding_kind kind, const char *file, const char *here,
                    const char *there) {
  const int here_line = marked_line(file, here);
  const int there_line = *there ? marked_line(file, there) : 0;
  const simt_finding *all;
  const size_t count = simt_findings(&all);
  for (size_t i = 0; i < count; i++)
    if (all[i].kind == kind && is_at(&all[i].here, file, here_line) &&
        is_at(&all[i].other, file, there_line))
      return;
  simt_print_findings(stderr);
  fail_msg("no finding of kind %d with lines %d (@%s) and %d (@%s)", (int)kind,
           here_line, here, there_line, there);
}

void assert_finding_count(size_t expected) {
  const simt_finding *all;
  const size_t count = simt_findings(&all);
  if (count == expected) return;
  simt_print_findings(stderr);
  fail_msg("%zu findings, not %zu", count, expected);
}

void find_bug(const char *file, kernel_run *run, int bug, int second,
              simt_finding_kind kind, const char *here, const char *there,
              size_t count) {
  run_checked(run, codes, bug, second);
  assert_finding(kind, file, here, there);
  assert_finding_count(count);
}

simt_counters counters_at(const char *file, const char *mark) {
  const int line = marked_line(file, mark);
  simt_counters sum = {0};
  const simt_line *all;
  const size_t count = simt_lines(&all);
  for (size_t i = 0; i < count; i++) {
    if (!is_at(&all[i].place, file, line)) continue;
    uint64_t *to = (uint64_t *)&sum;
    const uint64_t *from = (const uint64_t *)&all[i].counters;
    for (size_t k = 0; k < sizeof sum / sizeof *to; k++) to[k] += from[k];
  }
  return sum;
}
