#include "floor/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/harness/numbers.h"

bool floor_went_well(cudaError_t status, const char *name, reason *why) {
  if (status == cudaSuccess) return true;
  return refuse(why, "%s stopped: %s.", name, cudaGetErrorString(status));
}

bool floor_run_new(floor_run *run, const floor_item *item, int blocks,
                   floor_inputs inputs, reason *why) {
  const size_t each = item->own_inputs ? (size_t)blocks : 1;
  *run = (floor_run){.item = item,
                     .in_bytes = each * item->in,
                     .out_bytes = (size_t)blocks * item->out};
  run->call.blocks = blocks;
  run->call.threads = item->threads;
  run->in = malloc(run->in_bytes);
  if (!run->in) return refuse(why, "%s: too little memory.", item->name);
  item->family->fill(item, run->in, blocks, inputs);
  void *in = NULL, *span = NULL;
  cudaError_t status = cudaMalloc(&in, run->in_bytes);
  run->call.in = in;
  if (!status) status = cudaMalloc(&run->call.out, run->out_bytes);
  if (!status) status = cudaMalloc(&span, SPANS * sizeof(floor_span));
  run->call.span = span;
  if (!status)
    status = cudaMemcpy(in, run->in, run->in_bytes, cudaMemcpyHostToDevice);
  return floor_went_well(status, item->name, why);
}

void floor_run_free(floor_run *run) {
  free(run->in);
  cudaFree((void *)run->call.in);
  cudaFree(run->call.out);
  cudaFree(run->call.span);
  *run = (floor_run){0};
}

/* ---- fill, read, copy and chase ---- */

enum { BYTES = 1 << 18, WORDS = BYTES / 4, BLOCKS = 3, NODES = 500, STEP = 512,
       SEED = 7 };

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

typedef struct {
  char *from, *to;   /* BYTES each, on the device */
  uint32_t *next;    /* NODES, on the device */
  floor_span *span;
  uint32_t *host;    /* WORDS */
} memory;

static cudaError_t download(memory *m, const void *from, size_t bytes,
                            cudaError_t status) {
  if (!status) status = cudaDeviceSynchronize();
  if (!status) status = cudaMemcpy(m->host, from, bytes,
                                   cudaMemcpyDeviceToHost);
  return status;
}

static bool fill_and_copy(memory *m, reason *why) {
  const floor_call fill = {.out = m->from, .count = BYTES / 16,
                           .blocks = BLOCKS};
  const floor_call copy = {.in = m->from, .out = m->to, .count = BYTES / 16,
                           .blocks = BLOCKS, .rounds = 1, .span = m->span};
  cudaError_t status = cudaMemset(m->to, 0xff, BYTES);
  if (!status) status = floor_fill(&fill, 0);
  if (!status) status = floor_copy(&copy, 0);
  status = download(m, m->to, BYTES, status);
  if (!floor_went_well(status, "copy", why)) return false;
  for (uint32_t i = 0; i < WORDS; i++) {
    if (m->host[i] == i * FILL_FACTOR) continue;
    return refuse(why, "copy is wrong: word %u is %u and should be %u.", i,
                  m->host[i], i * FILL_FACTOR);
  }
  return true;
}

static bool read_all(memory *m, reason *why) {
  enum { ROUNDS = 3 };
  const floor_call call = {.in = m->from, .out = m->to, .count = BYTES / 16,
                           .blocks = BLOCKS, .rounds = ROUNDS,
                           .span = m->span};
  cudaError_t status = floor_read(&call, 0);
  status = download(m, m->to, BLOCKS * MEMORY_THREADS * 4, status);
  if (!floor_went_well(status, "read", why)) return false;
  uint32_t sum = 0;
  for (int i = 0; i < BLOCKS * MEMORY_THREADS; i++) sum += m->host[i];
  const uint32_t wanted = floor_expected_sum(BYTES, ROUNDS);
  if (sum == wanted) return true;
  return refuse(why, "read is wrong: the words add up to %u and should to %u.",
                sum, wanted);
}

