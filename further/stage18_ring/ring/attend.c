#include "further/stage18_ring/ring/plan.h"

#include <stdio.h>

#include "common/harness/launch.h"
#include "further/stage18_ring/merge.h"
#include "further/stage18_ring/ranks/ranks.h"
#include "further/stage18_ring/ring/exchange.h"
#include "libfp8attention/fp8attention.h"

const char *exchange_arm_name(exchange_arm arm) {
  static const char *const names[EXCHANGES] = {"ring", "serial", "all-gather"};
  return names[arm];
}

int exchange_arm_slots(exchange_arm arm, int ranks) {
  return arm == ALL_GATHER ? ranks : 2;
}

static fp8attention_strides strides(int64_t heads, int64_t rows, int64_t d) {
  return (fp8attention_strides){heads * rows * d, rows * d, d};
}

/* Attention of the block's rows over its keys, on so many multiprocessors (0:
 * all). The first block has all rows of this rank and goes to where the result
 * will be. */
static void start_part(shard *s, const ring_block *b, int step,
                       const keys_values *kv, int multiprocessors,
                       cudaStream_t stream) {
  const attention_shape *shape = &s->shape;
  const int64_t d = shape->head_dim;
  const fp8attention_problem p = {
      .batch = shape->batch,
      .heads = shape->heads,
      .kv_heads = shape->kv_heads,
      .seq_len = b->queries,
      .key_len = b->keys,
      .head_dim = d,
      .q = s->q + b->query * d,
      .k = kv->k + b->key * d,
      .v = kv->v + b->key * d,
      .o = step == 0 ? s->out : s->part,
      .lse = step == 0 ? s->lse : s->part_lse,
      .q_strides = strides(shape->heads, s->rows, d),
      .k_strides = strides(shape->kv_heads, kv->rows, d),
      .v_strides = strides(shape->kv_heads, kv->rows, d),
      .o_strides = strides(shape->heads, b->queries, d),
      .q_scale = s->q_scale,
      .k_scale = kv->k_scale,
      .v_scale = kv->v_scale,
      .softmax_scale = (float)shard_softmax_scale(shape),
      .causal = b->causal,
      .max_multiprocessors = multiprocessors};
  const int code = fp8attention_forward(&p, stream);
  if (code)
    watchdog_fails("Rank %d's attention was refused at step %d: %s", s->rank,
                   step, fp8attention_error_text(code));
}

void attend_part(shard *s, const ring_block *b, int multiprocessors,
                 cudaStream_t stream) {
  const keys_values kv = shard_read(s, s->own, s->rank);
  start_part(s, b, 1, &kv, multiprocessors, stream);
}

void attend_merge(shard *s, const ring_block *b, cudaStream_t stream) {
  const merge_args args = {.part = s->part,
                           .part_lse = s->part_lse,
                           .out = s->out,
                           .sum = s->sum,
                           .lse = s->lse,
                           .heads = s->shape.batch * s->shape.heads,
                           .rows = b->queries,
                           .all_rows = s->rows,
                           .first_row = b->query,
                           .head_dim = s->shape.head_dim,
                           .done = b->done,
                           .first = b->first};
  const cudaError_t error = merge_launch(&args, stream);
  if (!error) return;
  device_explain();
  fflush(stdout);
  watchdog_fails("Rank %d's merge was refused: %s.", s->rank,
                 cudaGetErrorString(error));
}

static void compute(shard *s, exchange *x, int step, message m,
                    int multiprocessors, cudaStream_t stream, marks *times) {
  const ring_block b = plan_block(&s->plan, s->rank, step);
  if (x) exchange_reads(x, m, b.source);
  if (b.queries == 0) return;
  const keys_values kv = shard_read(s, m, b.source);
  marks_begin(times, stream, "attention", step);
  start_part(s, &b, step, &kv, multiprocessors, stream);
  marks_end(times, stream);
  if (step == 0) return;
  marks_begin(times, stream, "merge", step);
  attend_merge(s, &b, stream);
  marks_end(times, stream);
}

//> round-the-ring
/* At step t the keys at hand are sent on while they are computed with. What is
 * received goes to the slot that step t - 1 has read. */
static void round_the_ring(shard *s, exchange *x, bool overlap,
                           cudaStream_t stream, marks *times) {
  message at_hand = s->own;
  for (int step = 0; step < s->plan.ranks; step++) {
    const bool more = step + 1 < s->plan.ranks;
    const int left = more && overlap ? exchange_leaves(x) : 0;
    const message next = shard_slot(
        s, step % 2, plan_source(&s->plan, s->rank, step + 1));
    if (more && overlap) exchange_begin(x, at_hand, next);
    compute(s, x, step, at_hand, left, stream, times);
    if (more && !overlap) exchange_begin(x, at_hand, next);
    if (more) exchange_end(x);
    at_hand = next;
  }
}
//< round-the-ring

static void gather_first(shard *s, exchange *x, cudaStream_t stream,
                         marks *times) {
  message all[s->plan.ranks];
  for (int i = 0; i < s->plan.ranks; i++) all[i] = shard_slot(s, i, i);
  exchange_gather(x, all, s->own, s->slot_bytes);
  for (int step = 0; step < s->plan.ranks; step++) {
    const int source = plan_source(&s->plan, s->rank, step);
    compute(s, x, step, all[source], 0, stream, times);
  }
}

void attend(shard *s, exchange *x, exchange_arm arm, cudaStream_t stream,
            marks *times) {
  if (x) exchange_times(x, times);
  if (s->plan.ranks > 1 && arm == ALL_GATHER)
    gather_first(s, x, stream, times);
  else
    round_the_ring(s, x, arm == RING, stream, times);
}
