#include "further/stage18_ring/ring/plan.h"

#include "further/stage18_ring/merge.h"
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
static bool start_part(shard *s, const ring_block *b, int step,
                       const keys_values *kv, int multiprocessors,
                       cudaStream_t stream, reason *why) {
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
      .softmax_scale = (float)plan_softmax_scale(shape),
      .causal = b->causal,
      .max_multiprocessors = multiprocessors};
  const int code = fp8attention_forward(&p, stream);
  if (!code) return true;
  return refuse(why, "Rank %d's attention was refused at step %d: %s", s->rank,
                step, fp8attention_error_text(code));
}

bool attend_part(shard *s, const ring_block *b, int multiprocessors,
                 cudaStream_t stream, reason *why) {
  const keys_values kv = shard_read(s, s->own, s->rank);
  return start_part(s, b, 1, &kv, multiprocessors, stream, why);
}

bool attend_merge(shard *s, const ring_block *b, cudaStream_t stream,
                  reason *why) {
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
  if (!error) return true;
  return refuse(why, "Rank %d's merge was refused: %s.", s->rank,
                cudaGetErrorString(error));
}

static bool compute(shard *s, exchange *x, int step, message m,
                    int multiprocessors, cudaStream_t stream, marks *times,
                    reason *why) {
  const ring_block b = plan_block(&s->plan, s->rank, step);
  if (x && !exchange_may_read(x, m, b.source, why)) return false;
  if (b.queries == 0) return true;
  const keys_values kv = shard_read(s, m, b.source);
  marks_begin(times, stream, "attention", step);
  if (!start_part(s, &b, step, &kv, multiprocessors, stream, why)) return false;
  marks_end(times, stream);
  if (step == 0) return true;
  marks_begin(times, stream, "merge", step);
  if (!attend_merge(s, &b, stream, why)) return false;
  marks_end(times, stream);
  return true;
}

//> round-the-ring
/* At step t the keys at hand are sent on while they are computed with. What is
 * received goes to the slot that step t - 1 has read. */
static bool round_the_ring(shard *s, exchange *x, bool overlap,
                           cudaStream_t stream, marks *times, reason *why) {
  message at_hand = s->own;
  for (int step = 0; step < s->plan.ranks; step++) {
    const bool more = step + 1 < s->plan.ranks;
    const int left = more && overlap ? exchange_leaves(x) : 0;
    const message next = shard_slot(
        s, step % 2, plan_source(&s->plan, s->rank, step + 1));
    if (more && overlap && !exchange_begin(x, at_hand, next, why))
      return false;
    if (!compute(s, x, step, at_hand, left, stream, times, why)) return false;
    if (more && !overlap && !exchange_begin(x, at_hand, next, why))
      return false;
    if (more && !exchange_end(x, why)) return false;
    at_hand = next;
  }
  return true;
}
//< round-the-ring

static bool gather_first(shard *s, exchange *x, cudaStream_t stream,
                         marks *times, reason *why) {
  message all[s->plan.ranks];
  for (int i = 0; i < s->plan.ranks; i++) all[i] = shard_slot(s, i, i);
  if (!exchange_gather(x, all, s->own, s->slot_bytes, why)) return false;
  for (int step = 0; step < s->plan.ranks; step++) {
    const int source = plan_source(&s->plan, s->rank, step);
    if (!compute(s, x, step, all[source], 0, stream, times, why)) return false;
  }
  return true;
}

bool attend(shard *s, exchange *x, exchange_arm arm, cudaStream_t stream,
            marks *times, reason *why) {
  if (x) exchange_times(x, times);
  if (s->plan.ranks > 1 && arm == ALL_GATHER)
    return gather_first(s, x, stream, times, why);
  return round_the_ring(s, x, arm == RING, stream, times, why);
}
