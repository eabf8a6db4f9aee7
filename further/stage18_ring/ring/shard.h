#ifndef RING_SHARD_H
#define RING_SHARD_H

#include <cuda_runtime_api.h>

#include "further/stage18_ring/ring/exchange.h"
#include "further/stage18_ring/ring/inputs.h"
#include "further/stage18_ring/ring/plan.h"

/* A rank's share of a problem in device memory: its rows of Q, what it sends,
 * room for what it receives, and its rows of O. */
typedef struct {
  attention_shape shape;
  ring_plan plan;
  int rank;
  int64_t rows;
  uint8_t *q;
  float *q_scale;
  message own;          /* this rank's K and V */
  char *received;       /* slots of slot_bytes each */
  int slots;
  size_t slot_bytes;    /* as many as the largest message has */
  uint16_t *out, *part; /* [batch][heads][rows][D] */
  float *sum, *lse, *part_lse;
} shard;

/* Where things lie in a message: codes of K and codes of V, each
 * [batch][kv_heads][rows][D] with the sender's rows; scales; the label. */
typedef struct {
  const uint8_t *k, *v;
  const float *k_scale, *v_scale;
  int64_t rows;
} keys_values;

/* Slots: 2 for a ring, as many as ranks for an all-gather. False with one
 * sentence if device or host memory is short. */
bool shard_new(shard *s, const inputs *in, const ring_plan *plan, int rank,
               int slots, reason *why);
void shard_free(shard *s);

/* The message of a rank that lies, or will lie, in a slot. */
message shard_slot(const shard *s, int slot, int source);

keys_values shard_read(const shard *s, message m, int source);

/* Fills out with NaN, so that what is not written shows. */
cudaError_t shard_poison(const shard *s, cudaStream_t stream);

#endif