static bool chase(memory *m, reason *why) {
  enum { ROUNDS = 5 };
  uint32_t next[NODES];
  floor_shuffled_path(next, NODES);
  const floor_call fill = {.in = m->next, .out = m->from, .count = NODES,
                           .step = STEP};
  const floor_call call = {.in = m->from, .out = m->to, .rounds = ROUNDS,
                           .span = m->span};
  cudaError_t status =
      cudaMemcpy(m->next, next, sizeof next, cudaMemcpyHostToDevice);
  if (!status) status = floor_chase_fill(&fill, 0);
  if (!status) status = floor_chase(&call, 0);
  status = download(m, m->to, sizeof(char *), status);
  if (!floor_went_well(status, "chase", why)) return false;
  uint32_t node = 0;
  for (int i = 0; i < ROUNDS * CHASE_UNROLL; i++) node = next[node];
  char *found;
  memcpy(&found, m->host, sizeof found);
  if (found == m->from + (size_t)node * STEP) return true;
  return refuse(why, "chase is wrong: it ended at byte %td and should at %u.",
                found - m->from, node * STEP);
}

static bool check_memory(reason *why) {
  char *all = NULL;
  const size_t nodes = NODES * sizeof(uint32_t);
  const cudaError_t status = cudaMalloc(
      (void **)&all, 2 * BYTES + nodes + sizeof(floor_span));
  memory m = {.host = malloc(BYTES),
              .from = all,
              .to = all + BYTES,
              .next = (uint32_t *)(void *)(all + 2 * BYTES),
              .span = (floor_span *)(void *)(all + 2 * BYTES + nodes)};
  const bool good =
      floor_went_well(m.host ? status : cudaErrorMemoryAllocation, "memory",
                      why) &&
      fill_and_copy(&m, why) && read_all(&m, why) && chase(&m, why);
  cudaFree(all);
  free(m.host);
  return good;
}

enum { ROUNDS = 3 };

static bool compare(floor_run *run, reason *why) {
  const floor_item *item = run->item;
  reason difference;
  void *out = malloc(run->out_bytes);
  if (!out) return refuse(why, "%s: too little memory.", item->name);
  /* A kernel that writes nothing must not find the last one's results. */
  cudaError_t status = cudaMemset(run->call.out, 0xff, run->out_bytes);
  if (!status) status = item->kernel(&run->call, 0);
  if (!status) status = cudaDeviceSynchronize();
  if (!status)
    status = cudaMemcpy(out, run->call.out, run->out_bytes,
                        cudaMemcpyDeviceToHost);
  bool good = floor_went_well(status, item->name, why);
  if (good && !item->family->verify(item, &run->call, run->in, out,
                                    &difference))
    good = refuse(why, "%s is wrong: %s.", item->name, difference.text);
  free(out);
  return good;
}

static bool check_item(const floor_item *item, reason *why) {
  floor_run run;
  const int blocks = item->blocks ? BLOCKS : 1;
  bool good = floor_run_new(&run, item, blocks, EXACT, why);
  run.call.rounds = ROUNDS;
  run.call.count = 2; /* rounds of products beside scores */
  good = good && compare(&run, why);
  floor_run_free(&run);
  return good;
}

static int report(const char *name, bool good, const reason *why) {
  if (good)
    printf("  %-28s as in plain C\n", name);
  else
    printf("  %-28s FAILED: %s\n", name, why->text);
  fflush(stdout);
  return good ? 0 : EXIT_FAILED;
}

static int check_items(const floor_item *items, int count) {
  int code = 0;
  for (int i = 0; i < count; i++) {
    const floor_item *item = &items[i];
    /* Inputs and length do not matter here. */
    if (item->seconds > 0 || item->inputs == ZEROS) continue;
    reason why = {""};
    if (!item->kernel)
      printf("  %-28s left out: it needs compute capability 9.0 (ARCH=90a)\n",
             item->name);
    else
      code |= report(item->name, check_item(item, &why), &why);
  }
  return code;
}

int floor_check_all(void) {
  reason why = {""};
  floor_watch();
  int code = report("memory", check_memory(&why), &why);
  code |= check_items(floor_rates, floor_rate_count);
  code |= check_items(floor_waits, floor_wait_count);
  code |= check_items(&floor_beside_item, 1);
  return code | floor_watched();
}
