/* mbarriers: barriers in shared memory that count arrivals in phases. Their
 * state is kept here; the 8 bytes of shared memory only tell them apart, and
 * let the race check see who puts something else in their place. */

#include "common/simt/sync/mbarrier.h"
#include "common/simt/race/proxy.h"
#include "common/simt/race/race.h"
#include "common/simt/tensor/tma.h"

#include <stdlib.h>
#include <string.h>

struct mbarrier {
  const uint64_t *address;
  uint32_t expected, pending, phase;
  int64_t missing; /* bytes of this phase; below 0 where copies came first */
  uint32_t engine;  /* 1 and up: of copies that count here; 0: none so far */
  uint32_t init_pc, init_thread, init_stamp;
  /* What those know who have arrived until now, and until the phase ended: who
   * waits learns of all phases before as well. */
  uint32_t *arriving, *ended;
};

enum { COUNT_LIMIT = (1 << 20) - 1 }; /* of arrivals, and of bytes */

static mbarrier *find(const block *b, const uint64_t *address) {
  for (uint32_t i = 0; i < b->mbarrier_count; i++)
    if (b->mbarriers[i].address == address) return &b->mbarriers[i];
  return NULL;
}

void mbarrier_start_block(block *b) {
  for (uint32_t i = 0; i < b->mbarrier_count; i++)
    free(b->mbarriers[i].arriving);
  b->mbarrier_count = b->tma_engines = 0;
  b->has_arrivals = false;
}

static mbarrier *make(block *b, const uint64_t *address) {
  mbarrier *m = find(b, address);
  if (m) return m;
  const size_t room = b->mbarrier_count + 1;
  b->mbarriers = realloc(b->mbarriers, room * sizeof *b->mbarriers);
  if (!b->mbarriers) abort();
  m = &b->mbarriers[b->mbarrier_count++];
  const size_t size = race_row_size(b);
  uint32_t *clocks = calloc(2, size + 1);
  if (!clocks) abort();
  *m = (mbarrier){.address = address,
                  .arriving = clocks,
                  .ended = clocks + size / sizeof *clocks};
  return m;
}

static void end_phase(block *b, mbarrier *m) {
  if (m->pending > 0 || m->missing != 0) return;
  m->pending = m->expected;
  m->phase++;
  memcpy(m->ended, m->arriving, race_row_size(b));
}

static void stop(block *b, const thread *t, const char *why) {
  flaw_report(b, SIMT_USAGE, t->request.pc, 0, t->id, t->id, "%s", why);
  b->error = cudaErrorIllegalInstruction;
}

static void arrive(block *b, thread *t, mbarrier *m, uint64_t bytes) {
  if (m->pending == 0) {
    stop(b, t, "an arrival at an mbarrier whose phase has all its arrivals, "
               "but whose bytes nobody has waited for");
    return;
  }
  race_arrive(b, t, m->arriving);
  m->missing += (int64_t)bytes;
  if (m->missing > COUNT_LIMIT)
    stop(b, t, "an mbarrier counts up to 1,048,575 bytes a phase");
  m->pending--;
  end_phase(b, m);
}

static void land(block *b, mbarrier *m) {
  async_arrivals(b, m->address);
  m->missing -= tma_land(b, m->address, m->arriving);
  end_phase(b, m);
}

uint32_t mbarrier_engine(block *b, const thread *t, const uint64_t *address,
                        uint32_t pc) {
  mbarrier *m = find(b, address);
  if (!proxy_is_fenced(b, t->id, 1, m->init_thread, m->init_stamp))
    flaw_report(b, SIMT_PROXY_FENCE, pc, m->init_pc, t->id, m->init_thread,
                "a TMA load counts at an mbarrier, with no "
                "fence_async_proxy() of the thread that has initialised it");
  if (m->engine == 0 && b->tma_engines == COPY_ENGINES)
    stop(b, t, "the executor follows TMA loads at 64 mbarriers at most");
  else if (m->engine == 0)
    m->engine = b->tma_engines++ + MAX_WARPGROUPS;
  return m->engine;
}

/* An mbarrier that threads wait for in vain, best one whose bytes are wrong. */
static const mbarrier *culprit(const block *b) {
  const mbarrier *found = NULL;
  for (uint32_t i = 0; i < b->thread_count; i++) {
    const request *q = &b->threads[i].request;
    if (q->kind != REQUEST_MBARRIER_WAIT) continue;
    const mbarrier *m = find(b, q->mbarrier);
    if (m->missing) return m;
    if (!found) found = m;
  }
  return found;
}

