#include "floor/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/harness/numbers.h"

void floor_ends(int code, const char *sentence) {
  exit(give_up("floor", code, sentence));
}

static const char *now_at;
static int ends_with;

void floor_at(const char *name, int code) {
  now_at = name;
  ends_with = code;
}

void floor_must(cudaError_t status) {
  reason why;
  if (!status) return;
  refuse(&why, "%s stopped: %s.", now_at, cudaGetErrorString(status));
  floor_watched();
  floor_ends(ends_with, why.text);
}

void *floor_memory(size_t bytes) {
  void *memory = malloc(bytes);
  if (!memory) floor_ends(EXIT_IMPOSSIBLE, "Too little memory.");
  return memory;
}

floor_run floor_run_new(const floor_item *item, int blocks,
                        floor_inputs inputs) {
  const size_t each = item->own_inputs ? (size_t)blocks : 1;
  floor_run run = {.item = item,
                   .in_bytes = each * item->in,
                   .out_bytes = (size_t)blocks * item->out};
  void *in, *out, *span;
  run.in = floor_memory(run.in_bytes);
  item->family->fill(item, run.in, blocks, inputs);
  floor_must(cudaMalloc(&in, run.in_bytes));
  floor_must(cudaMalloc(&out, run.out_bytes));
  floor_must(cudaMalloc(&span, SPANS * sizeof(floor_span)));
  floor_must(cudaMemcpy(in, run.in, run.in_bytes, cudaMemcpyHostToDevice));
  run.call = (floor_call){.in = in, .out = out, .span = span,
                          .blocks = blocks, .threads = item->threads};
  return run;
}

void floor_run_free(floor_run *run) {
  free(run->in);
  cudaFree((void *)run->call.in);
  cudaFree(run->call.out);
  cudaFree(run->call.span);
}

/* ---- fill, read, copy and chase ---- */

enum { BYTES = 1 << 18, NODES = 500, STEP = 512, SEED = 7 };

uint32_t floor_expected_sum(int64_t bytes, int rounds) {
  uint32_t sum = 0;
  for (int64_t i = 0; i < bytes / 4; i++) sum += (uint32_t)i * FILL_FACTOR;
  return sum * (uint32_t)rounds;
}

/* Sattolo's shuffle: one cycle. */
void floor_shuffled_path(uint32_t *next, int64_t count) {
  for (int64_t i = 0; i < count; i++) next[i] = (uint32_t)i;
  for (int64_t i = count - 1; i > 0; i--) {
    const int64_t j = (int64_t)(random_bits(SEED, 0, (uint64_t)i) %
                                (uint64_t)i);
    const uint32_t kept = next[i];
    next[i] = next[j];
    next[j] = kept;
  }
}

/* The nodes come one step behind where the end is written. */
static cudaError_t fill_and_chase(const floor_call *call, cudaStream_t stream) {
  floor_call fill = *call, path = *call;
  fill.step = STEP;
  path.in = fill.out = (char *)call->out + STEP;
  const cudaError_t error = floor_chase_fill(&fill, stream);
  return error ? error : floor_chase(&path, stream);
}

#pragma GCC diagnostic ignored "-Wunused-parameter"

static void fill_words(const floor_item *item, void *in, int blocks,
                       floor_inputs inputs) {
  uint32_t *word = in;
  for (uint32_t i = 0; i < BYTES / 4; i++) word[i] = i * FILL_FACTOR;
}

static void fill_path(const floor_item *item, void *in, int blocks,
                      floor_inputs inputs) {
  floor_shuffled_path(in, NODES);
}

static bool verify_words(const floor_item *item, const floor_call *call,
                         const void *in, const void *out, reason *why) {
  const uint32_t *word = out;
  for (uint32_t i = 0; i < BYTES / 4; i++)
    if (word[i] != i * FILL_FACTOR)
      return refuse(why, "word %u is %u and should be %u", i, word[i],
                    i * FILL_FACTOR);
  return true;
}

static bool verify_sums(const floor_item *item, const floor_call *call,
                        const void *in, const void *out, reason *why) {
  const uint32_t wanted = floor_expected_sum(BYTES, call->rounds);
  uint32_t sum = 0;
  for (int i = 0; i < call->blocks * MEMORY_THREADS; i++)
    sum += ((const uint32_t *)out)[i];
  return sum == wanted ||
         refuse(why, "the words add up to %u and should to %u", sum, wanted);
}

static bool verify_path(const floor_item *item, const floor_call *call,
                        const void *in, const void *out, reason *why) {
  const uint32_t *next = in;
  uint32_t node = 0;
  const char *found;
  for (int i = 0; i < call->rounds * CHASE_UNROLL; i++) node = next[node];
  memcpy(&found, out, sizeof found);
  const ptrdiff_t byte = found - ((char *)call->out + STEP);
  return byte == (ptrdiff_t)node * STEP ||
         refuse(why, "it ended at byte %td and should at %u", byte,
                node * STEP);
}

static const floor_family words = {fill_words, verify_words},
                          sums = {fill_words, verify_sums},
                          paths = {fill_path, verify_path};
#define WORDS(what, of_what, results)                                          \
  {                                                                            \
    .name = #what, .kernel = floor_##what, .family = &of_what, .in = BYTES,    \
    .out = results, .blocks = 1, .count = BYTES / 16                           \
  }
static const floor_item memory[] = {
    WORDS(fill, words, BYTES),
    WORDS(copy, words, BYTES),
    WORDS(read, sums, MEMORY_THREADS * 4),
    {.name = "chase", .kernel = fill_and_chase, .family = &paths,
     .in = NODES * 4, .out = (NODES + 1) * STEP, .count = NODES},
};

/* ---- all of them ---- */

enum { BLOCKS = 3, ROUNDS = 3 };

static int check_item(const floor_item *item) {
  reason why;
  floor_at(item->name, EXIT_FAILED);
  floor_run run = floor_run_new(item, item->blocks ? BLOCKS : 1, EXACT);
  void *out = floor_memory(run.out_bytes);
  run.call.rounds = ROUNDS;
  run.call.count = item->count;
  /* A kernel that writes nothing must not find the last one's results. */
  floor_must(cudaMemset(run.call.out, 0xff, run.out_bytes));
  floor_must(item->kernel(&run.call, 0));
  floor_must(cudaDeviceSynchronize());
  floor_must(cudaMemcpy(out, run.call.out, run.out_bytes,
                        cudaMemcpyDeviceToHost));
  const bool good = item->family->verify(item, &run.call, run.in, out, &why);
  if (good)
    printf("  %-28s as in plain C\n", item->name);
  else
    printf("  %-28s FAILED: %s is wrong: %s.\n", item->name, item->name,
           why.text);
  fflush(stdout);
  free(out);
  floor_run_free(&run);
  return good ? 0 : EXIT_FAILED;
}

static int check_items(const floor_item *items, int count) {
  int code = 0;
  for (int i = 0; i < count; i++) {
    const floor_item *item = &items[i];
    /* Inputs and length do not matter here. */
    if (item->seconds > 0 || item->inputs == ZEROS) continue;
    if (item->kernel)
      code |= check_item(item);
    else
      printf("  %-28s left out: it needs compute capability 9.0 (ARCH=90a)\n",
             item->name);
  }
  return code;
}

int floor_check_all(void) {
  floor_watch();
  int code = check_items(memory, sizeof memory / sizeof *memory);
  code |= check_items(floor_rates, floor_rate_count);
  code |= check_items(floor_waits, floor_wait_count);
  code |= check_items(&floor_beside_item, 1);
  return code | floor_watched();
}
