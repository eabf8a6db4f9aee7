#include "tools/labs/ring/counts.h"

#include <stdlib.h>

enum { NOBODY = -1 };

/* Notes whose the rank's rows are. */
static bool note_rows(const ring_plan *plan, int rank, int *owners,
                      reason *why) {
  const long long length = plan->seq_len, rows = plan_rows(plan, rank);
  if (rows < 0 || rows > length)
    return refuse(why, "Rank %d has %lld rows of a sequence of %lld.", rank,
                  rows, length);
  for (long long row = 0; row < rows; row++) {
    const long long position = plan_position(plan, rank, row);
    if (position < 0 || position >= length)
      return refuse(why,
                    "Row %lld of rank %d is at position %lld of a sequence of "
                    "%lld.",
                    row, rank, position, length);
    if (owners[position] != NOBODY)
      return refuse(why,
                    "Position %lld is dealt twice, to rank %d and rank %d.",
                    position, owners[position], rank);
    owners[position] = rank;
  }
  return true;
}

static bool within(int64_t begin, int64_t count, int64_t rows) {
  return begin >= 0 && count >= 0 && begin <= rows && count <= rows - begin;
}

static bool blocks_fit(const ring_plan *plan, int rank, reason *why) {
  for (int step = 0; step < plan->ranks; step++) {
    const ring_block b = plan_block(plan, rank, step);
    const int source = plan_source(plan, rank, step);
    if (b.source != source)
      return refuse(why, "At step %d rank %d has the keys of rank %d, not %d.",
                    step, rank, source, b.source);
    if (!within(b.query, b.queries, plan_rows(plan, rank)) ||
        !within(b.key, b.keys, plan_rows(plan, source)))
      return refuse(why,
                    "At step %d rank %d computes %lld rows from %lld against "
                    "%lld keys from %lld, and it has %lld rows and %lld keys.",
                    step, rank, (long long)b.queries, (long long)b.query,
                    (long long)b.keys, (long long)b.key,
                    (long long)plan_rows(plan, rank),
                    (long long)plan_rows(plan, source));
  }
  return true;
}

bool dealt_right(const ring_plan *plan, reason *why) {
  int *owners = malloc((size_t)plan->seq_len * sizeof *owners);
  bool good = owners || refuse(why, "There is too little memory for a plan.");
  for (int64_t i = 0; good && i < plan->seq_len; i++) owners[i] = NOBODY;
  for (int rank = 0; good && rank < plan->ranks; rank++)
    good = note_rows(plan, rank, owners, why);
  for (int64_t i = 0; good && i < plan->seq_len; i++)
    if (owners[i] == NOBODY)
      good = refuse(why, "Position %lld is dealt to no rank.", (long long)i);
  for (int rank = 0; good && rank < plan->ranks; rank++)
    good = blocks_fit(plan, rank, why);
  free(owners);
  return good;
}

double dealt_scores(const ring_plan *plan, int rank) {
  double scores = 0.0;
  for (int step = 0; step < plan->ranks; step++) {
    const ring_block b = plan_block(plan, rank, step);
    const double rows = (double)b.queries;
    scores += b.causal ? rows * (rows + 1.0) / 2.0 : rows * (double)b.keys;
  }
  return scores;
}
