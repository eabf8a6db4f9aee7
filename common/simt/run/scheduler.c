/* Runs one block: its threads in turn, warp by warp, until all have returned.
 * A warp's lanes run one after the other, each up to its next request.
 *
 * How a block that hangs is known. A request that only asks, one look at a flag
 * or at an mbarrier in a loop, changes nothing by itself; every other one is a
 * step on. There are two cases.
 *   Nobody is ready: all threads wait for each other, and will for ever.
 *   Some are ready, and all that they do is to ask. What they ask for may come
 *   from a thread whose turn is later, or from another block, so they may ask
 *   often. After PATIENCE rounds in which no lane did anything else, and nobody
 *   was granted what he asked for, and some time in which no other OS thread
 *   did more than ask, it will not come any more.
 * The finding is a livelock where a thread loops over a flag of the kernel's,
 * and a deadlock where all wait in the hardware's own ways.
 *
 * In the code, `moved` says that in this round a lane did more than ask, if
 * only to let others catch up, and b->progress counts the requests that were a
 * step on, and those granted. `idle` counts the rounds that had neither. A
 * thread that runs for ever without any request keeps the scheduler from its
 * next round: watch.c sees that b->progress stands still. */

#include "common/simt/run/finding.h"
#include "common/simt/run/launch.h"
#include "common/simt/run/mechanism.h"
#include "common/simt/run/turns.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PATIENCE = 20000 };

static void thread_main(void) {
  block *b = simt_here;
  b->launch->call(b->launch->kernel, b->launch->arguments);
  for (;;) block_request(b, (request){.kind = REQUEST_EXIT});
}

static void start(block *b) {
  b->alive = b->thread_count;
  b->steps = 0;
  b->block_ticks = 0;
  b->progress++;
  for (warp *w = b->warps; w < b->warps + b->warp_count; w++) {
    w->alive = w->ready = w->exists;
    w->held = 0;
  }
  for (thread *t = b->threads; t < b->threads + b->thread_count; t++) {
    t->request = (request){.kind = REQUEST_YIELD};
    /* Stacks that began alike would fight for the same lines of the cache. */
    const size_t size = STACK_SIZE - t->id % 64 * 1024;
    fibre_prepare(&t->fibre, t->stack, size, thread_main);
  }
  FOR_EACH_MECHANISM(b, start_block, b);
}

/* One pass over the lanes that can run. True when one of them moved. */
static bool warp_run(block *b, warp *w) {
  bool moved = false;
  for (uint32_t lanes = w->ready & ~w->held; lanes; lanes &= lanes - 1) {
    /* What one has done for too long, the next would do as well. */
    if (b->error == cudaErrorLaunchTimeout) break;
    thread *t = &w->first[__builtin_ctz(lanes)];
    b->running = t;
    fibre_switch(&b->scheduler, &t->fibre);
    b->steps++;
    if (b->lane_stopped) b->lane_stopped(b, t->lane);
    const request *r = &t->request;
    if (!r->asks) moved = true;
    if (r->kind == REQUEST_YIELD || r->kind == REQUEST_SPIN) continue;
    w->ready &= ~(1u << t->lane);
    if (!r->asks) b->progress++;
  }
  b->running = NULL;
  return moved;
}

/* Only checks look at what lanes do between their requests. */
static bool must_run_again(block *b, warp *w) {
  bool again = false;
  if (!b->checks) return false;
  for (mechanism *const *m = b->mechanisms; *m; m++)
    if ((*m)->warp_stopped) again |= (*m)->warp_stopped(b, w);
  return again;
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
  finding *f = finding_note(b, kind, first->request.pc,
                            other ? other->request.pc : 0, first->id,
                            other ? other->id : first->id);
  if (f && other)
    snprintf(f->sentence, sizeof f->sentence,
             "%u thread%s in %s, %u in %s, for ever", first_count,
             first_count == 1 ? " waits" : "s wait",
             mechanism_waits_in(&first->request), other_count,
             mechanism_waits_in(&other->request));
  else if (f)
    snprintf(f->sentence, sizeof f->sentence,
             "%u of %u threads wait in %s for ever", first_count,
             b->thread_count, mechanism_waits_in(&first->request));
  const size_t used = f ? strlen(f->sentence) : 0;
  if (f && kind == SIMT_LIVELOCK && b->launch->grid.x > 1)
    snprintf(f->sentence + used, sizeof f->sentence - used,
             "; if it is for another block, nobody promises that it runs");
  if (f) waiting_list(b, f);
  if (f) FOR_EACH_MECHANISM(b, explain, b, f);
  b->error = cudaErrorLaunchTimeout;
}

static void exits(block *b, warp *w) {
  for (uint32_t lanes = w->alive & ~w->ready; lanes; lanes &= lanes - 1) {
    thread *t = &w->first[__builtin_ctz(lanes)];
    if (t->request.kind != REQUEST_EXIT) continue;
    w->alive &= ~(1u << t->lane);
    b->alive--;
    if (!b->error) FOR_EACH_MECHANISM(b, thread_exit, b, t);
  }
}

/* Requests that a thread makes for itself; the warp's come after them. */
static void requests(block *b, warp *w) {
  for (uint32_t lanes = w->alive & ~w->ready; lanes; lanes &= lanes - 1) {
    thread *t = &w->first[__builtin_ctz(lanes)];
    const request *r = &t->request;
    if (r->kind == REQUEST_CARRY_OUT && !r->filed && r->to->carry_out)
      r->to->carry_out(b, t);
  }
}

static uint64_t moves_of_others(const block *b) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < launch_worker_count; i++)
    if (launch_workers[i] != b)
      sum += __atomic_load_n(&launch_workers[i]->moves, __ATOMIC_RELAXED);
  return sum;
}

/* Another OS thread, which the system may have kept waiting, goes on with a
 * block that this one may wait for. */
static bool others_move(const block *b) {
  enum { STEPS = 300 };
  const uint64_t before = moves_of_others(b);
  for (int i = 0; i < STEPS && launch_worker_count > 1; i++) {
    usleep(1000);
    if (moves_of_others(b) != before) return true;
  }
  return false;
}

static void run(block *b) {
  uint32_t idle = 0; /* rounds without a step on: see above */
  uint64_t progress = b->progress;
  uint8_t turns[MAX_WARPS];
  turns_start(b);
  while (b->alive && !b->error) {
    bool ran = false, moved = false;
    turns_next(b, turns);
    for (uint32_t i = 0; i < b->warp_count; i++) {
      warp *w = &b->warps[turns[i]];
      if (!w->ready) continue;
      const uint32_t before = w->ready;
      ran = true;
      do
        moved |= warp_run(b, w);
      while (must_run_again(b, w));
      if (w->ready == before) continue; /* nobody has filed a request */
      exits(b, w);
      requests(b, w);
      warp_requests(b, w);
      if (b->error) return;
    }
    idle = moved || b->progress != progress ? 0 : idle + 1;
    progress = b->progress;
    if (moved) b->moves++;
    if (!ran || (idle > PATIENCE && !others_move(b))) stuck(b);
    if (idle > PATIENCE) idle = 0;
  }
}

void scheduler_run(block *b) {
  simt_here = b;
  start(b);
  run(b);
  FOR_EACH_MECHANISM(b, end_block, b);
}
