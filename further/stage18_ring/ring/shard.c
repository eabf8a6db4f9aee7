#include "further/stage18_ring/ring/plan.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/harness/numbers.h"
#include "further/stage18_ring/ranks/ranks.h"

enum { POISON = 0xFF };

static int64_t heads_of(const shard *s) {
  return s->shape.batch * s->shape.heads;
}

static int64_t kv_heads_of(const shard *s) {
  return s->shape.batch * s->shape.kv_heads;
}

/* Bytes of the codes of K, or of V, of so many rows. */
static size_t codes_bytes(const shard *s, int64_t rows) {
  return (size_t)(kv_heads_of(s) * rows * s->shape.head_dim);
}

static size_t message_bytes(const shard *s, int64_t rows) {
  return 2 * codes_bytes(s, rows) +
         2 * (size_t)kv_heads_of(s) * sizeof(float) + LABEL_BYTES;
}

/* ---- inputs ---- */

static void must(const shard *s, cudaError_t error) {
  if (error)
    watchdog_give_up(EXIT_IMPOSSIBLE, "The share of rank %d does not come to "
                     "its device: %s.", s->rank, cudaGetErrorString(error));
}

/* This rank's rows of one tensor, and its scales, to these places. */
static void upload(const shard *s, const inputs *in, int tensor, int64_t heads,
                   void *codes, void *scales) {
  const int64_t d = s->shape.head_dim;
  const size_t bytes = (size_t)(heads * s->rows * d);
  const size_t scale_bytes = (size_t)heads * sizeof(float);
  uint8_t *host = ranks_memory(bytes, 1);
  float *scale = ranks_memory(scale_bytes, 1);
#pragma omp parallel for collapse(2)
  for (int64_t head = 0; head < heads; head++)
    for (int64_t row = 0; row < s->rows; row++)
      inputs_row(in, tensor, head, plan_position(&s->plan, s->rank, row),
                 host + (head * s->rows + row) * d);
  for (int64_t h = 0; h < heads; h++) scale[h] = inputs_scale(in, tensor, h);
  must(s, cudaMemcpy(codes, host, bytes, cudaMemcpyHostToDevice));
  must(s, cudaMemcpy(scales, scale, scale_bytes, cudaMemcpyHostToDevice));
  free(scale);
  free(host);
}

static void upload_all(const shard *s, const inputs *in) {
  const int32_t label[LABEL_BYTES / sizeof(int32_t)] = {s->rank};
  const keys_values own = shard_read(s, s->own, s->rank);
  upload(s, in, TENSOR_Q, heads_of(s), s->q, s->q_scale);
  upload(s, in, TENSOR_K, kv_heads_of(s), (void *)own.k, (void *)own.k_scale);
  upload(s, in, TENSOR_V, kv_heads_of(s), (void *)own.v, (void *)own.v_scale);
  must(s, cudaMemcpy((char *)s->own.memory + s->own.bytes - LABEL_BYTES, label,
                     LABEL_BYTES, cudaMemcpyHostToDevice));
  must(s, cudaDeviceSynchronize()); /* other streams wait for no copy */
}

/* ---- memory ---- */

static void *room(shard *s, size_t bytes) {
  void *memory = NULL;
  must(s, cudaMalloc(&memory, bytes + 1));
  s->bytes += bytes;
  return memory;
}

void shard_new(shard *s, const inputs *in, const ring_plan *plan, int rank,
               int slots) {
  *s = (shard){.shape = in->shape, .plan = *plan, .rank = rank};
  s->rows = plan_rows(plan, rank);
  s->own.bytes = message_bytes(s, s->rows);
  /* Where a message begins, codes may be copied 16 bytes at a time. */
  s->slot_bytes = (message_bytes(s, plan_most_rows(plan)) + 255) / 256 * 256;
  const size_t heads = (size_t)heads_of(s), rows = heads * (size_t)s->rows;
  const size_t all = collect_elements(s, rank);
  s->q = room(s, all);
  s->q_scale = room(s, heads * sizeof(float));
  s->own.memory = room(s, s->slot_bytes);
  s->received = room(s, (size_t)slots * s->slot_bytes);
  s->out = room(s, 2 * all);
  s->part = room(s, 2 * all);
  s->sum = room(s, 4 * all);
  s->lse = room(s, 4 * rows);
  s->part_lse = room(s, 4 * rows);
  upload_all(s, in);
}

void shard_free(shard *s) {
  void *const all[] = {s->q,    s->q_scale, s->own.memory, s->received, s->out,
                       s->part, s->sum,     s->lse,        s->part_lse};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) cudaFree(all[i]);
  *s = (shard){0};
}

message shard_slot(const shard *s, int slot, int source) {
  return (message){s->received + (size_t)slot * s->slot_bytes,
                   message_bytes(s, plan_rows(&s->plan, source))};
}

