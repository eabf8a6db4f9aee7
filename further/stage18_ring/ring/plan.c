#include "further/stage18_ring/ring/plan.h"

/* Where chunk c of 2P begins. */
static int64_t chunk_begin(const ring_plan *plan, int64_t c) {
  return c * plan->seq_len / (2 * plan->ranks);
}

//> zigzag
ring_chunk plan_chunk(const ring_plan *plan, int rank, int which) {
  const int64_t c = which == 0 ? rank : 2 * plan->ranks - 1 - rank;
  const int64_t begin = chunk_begin(plan, c);
  return (ring_chunk){begin, chunk_begin(plan, c + 1) - begin};
}
//< zigzag

int64_t plan_rows(const ring_plan *plan, int rank) {
  return plan_chunk(plan, rank, 0).rows + plan_chunk(plan, rank, 1).rows;
}

int64_t plan_most_rows(const ring_plan *plan) {
  int64_t most = 0;
  for (int rank = 0; rank < plan->ranks; rank++)
    if (plan_rows(plan, rank) > most) most = plan_rows(plan, rank);
  return most;
}

int64_t plan_position(const ring_plan *plan, int rank, int64_t row) {
  const ring_chunk early = plan_chunk(plan, rank, 0);
  if (row < early.rows) return early.begin + row;
  return plan_chunk(plan, rank, 1).begin + row - early.rows;
}

int plan_source(const ring_plan *plan, int rank, int step) {
  return (rank - step + plan->ranks) % plan->ranks;
}

//> blocks
/* All keys of an earlier rank's early chunk come before all rows of this rank,
 * and all of its late chunk come after them. A later rank's keys, both chunks,
 * lie between this rank's early rows and its late ones. */
static ring_block block_alone(const ring_plan *plan, int rank, int step) {
  const int source = plan_source(plan, rank, step);
  const int64_t early = plan_chunk(plan, rank, 0).rows;
  ring_block b = {.source = source,
                  .queries = plan_rows(plan, rank),
                  .keys = plan_rows(plan, source)};
  if (plan->causal && source == rank) {
    b.causal = true;
  } else if (plan->causal && source < rank) {
    b.keys = plan_chunk(plan, source, 0).rows;
  } else if (plan->causal) {
    b.query = early;
    b.queries -= early;
  }
  if (b.queries == 0 || b.keys == 0) b.queries = b.keys = 0;
  return b;
}
//< blocks

/* Does the block compute a part for this row? */
static bool touches(const ring_block *b, int64_t row) {
  return b->queries > 0 && b->query <= row;
}

/* Is there a part for this row in the steps from `from` to `end`? */
static bool has_part(const ring_plan *plan, int rank, int64_t row, int from,
                     int end) {
  for (int step = from; step < end; step++) {
    const ring_block b = block_alone(plan, rank, step);
    if (touches(&b, row)) return true;
  }
  return false;
}

ring_block plan_block(const ring_plan *plan, int rank, int step) {
  ring_block b = block_alone(plan, rank, step);
  if (b.queries == 0) return b;
  const int64_t early = plan_chunk(plan, rank, 0).rows;
  const int64_t last = b.query + b.queries - 1;
  b.first = !has_part(plan, rank, last, 1, step);
  if (!has_part(plan, rank, last, step + 1, plan->ranks))
    b.done = b.queries;
  else if (b.query < early &&
           !has_part(plan, rank, b.query, step + 1, plan->ranks))
    b.done = early - b.query;
  return b;
}