void mbarrier_name_culprit(block *b, flaw *f) {
  const mbarrier *m = culprit(b);
  if (!m) return;
  char *end = f->sentence + strlen(f->sentence);
  const size_t left = sizeof f->sentence - strlen(f->sentence);
  flaw_locate(b, f, (uintptr_t)m->address);
  if (m->missing > 0)
    snprintf(end, left, "; %s still lacks %lld bytes", f->where,
             (long long)m->missing);
  else if (m->missing < 0)
    snprintf(end, left, "; %s has got %lld bytes too many", f->where,
             -(long long)m->missing);
}

void mbarrier_arrive_for(block *b, thread *t, const uint64_t *address) {
  arrive(b, t, find(b, address), 0);
}

void mbarrier_request(block *b, thread *t) {
  mbarrier *m = find(b, t->request.mbarrier);
  b->warps[t->id / WARP_SIZE].ready |= 1u << t->lane;
  if (t->request.kind == REQUEST_MBARRIER_ARRIVE) {
    arrive(b, t, m, t->request.value);
    return;
  }
  if ((m->phase & 1) == t->request.value) land(b, m);
  t->result = (m->phase & 1) != t->request.value;
  if (!t->result) return;
  b->progress++;
  race_leave(b, t, m->ended);
}

/* ---- what kernels call ---- */

static _Noreturn void refuse(const char *why, uint32_t pc) {
  block *b = simt_here;
  flaw_report(b, SIMT_USAGE, pc, 0, b->running->id, b->running->id, "%s", why);
  block_abort(b, cudaErrorIllegalInstruction);
}

void simt_mbarrier_init(uint64_t *barrier, unsigned count) {
  block *b = simt_here;
  if (!in_shared(b, barrier) || (uintptr_t)barrier % 8 || count == 0 ||
      count > COUNT_LIMIT)
    refuse("an mbarrier is 8 aligned bytes of shared memory and counts from 1 "
           "to 1,048,575 arrivals", CALLER);
  trace_access(b, barrier, 8, ACCESS_WRITE, CALLER);
  mbarrier *m = make(b, barrier);
  m->expected = m->pending = count;
  m->phase = 0;
  m->missing = 0;
  m->init_pc = CALLER;
  m->init_thread = b->running->id;
  m->init_stamp = b->warps[m->init_thread / WARP_SIZE].clock;
  memset(m->arriving, 0, 2 * race_row_size(b));
}

/* The barrier's cell forgets its initialisation with the next use, which may be
 * that of the same thread. */
static void check_initialised(block *b, const mbarrier *m, uint32_t pc) {
  const thread *t = b->running;
  if (!b->shadow || race_unordered(b, m->init_stamp, m->init_thread,
                                   &b->warps[t->id / WARP_SIZE],
                                   1u << t->id % WARP_SIZE) == WARP_SIZE)
    return;
  flaw_report(b, SIMT_RACE, pc, m->init_pc, t->id, m->init_thread,
              "an mbarrier is used, with no barrier between that and its "
              "initialisation by another thread");
}

void mbarrier_check(uint64_t *barrier, uint32_t pc) {
  block *b = simt_here;
  const mbarrier *m = find(b, barrier);
  if (!m)
    refuse("an mbarrier is used that no thread of this block has initialised",
           pc);
  check_initialised(b, m, pc);
  trace_access(b, barrier, 8, ACCESS_MBARRIER, pc);
}

static uint64_t use(request_kind kind, uint64_t *barrier, uint64_t value,
                    uint32_t pc) {
  block *b = simt_here;
  mbarrier_check(barrier, pc);
  block_request(b, (request){.kind = kind,
                             .pc = pc,
                             .mbarrier = barrier,
                             .value = value});
  return b->running->result;
}

void simt_mbarrier_arrive(uint64_t *barrier) {
  use(REQUEST_MBARRIER_ARRIVE, barrier, 0, CALLER);
}

void simt_mbarrier_arrive_expecting(uint64_t *barrier, unsigned bytes) {
  use(REQUEST_MBARRIER_ARRIVE, barrier, bytes, CALLER);
}

int simt_mbarrier_try_wait(uint64_t *barrier, unsigned parity) {
  return (int)use(REQUEST_MBARRIER_WAIT, barrier, parity & 1, CALLER);
}
