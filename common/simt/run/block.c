/* Runs one block: its threads in turn, warp by warp, until all have returned.
 * A warp's lanes run one after the other, each up to its next request. */

#include "common/simt/run/flaws.h"
#include "common/simt/sync/mbarrier.h"
#include "common/simt/tensor/tma.h"
#include "common/simt/tensor/warpgroup.h"

#include <string.h>

enum { PATIENCE = 20000 }; /* rounds in which nobody gets on: a livelock */

void block_request(block *b, request r) {
  b->running->request = r;
  fibre_switch(&b->running->fibre, &b->scheduler);
}

_Noreturn void block_abort(block *b, cudaError_t error) {
  b->error = error;
  for (;;) block_request(b, (request){.kind = REQUEST_EXIT});
}

static void thread_main(void) {
  block *b = simt_here;
  b->launch->call(b->launch->kernel, b->launch->arguments);
  for (;;) block_request(b, (request){.kind = REQUEST_EXIT});
}

static void start(block *b) {
  b->alive = b->thread_count;
  b->steps = 0;
  b->progress++;
  memset(b->barriers, 0, sizeof b->barriers);
  warpgroup_start_block(b);
  b->tma_count = 0;
  for (warp *w = b->warps; w < b->warps + b->warp_count; w++)
    w->alive = w->ready = w->exists;
  for (thread *t = b->threads; t < b->threads + b->thread_count; t++) {
    t->request.kind = REQUEST_NONE;
    t->copy_count = t->committed = t->logged = 0;
    /* Stacks that began alike would fight for the same lines of the cache. */
    const size_t size = STACK_SIZE - t->id % 64 * 1024;
    fibre_prepare(&t->fibre, t->stack, size, thread_main);
  }
}

/* One pass over the lanes that can run. True when one got on. */
static bool warp_run(block *b, warp *w) {
  bool moved = false;
  for (uint32_t lanes = w->ready; lanes; lanes &= lanes - 1) {
    thread *t = &w->first[__builtin_ctz(lanes)];
    if (t->logged == LOG_LENGTH) continue; /* the other lanes are behind */
    t->request.kind = REQUEST_NONE;
    b->running = t;
    fibre_switch(&b->scheduler, &t->fibre);
    b->steps++;
    const request_kind kind = t->request.kind;
    const bool asks = kind == REQUEST_SPIN || kind == REQUEST_MBARRIER_WAIT;
    if (!asks) moved = true;
    if (kind == REQUEST_NONE || kind == REQUEST_SPIN) continue;
    w->ready &= ~(1u << t->lane);
    if (!asks) b->progress++;
  }
  b->running = NULL;
  return moved;
}

static const char *waits_in(const request *r) {
  switch (r->kind) {
  case REQUEST_BARRIER:
    return r->threads ? "a named barrier" : "__syncthreads()";
  case REQUEST_SYNCWARP:
    return "__syncwarp()";
  case REQUEST_SHUFFLE:
    return "a shuffle";
  case REQUEST_BALLOT:
    return "a vote";
  case REQUEST_REDUCE:
    return "a reduction";
  case REQUEST_MULTIPLY:
  case REQUEST_MMA:
    return "a matrix product";
  case REQUEST_LDMATRIX:
    return "ldmatrix";
  case REQUEST_STMATRIX:
    return "stmatrix";
  case REQUEST_WARPGROUP:
    return warpgroup_waits_in(r->call);
  case REQUEST_MBARRIER_WAIT:
    return "a loop that waits for an mbarrier";
  default:
    return r->spins_in;
  }
}

/* Nobody can go on: names the first place where threads wait, and a second
 * that differs from it. */
static void stuck(block *b) {
  simt_finding_kind kind = SIMT_DEADLOCK;
  const thread *first = NULL, *other = NULL;
  uint32_t first_count = 0, other_count = 0;
  for (thread *t = b->threads; t < b->threads + b->thread_count; t++) {
    if (t->request.kind == REQUEST_EXIT) continue;
    if (t->request.kind == REQUEST_SPIN) kind = SIMT_LIVELOCK;
    if (!first) first = t;
    if (t->request.pc == first->request.pc) {
      first_count++;
      continue;
    }
    if (!other) other = t;
    if (t->request.pc == other->request.pc) other_count++;
  }
  flaw *f = flaw_note(b, kind, first->request.pc,
                      other ? other->request.pc : 0, first->id,
                      other ? other->id : first->id);
  if (f && other)
    snprintf(f->sentence, sizeof f->sentence,
             "%u threads wait in %s, %u in %s, for ever", first_count,
             waits_in(&first->request), other_count,
             waits_in(&other->request));
  else if (f)
    snprintf(f->sentence, sizeof f->sentence,
             "%u of %u threads wait in %s for ever", first_count,
             b->thread_count, waits_in(&first->request));
  if (f) mbarrier_name_culprit(b, f);
  b->error = cudaErrorLaunchTimeout;
}

static void exits(block *b, warp *w) {
  for (uint32_t lanes = w->alive & ~w->ready; lanes; lanes &= lanes - 1) {
    thread *t = &w->first[__builtin_ctz(lanes)];
    if (t->request.kind != REQUEST_EXIT) continue;
    w->alive &= ~(1u << t->lane);
    b->alive--;
    if (b->error) continue;
    async_exit(b, t);
    warpgroup_exit(b, t);
    barrier_thread_exit(b, t);
  }
}

static void barriers(block *b, warp *w) {
  for (uint32_t lanes = w->alive & ~w->ready; lanes; lanes &= lanes - 1) {
    thread *t = &w->first[__builtin_ctz(lanes)];
    const request_kind kind = t->request.kind;
    if (t->request.filed) continue;
    if (kind == REQUEST_BARRIER || kind == REQUEST_ARRIVE)
      barrier_request(b, t);
    if (kind == REQUEST_MBARRIER_ARRIVE || kind == REQUEST_MBARRIER_WAIT)
      mbarrier_request(b, t);
    if (kind == REQUEST_TMA || kind == REQUEST_PROXY_FENCE) tma_request(b, t);
    if (kind == REQUEST_WARPGROUP) warpgroup_request(b, t);
  }
}

void block_run(block *b) {
  start(b);
  shared_poison(b);
  uint32_t idle = 0;
  uint64_t progress = b->progress;
  while (b->alive && !b->error) {
    bool ran = false, moved = false;
    for (warp *w = b->warps; w < b->warps + b->warp_count; w++) {
      if (!w->ready) continue;
      const uint32_t before = w->ready;
      ran = true;
      do
        moved |= warp_run(b, w);
      while (log_digest(b, w));
      if (w->ready == before) continue; /* nobody has filed a request */
      exits(b, w);
      barriers(b, w);
      warp_requests(b, w);
      if (b->error) return;
    }
    idle = moved || b->progress != progress ? 0 : idle + 1;
    progress = b->progress;
    if (!ran || idle > PATIENCE) stuck(b);
  }
  tma_block_end(b);
}
