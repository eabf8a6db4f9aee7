#ifndef RING_PLAN_H
#define RING_PLAN_H

/* Which rank has which rows of a sequence, and which part of the scores it
 * computes at which step.
 *
 * The sequence is cut into 2P chunks whose lengths differ by at most one. Rank
 * r of P has the chunks r and 2P-1-r, the early one first: its rows stay in the
 * order of their positions, and under a causal mask all ranks have the same
 * work. Keys and values go from rank to rank, and at step t rank r has those of
 * rank r - t. */

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  int ranks;       /* P, at least 1 */
  int64_t seq_len; /* S, at least 1 */
  bool causal;
} ring_plan;

typedef struct {
  int64_t begin, rows; /* first position, and how many; rows may be 0 */
} ring_chunk;

/* The two chunks of a rank: 0 is the early one, 1 the late one. */
ring_chunk plan_chunk(const ring_plan *plan, int rank, int which);

/* The rows of a rank, both chunks together, and the most that any rank has. */
int64_t plan_rows(const ring_plan *plan, int rank);
int64_t plan_most_rows(const ring_plan *plan);

/* The position of a rank's row in the sequence. */
int64_t plan_position(const ring_plan *plan, int rank, int64_t row);

/* Whose keys a rank has at a step, 0 to P-1. */
int plan_source(const ring_plan *plan, int rank, int step);

/* What a rank computes at a step: these of its own rows against these of the
 * source's. Where it has nothing to do, queries is 0. */
typedef struct {
  int source;
  int64_t query, queries;
  int64_t key, keys;
  bool causal; /* the diagonal: as many keys as queries, row i sees 0 to i */
  bool first;  /* no part but step 0's has been merged into these rows */
  int64_t done; /* so many of these rows, the first ones, get no further part */
} ring_block;

ring_block plan_block(const ring_plan *plan, int rank, int step);

#endif
