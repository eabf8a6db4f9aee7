/* Fill, read, copy and chase against plain C. */

#include <stdlib.h>
#include <string.h>

#include "common/harness/numbers.h"
#include "floor/run.h"

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

bool floor_check_memory(reason *why) {
  memory m = {.host = malloc(BYTES)};
  cudaError_t status = m.host ? cudaSuccess : cudaErrorMemoryAllocation;
  if (!status) status = cudaMalloc((void **)&m.from, BYTES);
  if (!status) status = cudaMalloc((void **)&m.to, BYTES);
  if (!status) status = cudaMalloc((void **)&m.next, NODES * sizeof *m.next);
  if (!status) status = cudaMalloc((void **)&m.span, sizeof *m.span);
  const bool good = floor_went_well(status, "memory", why) &&
                    fill_and_copy(&m, why) && read_all(&m, why) &&
                    chase(&m, why);
  cudaFree(m.from);
  cudaFree(m.to);
  cudaFree(m.next);
  cudaFree(m.span);
  free(m.host);
  return good;
}
