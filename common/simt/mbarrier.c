/* mbarriers: barriers in shared memory that count arrivals in phases. Their
 * state is kept here; the 8 bytes of shared memory only tell them apart, and
 * let the race check see who uses one before its initialisation is known. */

#include "common/simt/flaws.h"
#include "common/simt/race.h"

#include <stdlib.h>
#include <string.h>

struct mbarrier {
  const uint64_t *address;
  uint32_t expected, pending, phase;
  /* What those know who have arrived until now, and until the phase ended: who
   * waits learns of all phases before as well. */
  uint32_t *arriving, *ended;
};

enum { COUNT_LIMIT = (1 << 20) - 1 };

static mbarrier *find(const block *b, const uint64_t *address) {
  for (uint32_t i = 0; i < b->mbarrier_count; i++)
    if (b->mbarriers[i].address == address) return &b->mbarriers[i];
  return NULL;
}

void mbarrier_start_block(block *b) {
  for (uint32_t i = 0; i < b->mbarrier_count; i++)
    free(b->mbarriers[i].arriving);
  b->mbarrier_count = 0;
  b->has_arrivals = false;
}

static mbarrier *make(block *b, const uint64_t *address) {
  mbarrier *m = find(b, address);
  if (m) return m;
  const size_t room = b->mbarrier_count + 1;
  b->mbarriers = realloc(b->mbarriers, room * sizeof *b->mbarriers);
  if (!b->mbarriers) abort();
  m = &b->mbarriers[b->mbarrier_count++];
  uint32_t *clocks = calloc(2 * b->thread_count, sizeof *clocks);
  if (!clocks) abort();
  *m = (mbarrier){.address = address,
                  .arriving = clocks,
                  .ended = clocks + b->thread_count};
  return m;
}

static void arrive(block *b, thread *t, mbarrier *m) {
  race_arrive(b, t, m->arriving);
  if (--m->pending > 0) return;
  m->pending = m->expected;
  m->phase++;
  memcpy(m->ended, m->arriving, b->thread_count * sizeof *m->ended);
}

void mbarrier_arrive_for(block *b, thread *t, const uint64_t *address) {
  arrive(b, t, find(b, address));
}

void mbarrier_request(block *b, thread *t) {
  mbarrier *m = find(b, t->request.mbarrier);
  b->warps[t->id / WARP_SIZE].ready |= 1u << t->lane;
  if (t->request.kind == REQUEST_MBARRIER_ARRIVE) {
    arrive(b, t, m);
    return;
  }
  if ((m->phase & 1) == t->request.value) async_arrivals(b, m->address);
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
  memset(m->arriving, 0, 2 * b->thread_count * sizeof *m->arriving);
}

void mbarrier_check(uint64_t *barrier, uint32_t pc) {
  block *b = simt_here;
  if (!find(b, barrier))
    refuse("an mbarrier is used that no thread of this block has initialised",
           pc);
  trace_access(b, barrier, 8, ACCESS_MBARRIER, pc);
}

static uint64_t use(request_kind kind, uint64_t *barrier, unsigned parity,
                    uint32_t pc) {
  block *b = simt_here;
  mbarrier_check(barrier, pc);
  block_request(b, (request){.kind = kind,
                             .pc = pc,
                             .mbarrier = barrier,
                             .value = parity & 1});
  return b->running->result;
}

void simt_mbarrier_arrive(uint64_t *barrier) {
  use(REQUEST_MBARRIER_ARRIVE, barrier, 0, CALLER);
}

int simt_mbarrier_try_wait(uint64_t *barrier, unsigned parity) {
  return (int)use(REQUEST_MBARRIER_WAIT, barrier, parity, CALLER);
}
