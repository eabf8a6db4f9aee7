/* Runs the ring that it is linked with on inputs from a file, and puts its
 * outputs into another, as tools/labs/judge/attempt.c does it for a kernel.
 *   launch.py RANKS attempt INPUTS OUTPUTS [COUNTS]
 * COUNTS: what an instrumented program counted of all inputs, as JSON. */

#include <stdlib.h>

#include "common/harness/launch.h"
#include "common/harness/program.h"
#include "common/simt/simt.h"
#include "further/stage18_ring/merge.h"
#include "further/stage18_ring/ranks/ranks.h"
#include "further/stage18_ring/ring/plan.h"
#include "further/stage18_ring/run.h"
#include "tools/labs/judge/judge.h"
#include "tools/labs/judge/launched.h"
#include "tools/labs/ring/counts.h"

/* Seconds that a thread may go on without meeting another, and a block. */
enum { LONGEST_ALONE = 3, BLOCK_SECONDS = 10 };

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
/* The linker's --wrap */
cudaError_t __real_merge_launch(const merge_args *, cudaStream_t);
static cudaError_t start(const void *args, cudaStream_t stream) {
  return __real_merge_launch(args, stream);
}
enum { WIDEST = 1024, MORE_BITS = 50 };
/* While CUDA refuses all launches: each head_dim, and others that end in the
 * same bits. */
static const char *takes_others(const void *args, cudaStream_t stream) {
  merge_args a = *(const merge_args *)args;
  const int64_t d = a.head_dim;
  for (int i = 0; i <= WIDEST + MORE_BITS; i++) {
    a.head_dim = i <= WIDEST ? i : d + (1LL << (i - WIDEST + 7));
    const bool named = a.head_dim == 64 || a.head_dim == 128;
    const int before = launched_so_far();
    if (!launched_right(named, before, start(&a, stream)))
      return named ? "merge_launch refuses a head_dim that merge.h names"
                   : "merge_launch takes a head_dim that merge.h does not name";
  }
  return NULL;
}
cudaError_t __wrap_merge_launch(const merge_args *args, cudaStream_t stream) {
  (void)stream;
  const void *inputs[] = {args->part, args->part_lse};
  for (int i = 0; i < 2; i++) simt_input(inputs[i], true);
  const cudaError_t error = launched(start, args, sizeof *args, takes_others);
  for (int i = 0; i < 2; i++) simt_input(inputs[i], false);
  return error;
}

/* Where a rank is, and whom it exchanges keys with. */
typedef struct {
  rank_place place;
  cudaStream_t stream;
  exchange *x;
  FILE *outputs; /* of rank 0 */
} ring;

static bool run(const ring *r, shard *s, uint16_t *own, reason *why) {
  cudaError_t error = shard_poison(s, r->stream);
  if (!error) attend(s, r->x, RING, r->stream, NULL);
  if (!error) error = cudaStreamSynchronize(r->stream);
  if (!error)
    error = cudaMemcpy(own, s->out, 2 * collect_elements(s, s->rank),
                       cudaMemcpyDeviceToHost);
  return !error || refuse(why, "Rank %d's device fails: %s.", s->rank,
                          cudaGetErrorString(error));
}

static bool put_away(const ring *r, const attention_shape *shape,
                     const uint16_t *o, reason *why) {
  reason failed = *why;
  return !r->outputs ||
         outputs_write(r->outputs, o, attention_shape_elements(shape),
                       &failed) ||
         refuse(why, "The outputs cannot be written.");
}

static bool attempt(const ring *r, const ring_plan *plan, const inputs *in,
                    reason *why) {
  shard s;
  watchdog_works("computing");
  shard_new(&s, in, plan, r->place.rank,
            exchange_arm_slots(RING, plan->ranks));
  uint16_t *own = malloc(2 * collect_elements(&s, s.rank) + 1);
  bool good = own ? run(r, &s, own, why)
                  : refuse(why, "There is too little memory for the output.");
  if (good) {
    uint16_t *o = collect_output(&s, own);
    good = put_away(r, &in->shape, o, why);
    free(o);
  }
  free(own);
  shard_free(&s);
  return good;
}

/* Scores of this rank; a plan that cannot be run is an output that did not come
 * back, on all ranks alike. */
static double attempt_all(const ring *r, FILE *file) {
  problem p;
  int multiprocessors, more;
  double scores = 0.0;
  reason why = {""};
  while ((more = inputs_read(file, &p, &multiprocessors, &why)) > 0) {
    const ring_plan plan = {r->place.ranks, p.shape.seq_len, p.shape.causal};
    const inputs in = inputs_of_problem(&p);
    device_set_multiprocessors(multiprocessors);
    bool good = dealt_right(&plan, &why);
    if (good) {
      scores += dealt_scores(&plan, r->place.rank);
      good = attempt(r, &plan, &in, &why);
    } else {
      good = put_away(r, &p.shape, NULL, &why);
    }
    problem_free(&p);
    if (!good) watchdog_give_up(EXIT_IMPOSSIBLE, "%s", why.text);
  }
  if (more < 0) watchdog_give_up(EXIT_IMPOSSIBLE, "%s", why.text);
  return scores;
}

int main(int argc, char **argv) {
  reason why;
  if (argc < 3 || argc > 4)
    return give_up("attempt", EXIT_USAGE,
                   "It needs INPUTS and OUTPUTS, and may have COUNTS.");
  ring r = {.place = ranks_begin("attempt", &argc, &argv)};
  const bool first = r.place.rank == 0;
  FILE *file = fopen(argv[1], "rb");
  if (first) r.outputs = fopen(argv[2], "wb");
  if (!file || (first && !r.outputs))
    watchdog_give_up(EXIT_IMPOSSIBLE, "Its files cannot be opened.");
  simt_set_patience(LONGEST_ALONE, BLOCK_SECONDS);
  const exchange_options options = {.rank = r.place.rank,
                                    .ranks = r.place.ranks,
                                    .arrival = WHEN_IT_COMES};
  if (r.place.ranks > 1) r.x = exchange_open(&options);
  if (argc == 4) counts_begin();
  const double scores = attempt_all(&r, file);
  if (argc == 4 && !counts_end(scores, argv[3], first, &why))
    watchdog_give_up(EXIT_IMPOSSIBLE, "%s", why.text);
  exchange_close(r.x);
  fclose(file);
  if (first && fclose(r.outputs))
    watchdog_give_up(EXIT_IMPOSSIBLE, "The outputs cannot be written.");
  ranks_end();
  return EXIT_PASS;
}