keys_values shard_read(const shard *s, message m, int source) {
  const int64_t rows = plan_rows(&s->plan, source);
  const size_t codes = codes_bytes(s, rows);
  const uint8_t *k = m.memory;
  const float *scales = (const float *)(const void *)(k + 2 * codes);
  return (keys_values){k, k + codes, scales, scales + kv_heads_of(s), rows};
}

double shard_softmax_scale(const attention_shape *shape) {
  return shape->softmax_scale > 0.0 ? shape->softmax_scale
                                    : 1.0 / sqrt((double)shape->head_dim);
}

cudaError_t shard_poison(const shard *s, cudaStream_t stream) {
  return cudaMemsetAsync(s->out, POISON, 2 * collect_elements(s, s->rank),
                         stream);
}

/* One number of 16 random bits: entry i is the code of the normal
 * distribution's quantile (i + 1/2) / 65536. Their mean is 0: another would be
 * most of what many keys add up to. */
enum { ENTRIES = 1 << 16 };

inputs inputs_of_problem(const problem *p) {
  return (inputs){.shape = p->shape, .whole = p, .seed = p->seed};
}

/* x with P(N(0, 1) < x) = share, by halving. */
static double quantile(double share) {
  double low = -6.0, high = 6.0;
  while (high - low > 1e-9) {
    const double middle = 0.5 * (low + high);
    if (0.5 * erfc(-middle / sqrt(2.0)) < share)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* What the largest of them, which gets the code of 448, is. */
static double largest(void) { return quantile((ENTRIES - 0.5) / ENTRIES); }

inputs inputs_new(const attention_shape *shape, uint64_t seed) {
  uint8_t *table = ranks_memory(ENTRIES, 1);
  const double unit = E4M3_MAX / largest();
#pragma omp parallel for
  for (int i = 0; i < ENTRIES; i++)
    table[i] = e4m3_encode((float)(unit * quantile((i + 0.5) / ENTRIES)));
  return (inputs){.shape = *shape, .seed = seed, .table = table};
}

void inputs_free(inputs *in) {
  free(in->table);
  in->table = NULL;
}

void inputs_row(const inputs *in, int tensor, int64_t head, int64_t position,
                uint8_t *codes) {
  const int64_t d = in->shape.head_dim;
  const int64_t row = head * in->shape.seq_len + position;
  if (in->whole) {
    const uint8_t *const all[] = {in->whole->q_codes, in->whole->k_codes,
                                  in->whole->v_codes};
    memcpy(codes, all[tensor] + row * d, (size_t)d);
    return;
  }
  for (int64_t c = 0; c < d; c += 4) {
    const uint64_t bits = random_bits(in->seed, (uint64_t)tensor,
                                      (uint64_t)(row * d + c));
    for (int i = 0; i < 4; i++)
      codes[c + i] = in->table[bits >> 16 * i & (ENTRIES - 1)];
  }
}

/* Neighbouring heads get different scales: one of another head shows. */
float inputs_scale(const inputs *in, int tensor, int64_t head) {
  if (in->whole) {
    const float *const all[] = {in->whole->q_scale, in->whole->k_scale,
                                in->whole->v_scale};
    return all[tensor][head];
  }
  return (float)(largest() / E4M3_MAX * (1.0 + 0.125 * (double)(head % 3)));
}

size_t collect_elements(const shard *s, int rank) {
  return (size_t)(heads_of(s) * plan_rows(&s->plan, rank) *
                  s->shape.head_dim);
}

/* The rows of all ranks where the harness looks for them. */
static uint16_t *put_in_order(const shard *s, const uint16_t *from) {
  const int64_t heads = heads_of(s), d = s->shape.head_dim;
  const size_t whole = 2 * attention_shape_elements(&s->shape);
  uint16_t *o = memset(ranks_memory(whole, 1), POISON, whole);
  for (int rank = 0; rank < s->plan.ranks; rank++)
    for (int64_t head = 0; head < heads; head++)
      for (int64_t row = 0; row < plan_rows(&s->plan, rank); row++, from += d)
        memcpy(o + (head * s->shape.seq_len +
                    plan_position(&s->plan, rank, row)) * d,
               from, 2 * (size_t)d);
  return o;
}

uint16_t *collect_output(const shard *s, const uint16_t *own) {
  int counts[s->plan.ranks];
  size_t whole = 0;
  for (int i = 0; i < s->plan.ranks; i++) {
    counts[i] = (int)collect_elements(s, i);
    whole += collect_elements(s, i);
  }
  uint16_t *all = ranks_memory(s->rank ? 0 : whole, sizeof *all);
  ranks_collect(own, all, counts);
  uint16_t *o = s->rank ? NULL : put_in_order(s, all);
  free(all);
  return o;
}
