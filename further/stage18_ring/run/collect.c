#include "further/stage18_ring/run/run.h"

#include <stdlib.h>
#include <string.h>

#include "common/harness/program.h"
#include "further/stage18_ring/ranks/ranks.h"

enum { NOT_A_NUMBER = 0xFF };

size_t collect_elements(const shard *s, int rank) {
  return (size_t)(s->shape.batch * s->shape.heads *
                  plan_rows(&s->plan, rank) * s->shape.head_dim);
}

/* The rows of all ranks where the harness looks for them. */
static void put_in_order(const shard *s, const uint16_t *all,
                         const size_t *offsets, uint16_t *o) {
  const int64_t heads = s->shape.batch * s->shape.heads;
  const int64_t d = s->shape.head_dim;
  for (int rank = 0; rank < s->plan.ranks; rank++) {
    const uint16_t *from = all + offsets[rank] / 2;
    const int64_t rows = plan_rows(&s->plan, rank);
    for (int64_t head = 0; head < heads; head++)
      for (int64_t row = 0; row < rows; row++)
        memcpy(o + (head * s->shape.seq_len +
                    plan_position(&s->plan, rank, row)) * d,
               from + (head * rows + row) * d, 2 * (size_t)d);
  }
}

uint16_t *collect_output(const shard *s, const uint16_t *own) {
  const int ranks = s->plan.ranks;
  const size_t whole = 2 * attention_shape_elements(&s->shape);
  size_t offsets[ranks + 1];
  offsets[0] = 0;
  for (int i = 0; i < ranks; i++)
    offsets[i + 1] = offsets[i] + 2 * collect_elements(s, i);
  const bool first = s->rank == 0;
  uint16_t *all = first ? malloc(offsets[ranks] + 1) : NULL;
  uint16_t *o = first ? malloc(whole) : NULL;
  if (first && (!all || !o))
    watchdog_give_up(EXIT_IMPOSSIBLE, "Too little memory for the output.");
  ranks_collect(own, 2 * collect_elements(s, s->rank), all, offsets);
  if (first) {
    memset(o, NOT_A_NUMBER, whole);
    put_in_order(s, all, offsets, o);
  }
  free(all);
  return o;
}
