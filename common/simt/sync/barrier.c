/* Barriers of a block: __syncthreads, which every thread must reach, and the
 * named ones of bar.sync and bar.arrive, which count arrivals. */

#include "common/simt/race/race.h"
#include "common/simt/run/launch.h"
#include "common/simt/sync/sync.h"

enum { SYNC, ARRIVE, BLOCK }; /* at a named one; __syncthreads */

static const char *const names[] = {"a named barrier", "a named barrier",
                                    "__syncthreads()"};

typedef struct {
  uint32_t arrived, threads, pc, first_thread;
  uint32_t count; /* of those whose predicate is true */
} barrier;

typedef struct {
  barrier all[BARRIERS];
  /* Of named ones, for the race check; both count on over the blocks. */
  uint64_t uses[BARRIERS];
  struct {
    uint64_t use; /* the latest that the thread has arrived at, from 1 on, */
    uint32_t pc;  /* and where */
  } arrivals[BARRIERS][2][MAX_THREADS]; /* of even uses, of odd ones */
  /* In this use, of each warp: the lanes that synced, those that arrived. */
  uint32_t lanes[BARRIERS][2][MAX_THREADS / WARP_SIZE];
} state;

static state *state_of(const block *b) {
  return mechanism_state(b, &barriers);
}

/* bar.sync and bar.arrive count whole warps: part of one is no arrival. */
static void check_whole_warps(block *b, uint32_t id) {
  const state *s = state_of(b);
  const barrier *r = &s->all[id];
  for (uint32_t i = 0; i < b->warp_count; i++) {
    const warp *w = &b->warps[i];
    const uint32_t came = s->lanes[id][SYNC][i] | s->lanes[id][ARRIVE][i];
    const uint32_t missing = came ? w->exists & ~came : 0;
    if (!missing) continue;
    const uint32_t one = i * WARP_SIZE + (uint32_t)__builtin_ctz(came);
    const uint32_t other = i * WARP_SIZE + (uint32_t)__builtin_ctz(missing);
    finding_report(b, SIMT_BARRIER_COUNT, r->pc, 0, one, other,
                   "named barrier %u opens when %d lanes of warp %u have come "
                   "and %d have not: it counts whole warps",
                   id, __builtin_popcount(came), i,
                   __builtin_popcount(missing));
  }
}

static void release(block *b, uint32_t id) {
  barrier *r = &state_of(b)->all[id];
  site_counters(b, "barrier", r->pc)->barriers++;
  uint32_t *clocks = id ? order_barrier_clocks(b, id) : NULL;
  if (id == 0) FOR_EACH_MECHANISM(b, block_barrier, b);
  for (warp *w = b->warps; w < b->warps + b->warp_count; w++)
    FOR_EACH_LANE(lane, w->alive & ~w->ready) {
      thread *t = &w->first[lane];
      const request *q = &t->request;
      if (q->kind != REQUEST_CARRY_OUT || q->to != &barriers || !q->filed ||
          q->operation == ARRIVE || q->barrier.id != id)
        continue;
      if (clocks) order_leave(b, t, clocks);
      t->result = q->barrier.vote == SIMT_ANY   ? r->count > 0
                  : q->barrier.vote == SIMT_ALL ? r->count == r->arrived
                                                : r->count;
      w->ready |= 1u << t->lane;
    }
  if (clocks) {
    check_whole_warps(b, id);
    memset(state_of(b)->lanes[id], 0, sizeof state_of(b)->lanes[id]);
    memcpy(order_barrier_clocks(b, BARRIERS + id), clocks, order_row_size(b));
    memset(clocks, 0, order_row_size(b));
    state_of(b)->uses[id]++;
  }
  memset(r, 0, sizeof *r);
}

static void compare_with_first(block *b, const barrier *r, const thread *t) {
  const request *q = &t->request;
  uint32_t places[2];
  if (q->barrier.id == 0 &&
      came_otherwise(b, t, &b->threads[r->first_thread], places))
    finding_report(b, SIMT_BARRIER_LINES, places[0], places[1], t->id,
                   r->first_thread,
                   "threads of one block meet at two different "
                   "__syncthreads()");
  if (q->barrier.threads != r->threads)
    finding_report(b, SIMT_BARRIER_COUNT, q->pc, r->pc, t->id, r->first_thread,
                   "named barrier %u expects %u threads here and %u there",
                   q->barrier.id, q->barrier.threads, r->threads);
}

static void report_exit(block *b, const barrier *r, const thread *t) {
  finding_report(b, SIMT_BARRIER_EXIT, r->pc, 0, r->first_thread, t->id,
                 "%u of %u threads meet here; the others have returned, which "
                 "the barrier allows since Volta",
                 r->arrived, b->thread_count);
}

/* Who arrives must know that the barrier's last use has ended: if not, he could
 * have come earlier, and been taken for one of those who met there. A warp's
 * lanes arrive together. */
