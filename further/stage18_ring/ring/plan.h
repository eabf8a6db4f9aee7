#pragma once

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/harness/problem.h"
#include "further/stage18_ring/ring/exchange.h"

/* Which rank has which rows of a sequence, and which part of the scores it
 * computes at which step.
 *
 * The sequence is cut into 2P chunks whose lengths differ by at most one. Rank
 * r of P has the chunks r and 2P-1-r, the early one first: its rows stay in the
 * order of their positions, and under a causal mask all ranks have the same
 * work. Keys and values go from rank to rank, and at step t rank r has those of
 * rank r - t. */

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

/* Codes and scales of a whole problem, row by row, so that each rank can make
 * its own: either those of a problem of the harness, or, where that would be
 * too large, numbers of a normal distribution that any rank can make again. */

enum { TENSOR_Q, TENSOR_K, TENSOR_V };

typedef struct {
  attention_shape shape;
  const problem *whole; /* or NULL */
  uint64_t seed;
  uint8_t *table; /* of a normal distribution; NULL with a problem */
} inputs;

inputs inputs_of_problem(const problem *p);

inputs inputs_new(const attention_shape *shape, uint64_t seed);
void inputs_free(inputs *in);

/* The codes of one row, D of them; heads are counted through the batches. */
void inputs_row(const inputs *in, int tensor, int64_t head, int64_t position,
                uint8_t *codes);
float inputs_scale(const inputs *in, int tensor, int64_t head);

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
  size_t slot_bytes;    /* as many as the largest message has */
  uint16_t *out, *part; /* [batch][heads][rows][D] */
  float *sum, *lse, *part_lse;
  size_t bytes; /* of device memory, all of these together */
} shard;

/* Where things lie in a message: codes of K and codes of V, each
 * [batch][kv_heads][rows][D] with the sender's rows; scales; the label. */
typedef struct {
  const uint8_t *k, *v;
  const float *k_scale, *v_scale;
  int64_t rows;
} keys_values;

/* Slots: 2 for a ring, as many as ranks for an all-gather. Ends all ranks where
 * memory is short. */
void shard_new(shard *s, const inputs *in, const ring_plan *plan, int rank,
               int slots);
void shard_free(shard *s);

/* The message of a rank that lies, or will lie, in a slot. */
message shard_slot(const shard *s, int slot, int source);

keys_values shard_read(const shard *s, message m, int source);

/* Fills out with NaN, so that what is not written shows. */
cudaError_t shard_poison(const shard *s, cudaStream_t stream);

/* The shape's, or 1 / sqrt(D). */
double shard_softmax_scale(const attention_shape *shape);

/* Rank 0 gets the outputs of all ranks, `own` of each, as one tensor: fp16
 * bits, [batch][heads][S][D], NaN where no rank has the row; to be freed. The
 * others get NULL. All ranks call it together. */
uint16_t *collect_output(const shard *s, const uint16_t *own);

/* How many numbers of the output are a rank's. */
size_t collect_elements(const shard *s, int rank);

/* One rank's attention: parts of it by libfp8attention, merged as they come. */

/* How keys and values get here: round the ring while those at hand are computed
 * with; round the ring, and only between computing; or all at the beginning. */
typedef enum { RING, SERIAL, ALL_GATHER, EXCHANGES } exchange_arm;

/* "ring", "serial", "all-gather". */
const char *exchange_arm_name(exchange_arm arm);

/* How many slots a shard must have for it. */
int exchange_arm_slots(exchange_arm arm, int ranks);

/* Gives `stream` all that leads to s->out and s->lse, together with all other
 * ranks; does not wait for it. `x` is NULL where there is one rank only; marks
 * may be NULL. Like the next two it ends all ranks where it cannot. */
void attend(shard *s, exchange *x, exchange_arm arm, cudaStream_t stream,
            marks *m);

/* The attention of one block alone, with so many multiprocessors (0: all), and
 * its merge, as attend starts them: for their times. */
void attend_part(shard *s, const ring_block *b, int multiprocessors,
                 cudaStream_t stream);
void attend_merge(shard *s, const ring_block *b, cudaStream_t stream);

/* How long a ring takes, from what was measured: the attention of each kind of
 * step, the merge, and the link. A rank goes on to the next step when it has
 * computed and the next keys are there; an exchange begins when both sides have
 * computed the step before. */

/* Whose keys a step has. Without a mask all take the same time. */
typedef enum { OWN_KEYS, EARLIER_KEYS, LATER_KEYS, STEP_KINDS } step_kind;

typedef struct {
  double step_us[STEP_KINDS][2]; /* of the attention: with the whole card, and
                                  * with what messages leave of it */
  double merge_row_ns;           /* a merge, by rows of all heads */
  double message_row_bytes, message_bytes; /* by rows, and whatever the rows */
  double latency_us, bytes_a_us;           /* of a link within a machine */
  double network_latency_us, network_bytes_a_us; /* of one between them */
  int ranks_a_machine;
} model_input;

/* Microseconds until the last rank is done. */
double model_ring_us(const model_input *in, const ring_plan *plan);
