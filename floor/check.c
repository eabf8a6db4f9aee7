#include "floor/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/harness/numbers.h"

void floor_ends(int code, const char *sentence) {
  exit(give_up("floor", code, sentence));
}

static const char *now_at;

void floor_at(const char *name) { now_at = name; }

void floor_must(cudaError_t status) {
  reason why;
  if (!status) return;
  refuse(&why, "%s stopped: %s.", now_at, cudaGetErrorString(status));
  floor_watched();
  floor_ends(EXIT_FAILED, why.text);
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

static void download(memory *m, const void *from, size_t bytes) {
  floor_must(cudaDeviceSynchronize());
  floor_must(cudaMemcpy(m->host, from, bytes, cudaMemcpyDeviceToHost));
}

static bool fill_and_copy(memory *m, reason *why) {
  const floor_call fill = {.out = m->from, .count = BYTES / 16,
                           .blocks = BLOCKS};
  const floor_call copy = {.in = m->from, .out = m->to, .count = BYTES / 16,
                           .blocks = BLOCKS, .rounds = 1, .span = m->span};
  floor_must(cudaMemset(m->to, 0xff, BYTES));
  floor_must(floor_fill(&fill, 0));
  floor_must(floor_copy(&copy, 0));
  download(m, m->to, BYTES);
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
  floor_must(floor_read(&call, 0));
  download(m, m->to, BLOCKS * MEMORY_THREADS * 4);
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
  floor_must(cudaMemcpy(m->next, next, sizeof next, cudaMemcpyHostToDevice));
  floor_must(floor_chase_fill(&fill, 0));
  floor_must(floor_chase(&call, 0));
  download(m, m->to, sizeof(char *));
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
  floor_at("memory");
  floor_must(cudaMalloc((void **)&all,
                        2 * BYTES + nodes + sizeof(floor_span)));
  memory m = {.host = floor_memory(BYTES),
              .from = all,
              .to = all + BYTES,
              .next = (uint32_t *)(void *)(all + 2 * BYTES),
              .span = (floor_span *)(void *)(all + 2 * BYTES + nodes)};
  const bool good =
      fill_and_copy(&m, why) && read_all(&m, why) && chase(&m, why);
  cudaFree(all);
  free(m.host);
  return good;
}

enum { ROUNDS = 3 };

static bool check_item(const floor_item *item, reason *why) {
  reason difference;
  floor_at(item->name);
  floor_run run = floor_run_new(item, item->blocks ? BLOCKS : 1, EXACT);
  void *out = floor_memory(run.out_bytes);
  run.call.rounds = ROUNDS;
  run.call.count = 2; /* rounds of products beside scores */
  /* A kernel that writes nothing must not find the last one's results. */
  floor_must(cudaMemset(run.call.out, 0xff, run.out_bytes));
  floor_must(item->kernel(&run.call, 0));
  floor_must(cudaDeviceSynchronize());
  floor_must(cudaMemcpy(out, run.call.out, run.out_bytes,
                        cudaMemcpyDeviceToHost));
  const bool good =
      item->family->verify(item, &run.call, run.in, out, &difference) ||
      refuse(why, "%s is wrong: %s.", item->name, difference.text);
  free(out);
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