static void check_reuse(block *b, uint32_t id, const thread *t) {
  state *s = state_of(b);
  const uint32_t *ended = order_barrier_clocks(b, BARRIERS + id);
  const uint32_t pc = t->request.pc;
  const uint64_t last = s->uses[id];
  const warp *w = &b->warps[t->id / WARP_SIZE];
  for (uint32_t other = 0; last && other < b->thread_count; other++) {
    if (s->arrivals[id][last % 2][other].use != last ||
        other / WARP_SIZE == w->id ||
        order_unordered(b, ended[other], other, w, 1u << t->lane) == WARP_SIZE)
      continue;
    finding_report(b, SIMT_BARRIER_REUSE, pc,
                   s->arrivals[id][last % 2][other].pc, t->id, other,
                   "named barrier %u is used here before its use there is sure "
                   "to have ended: nothing puts the two in order",
                   id);
    break;
  }
}

/* All lanes of a warp come by one instruction, and by the same calls; what the
 * compiler has copied to two places is one, and left out of the results. Who
 * only arrives may have gone on since. */
static void check_same_instruction(block *b, uint32_t id, const thread *t) {
  const state *s = state_of(b);
  for (int operation = SYNC; operation <= ARRIVE; operation++) {
    const uint32_t others = s->lanes[id][operation][t->id / WARP_SIZE];
    if (!others) continue;
    const uint32_t other = t->id / WARP_SIZE * WARP_SIZE +
                           (uint32_t)__builtin_ctz(others);
    uint32_t places[] = {
        t->request.pc, s->arrivals[id][(s->uses[id] + 1) % 2][other].pc};
    const bool both = operation == t->request.operation;
    if (both && places[0] == places[1] &&
        (b->threads[other].request.pc != places[1] ||
         !came_otherwise(b, t, &b->threads[other], places)))
      continue;
    finding_report(b, SIMT_BARRIER_LINES, places[0], places[1], t->id, other,
                   "lanes of one warp meet at named barrier %u%s", id,
                   both ? " from two places"
                        : ": some wait there, and some only arrive");
  }
}

static void carry_out(block *b, thread *t) {
  request *q = &t->request;
  const uint32_t id = q->barrier.id;
  state *s = state_of(b);
  barrier *r = &s->all[id];
  if (r->arrived == 0) {
    r->pc = q->pc;
    r->threads = q->barrier.threads;
    r->first_thread = t->id;
  } else {
    compare_with_first(b, r, t);
  }
  r->arrived++;
  r->count += q->barrier.predicate;
  if (id && b->shadow) {
    check_reuse(b, id, t);
    check_same_instruction(b, id, t);
    const uint64_t use = s->uses[id] + 1;
    s->arrivals[id][use % 2][t->id].use = use;
    s->arrivals[id][use % 2][t->id].pc = q->pc;
    s->lanes[id][q->operation][t->id / WARP_SIZE] |= 1u << t->lane;
    order_arrive(b, t, order_barrier_clocks(b, id));
  }
  q->filed = true;
  if (q->operation == ARRIVE) block_make_ready(b, t);
  if (id == 0 ? r->arrived == b->alive : r->arrived >= r->threads) {
    if (id == 0 && r->arrived < b->thread_count) report_exit(b, r, t);
    release(b, id);
  }
}

static void thread_exit(block *b, thread *t) {
  const barrier *r = &state_of(b)->all[0];
  if (r->arrived == 0 || r->arrived < b->alive) return;
  report_exit(b, r, t);
  release(b, 0);
}

static void start_block(block *b) {
  state *s = state_of(b);
  memset(s->all, 0, sizeof s->all);
  memset(s->lanes, 0, sizeof s->lanes);
}

static void describe(const block *b, const request *r, char *text,
                     size_t size) {
  const uint32_t id = r->barrier.id;
  const barrier *of = &state_of(b)->all[id];
  if (id)
    snprintf(text, size, "named barrier %u: %u of %u threads", id, of->arrived,
             of->threads);
  else
    snprintf(text, size, "__syncthreads(): %u of %u threads", of->arrived,
             b->thread_count);
}

mechanism barriers = {.name = "a barrier",
                      .state_size = sizeof(state),
                      .start_block = start_block,
                      .carry_out = carry_out,
                      .waits_in = names,
                      .describe = describe,
                      .thread_exit = thread_exit};

/* ---- what kernels call ---- */

static int block_barrier(bool predicate, simt_vote vote, uint32_t pc) {
  return (int)BLOCK_ASK(simt_here, &barriers, BLOCK, pc,
                        .barrier = {.predicate = predicate, .vote = vote});
}

void simt_syncthreads(void) { block_barrier(false, SIMT_ANY, CALLER); }

int simt_syncthreads_vote(int predicate, simt_vote vote) {
  return block_barrier(predicate != 0, vote, CALLER);
}

static void named_barrier(uint8_t operation, unsigned id, unsigned threads,
                          uint32_t pc) {
  block *b = simt_here;
  if (id == 0 || id >= BARRIERS || threads == 0 || threads % WARP_SIZE ||
      threads > b->thread_count)
    BLOCK_MISUSE(pc,
                 "a named barrier takes a number from 1 to 15 and a multiple "
                 "of 32 threads of the block, not %u and %u",
                 id, threads);
  BLOCK_ASK(b, &barriers, operation, pc,
            .barrier = {.id = id, .threads = threads});
}

void simt_barrier_sync(unsigned id, unsigned threads) {
  named_barrier(SYNC, id, threads, CALLER);
}

void simt_barrier_arrive(unsigned id, unsigned threads) {
  named_barrier(ARRIVE, id, threads, CALLER);
}
