/* Barriers of a block: __syncthreads, which every thread must reach, and the
 * named ones of bar.sync and bar.arrive, which count arrivals. */

#include "common/simt/sync/barrier.h"
#include "common/simt/access/site.h"
#include "common/simt/race/order.h"

#include <string.h>

enum { SYNC, ARRIVE };

typedef struct {
  uint32_t arrived, threads, pc, first_thread;
  uint32_t any, all, count;
} barrier;

static barrier *all_of(const block *b) {
  return mechanism_state(b, &barriers);
}

static uint64_t result_of(const barrier *r, simt_vote vote) {
  return vote == SIMT_ANY ? r->any : vote == SIMT_ALL ? r->all : r->count;
}

static void release(block *b, uint32_t id) {
  barrier *r = &all_of(b)[id];
  simt_counters *counters = site_counters(b, SITE_BARRIER, r->pc);
  if (counters) counters->barriers++;
  uint32_t *clocks = id ? order_barrier_clocks(b, id) : NULL;
  if (id == 0) FOR_EACH_MECHANISM(b, block_barrier, b);
  for (warp *w = b->warps; w < b->warps + b->warp_count; w++)
    for (uint32_t lanes = w->alive & ~w->ready; lanes; lanes &= lanes - 1) {
      thread *t = &w->first[__builtin_ctz(lanes)];
      const request *q = &t->request;
      if (q->kind != REQUEST_CARRY_OUT || q->to != &barriers || !q->filed ||
          q->operation != SYNC || q->barrier.id != id)
        continue;
      if (clocks) order_leave(b, t, clocks);
      t->result = result_of(r, q->barrier.vote);
      w->ready |= 1u << t->lane;
    }
  if (clocks) memset(clocks, 0, order_row_size(b));
  memset(r, 0, sizeof *r);
}

static void compare_with_first(block *b, const barrier *r, const thread *t) {
  const request *q = &t->request;
  if (q->barrier.id == 0 && q->pc != r->pc)
    finding_report(b, SIMT_BARRIER_LINES, q->pc, r->pc, t->id, r->first_thread,
                   "threads of one block meet at two different "
                   "__syncthreads()");
  if (q->barrier.threads != r->threads)
    finding_report(b, SIMT_BARRIER_COUNT, q->pc, r->pc, t->id, r->first_thread,
                   "named barrier %u expects %u threads here and %u there",
                   q->barrier.id, q->barrier.threads, r->threads);
}

static void report_exit(block *b, const barrier *r, const thread *t) {
  finding_report(b, SIMT_BARRIER_EXIT, r->pc, 0, r->first_thread, t->id,
                 "%u of %u threads meet here; the others have returned",
                 r->arrived, b->thread_count);
}

static void carry_out(block *b, thread *t) {
  request *q = &t->request;
  const uint32_t id = q->barrier.id;
  barrier *r = &all_of(b)[id];
  if (r->arrived == 0) {
    r->pc = q->pc;
    r->threads = q->barrier.threads;
    r->first_thread = t->id;
    r->all = 1;
  } else {
    compare_with_first(b, r, t);
  }
  r->arrived++;
  r->any |= q->barrier.predicate;
  r->all &= q->barrier.predicate;
  r->count += q->barrier.predicate;
  if (id) order_arrive(b, t, order_barrier_clocks(b, id));
  q->filed = true;
  if (q->operation == ARRIVE) block_make_ready(b, t);
  if (id == 0 ? r->arrived == b->alive : r->arrived >= r->threads) {
    if (id == 0 && r->arrived < b->thread_count) report_exit(b, r, t);
    release(b, id);
  }
}

static void thread_exit(block *b, thread *t) {
  const barrier *r = &all_of(b)[0];
  if (r->arrived == 0 || r->arrived < b->alive) return;
  report_exit(b, r, t);
  release(b, 0);
}

static void start_block(block *b) {
  memset(all_of(b), 0, BARRIERS * sizeof(barrier));
}

static const char *waits_in(const request *r) {
  return r->barrier.threads ? "a named barrier" : "__syncthreads()";
}

mechanism barriers = {.name = "a barrier",
                      .state_size = BARRIERS * sizeof(barrier),
                      .start_block = start_block,
                      .carry_out = carry_out,
                      .waits_in = waits_in,
                      .thread_exit = thread_exit};

/* ---- what kernels call ---- */

static int block_barrier(bool predicate, simt_vote vote, uint32_t pc) {
  block *b = simt_here;
  thread *t = b->running;
  block_request(b, (request){.kind = REQUEST_CARRY_OUT,
                             .pc = pc,
                             .to = &barriers,
                             .operation = SYNC,
                             .barrier = {.predicate = predicate,
                                         .vote = vote}});
  return (int)t->result;
}

void simt_syncthreads(void) { block_barrier(false, SIMT_ANY, CALLER); }

int simt_syncthreads_vote(int predicate, simt_vote vote) {
  return block_barrier(predicate != 0, vote, CALLER);
}

static void named_barrier(uint8_t operation, unsigned id, unsigned threads,
                          uint32_t pc) {
  block *b = simt_here;
  if (id == 0 || id >= BARRIERS || threads == 0 || threads % WARP_SIZE ||
      threads > b->thread_count) {
    finding_of_running(b, SIMT_USAGE, pc,
                       "a named barrier takes a number from 1 to 15 and a "
                       "multiple of 32 threads of the block, not %u and %u",
                       id, threads);
    block_abort(b, cudaErrorIllegalInstruction);
  }
  block_request(b, (request){.kind = REQUEST_CARRY_OUT,
                             .pc = pc,
                             .to = &barriers,
                             .operation = operation,
                             .barrier = {.id = id, .threads = threads}});
}

void simt_barrier_sync(unsigned id, unsigned threads) {
  named_barrier(SYNC, id, threads, CALLER);
}

void simt_barrier_arrive(unsigned id, unsigned threads) {
  named_barrier(ARRIVE, id, threads, CALLER);
}
