/* Barriers of a block: __syncthreads, which every thread must reach, and the
 * named ones of bar.sync and bar.arrive, which count arrivals. */

#include "common/simt/access/counting.h"
#include "common/simt/run/flaws.h"
#include "common/simt/race/proxy.h"
#include "common/simt/race/race.h"

#include <string.h>

static uint64_t result_of(const barrier *r, simt_vote vote) {
  return vote == SIMT_ANY ? r->any : vote == SIMT_ALL ? r->all : r->count;
}

static void release(block *b, uint32_t id) {
  barrier *r = &b->barriers[id];
  simt_counters *counters = site_counters(b, SITE_BARRIER, r->pc);
  if (counters) counters->barriers++;
  uint32_t *clocks = id ? race_barrier_clocks(b, id) : NULL;
  if (id == 0) {
    race_block_barrier(b);
    proxy_block_barrier(b);
  }
  for (warp *w = b->warps; w < b->warps + b->warp_count; w++)
    for (uint32_t lanes = w->alive & ~w->ready; lanes; lanes &= lanes - 1) {
      thread *t = &w->first[__builtin_ctz(lanes)];
      if (t->request.kind != REQUEST_BARRIER || !t->request.filed ||
          t->request.barrier != id)
        continue;
      if (clocks) race_leave(b, t, clocks);
      t->result = result_of(r, t->request.vote);
      w->ready |= 1u << t->lane;
    }
  if (clocks) memset(clocks, 0, race_row_size(b));
  memset(r, 0, sizeof *r);
}

static void compare_with_first(block *b, const barrier *r, const thread *t) {
  const request *q = &t->request;
  if (q->barrier == 0 && q->pc != r->pc)
    flaw_report(b, SIMT_BARRIER_LINES, q->pc, r->pc, t->id, r->first_thread,
                "threads of one block meet at two different __syncthreads()");
  if (q->threads != r->threads)
    flaw_report(b, SIMT_BARRIER_COUNT, q->pc, r->pc, t->id, r->first_thread,
                "named barrier %u expects %u threads here and %u there",
                q->barrier, q->threads, r->threads);
}

void barrier_request(block *b, thread *t) {
  request *q = &t->request;
  barrier *r = &b->barriers[q->barrier];
  if (r->arrived == 0) {
    r->pc = q->pc;
    r->threads = q->threads;
    r->first_thread = t->id;
    r->all = 1;
  } else {
    compare_with_first(b, r, t);
  }
  r->arrived++;
  r->any |= q->value != 0;
  r->all &= q->value != 0;
  r->count += q->value != 0;
  if (q->barrier) race_arrive(b, t, race_barrier_clocks(b, q->barrier));
  q->filed = true;
  warp *w = &b->warps[t->id / WARP_SIZE];
  if (q->kind == REQUEST_ARRIVE) w->ready |= 1u << t->lane;
  if (q->barrier == 0 ? r->arrived == b->alive : r->arrived >= r->threads) {
    if (q->barrier == 0 && r->arrived < b->thread_count)
      flaw_report(b, SIMT_BARRIER_EXIT, r->pc, 0, r->first_thread, t->id,
                  "%u of %u threads meet here; the others have returned",
                  r->arrived, b->thread_count);
    release(b, q->barrier);
  }
}

void barrier_thread_exit(block *b, thread *t) {
  const barrier *r = &b->barriers[0];
  if (r->arrived == 0 || r->arrived < b->alive) return;
  flaw_report(b, SIMT_BARRIER_EXIT, r->pc, 0, r->first_thread, t->id,
              "%u of %u threads meet here; the others have returned",
              r->arrived, b->thread_count);
  release(b, 0);
}

/* ---- what kernels call ---- */

static int block_barrier(int predicate, simt_vote vote, uint32_t pc) {
  block *b = simt_here;
  thread *t = b->running;
  block_request(b, (request){.kind = REQUEST_BARRIER,
                             .pc = pc,
                             .value = predicate != 0,
                             .vote = vote});
  return (int)t->result;
}

void simt_syncthreads(void) { block_barrier(0, SIMT_ANY, CALLER); }

int simt_syncthreads_vote(int predicate, simt_vote vote) {
  return block_barrier(predicate, vote, CALLER);
}

static void named_barrier(request_kind kind, unsigned id, unsigned threads,
                          uint32_t pc) {
  block *b = simt_here;
  if (id == 0 || id >= BARRIERS || threads == 0 || threads % WARP_SIZE ||
      threads > b->thread_count) {
    flaw_report(b, SIMT_USAGE, pc, 0, b->running->id, b->running->id,
                "a named barrier takes a number from 1 to 15 and a multiple "
                "of 32 threads of the block, not %u and %u",
                id, threads);
    block_abort(b, cudaErrorIllegalInstruction);
  }
  block_request(b, (request){.kind = kind,
                             .pc = pc,
                             .barrier = id,
                             .threads = threads});
}

void simt_barrier_sync(unsigned id, unsigned threads) {
  named_barrier(REQUEST_BARRIER, id, threads, CALLER);
}

void simt_barrier_arrive(unsigned id, unsigned threads) {
  named_barrier(REQUEST_ARRIVE, id, threads, CALLER);
}
