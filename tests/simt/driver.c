/* Runs kernels by their names. Each line of input is
 *   NAME FIRST SECOND [SETTING=NUMBER ...]
 * and is answered by a hash of what the kernel left in memory. The executor
 * puts it into JSON, with the error and what was found; by --counts with what
 * was counted. Built for a GPU (ON_GPU), the hashes must be the same.
 * Settings: threads, order, patience (ms), checks; freed=1, memory is no more;
 * input=1, kernels may only read it;
 * own=1, SECOND is where the executor's own variable lies, seen from dynamic
 * shared memory. */

#include "common/simt/simt.h"
#include "tests/simt/kernels/kernels.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HALVES = 1 << 15 };

kernel_row *kernels;

typedef struct {
  const kernel_row *kernel;
  int first, second;
  int threads, order, patience, checks, freed, own, input;
} job;

static uint16_t *host; /* HALVES of them */

/* -3.5 to 3.5 in halves of one: every product and sum is exact. */
static uint16_t small_half(int i) {
  static const uint16_t magnitude[] = {0x0000, 0x3800, 0x3c00, 0x3e00,
                                       0x4000, 0x4100, 0x4200, 0x4300};
  const uint32_t mixed = (uint32_t)(i + 1) * 2654435761u;
  return (uint16_t)(magnitude[mixed >> 29] | (mixed >> 13 & 0x8000));
}

static void fill(memory_filling what) {
  /* 0 to 3.5 in halves of one, or what is below 0. */
  static const uint8_t codes[] = {0x00, 0x30, 0x38, 0x3c,
                                  0x40, 0x42, 0x44, 0x46};
  memset(host, 0, HALVES * sizeof *host);
  for (int i = 0; what == MATRICES && i < 512; i++) {
    const float x = (float)(i % 33 - 16);
    host[i] = small_half(i);
    memcpy(&host[512 + 2 * i], &x, sizeof x);
  }
  for (int i = 0; what == CODES && i < HALVES; i++) {
    const uint32_t mixed = (uint32_t)(i + 1) * 2654435761u;
    ((uint8_t *)host)[i] = (uint8_t)(codes[mixed >> 29] | (mixed >> 13 & 0x80));
  }
  uint32_t state = 21; /* xorshift */
  for (int i = 0; what == RANDOM && i < HALVES / 2; i++) {
    state ^= state << 13, state ^= state >> 17, state ^= state << 5;
    host[i] = (uint16_t)(state >> 8);
  }
}

static uint64_t hash_of_memory(void) { /* FNV-1a */
  uint64_t hash = UINT64_C(14695981039346656037);
  for (size_t i = 0; i < HALVES; i++)
    hash = (hash ^ host[i]) * UINT64_C(1099511628211);
  return hash;
}

static void check(cudaError_t error, const char *what) {
  if (!error) return;
  fprintf(stderr, "%s: %s.\n", what, cudaGetErrorString(error));
  exit(1);
}

/* Runs the kernel, and fills `host` with what it left. */
static cudaError_t launch(const job *j) {
  const size_t size = HALVES * sizeof *host;
  void *memory = NULL;
  fill(j->kernel->filling);
  check(cudaMalloc(&memory, size), "cudaMalloc");
  check(cudaMemcpy(memory, host, size, cudaMemcpyHostToDevice), "memory");
  if (j->freed) check(cudaFree(memory), "cudaFree");
#ifndef ON_GPU
  if (j->input) simt_input(memory, true);
#endif
  const cudaError_t error = j->kernel->run(memory, j->first, j->second);
  if (error || cudaDeviceSynchronize()) cudaDeviceReset();
  if (j->freed) return error;
  check(cudaMemcpy(host, memory, size, cudaMemcpyDeviceToHost), "memory");
  check(cudaFree(memory), "cudaFree");
  return error;
}

#ifdef ON_GPU
static void run(const job *j, bool counts) {
  (void)counts;
  check(launch(j), j->kernel->name);
  printf("%016" PRIx64 "\n", hash_of_memory());
}
#else
#include "common/simt/include/simt_abi.h"
#include "common/simt/run/block.h"

static json_t *text_of(void (*print)(FILE *)) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  print(out);
  fclose(out);
  json_t *string = json_stringn(text, size);
  free(text);
  return string;
}

/* Counters last: that takes a while. */
static void print_report(cudaError_t error, bool counts) {
  char text[32];
  snprintf(text, sizeof text, "%016" PRIx64, hash_of_memory());
  json_t *words = json_array();
  for (int i = 0; i < 32; i++)
    json_array_append_new(words, json_integer(((const int *)host)[i]));
  json_t *all = json_pack(
      "{s:s, s:s, s:o, s:o}", "hash", text, "error", cudaGetErrorName(error),
      "words", words, "found", text_of(simt_print_findings));
  if (counts) {
    json_object_update_new(all, simt_counters_json());
    json_object_set_new(all, "counted", text_of(simt_print_counters));
  }
  json_dumpf(all, stdout, JSON_COMPACT);
  printf("\n");
  json_decref(all);
}

static void run(const job *j, bool counts) {
  job own = *j;
  if (j->own)
    own.second = (int)((int *)&simt_here - (int *)simt_dynamic_shared());
  cudaDeviceReset();
  simt_clear();
  char threads[16];
  snprintf(threads, sizeof threads, "%d", j->threads);
  setenv("SIMT_THREADS", threads, 1);
  simt_set_order((uint64_t)j->order);
  simt_set_patience(j->patience ? j->patience / 1000.0 : 60, 0);
  simt_set_checks((unsigned)j->checks);
  print_report(launch(&own), counts);
}
#endif

static bool set(job *j, const char *name, int value) {
  const struct {
    const char *name;
    int *to;
  } all[] = {{"threads", &j->threads}, {"order", &j->order},
             {"patience", &j->patience}, {"checks", &j->checks},
             {"freed", &j->freed}, {"own", &j->own},
             {"input", &j->input}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (!strcmp(all[i].name, name)) {
      *all[i].to = value;
      return true;
    }
  return false;
}

static bool parse(job *j, char *line) {
  char *name = strtok(line, " \n"), *first = strtok(NULL, " \n");
  char *second = strtok(NULL, " \n"), *word;
  *j = (job){.checks = 3};
  if (!second) return false;
  for (j->kernel = kernels; j->kernel; j->kernel = j->kernel->next)
    if (!strcmp(j->kernel->name, name)) break;
  j->first = atoi(first), j->second = atoi(second);
  while ((word = strtok(NULL, " \n"))) {
    char *value = strchr(word, '=');
    if (!value) return false;
    *value = '\0';
    if (!set(j, word, atoi(value + 1))) return false;
  }
  return j->kernel;
}

int main(int argc, char **argv) {
  const bool counts = argc > 1 && !strcmp(argv[1], "--counts");
  char line[256];
  job j;
  setvbuf(stdout, NULL, _IOLBF, 0); /* what ran is said, whatever comes */
  host = malloc(HALVES * sizeof *host);
  if (!host) return 1;
  while (fgets(line, sizeof line, stdin)) {
    if (!parse(&j, line)) {
      fprintf(stderr, "no such kernel or setting: %s\n", line);
      return 2;
    }
    run(&j, counts);
  }
  return 0;
}
