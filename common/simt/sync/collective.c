/* What the lanes of a warp do together. */

#include "common/simt/access/access.h"
#include "common/simt/race/race.h"
#include "common/simt/sync/sync.h"

enum { SYNC, SHUFFLE, VOTE, REDUCTION };

static const char *const names[] = {[SYNC] = "__syncwarp()",
                                    [SHUFFLE] = "a shuffle",
                                    [VOTE] = "a vote",
                                    [REDUCTION] = "a reduction"};

static const char *waits_in(const request *r) { return names[r->operation]; }

static void shuffle(block *b, warp *w, uint32_t lanes) {
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    thread *t = &w->first[__builtin_ctz(rest)];
    const uint32_t source = t->request.warp.shuffle.source;
    if (lanes >> source & 1) {
      t->result = w->first[source].request.warp.shuffle.value;
      continue;
    }
    t->result = UINT64_MAX;
    finding_report(b, SIMT_SHUFFLE_SOURCE, t->request.pc, 0, t->id, t->id,
                   "a shuffle reads lane %u, which takes no part in it",
                   source);
  }
}

static void vote(warp *w, uint32_t lanes) {
  uint32_t votes = 0;
  for (uint32_t rest = lanes; rest; rest &= rest - 1)
    if (w->first[__builtin_ctz(rest)].request.warp.predicate)
      votes |= rest & -rest;
  for (uint32_t rest = lanes; rest; rest &= rest - 1)
    w->first[__builtin_ctz(rest)].result = votes;
}

static void reduce(warp *w, const request *r, uint32_t lanes) {
  uint64_t sum = r->warp.reduction.value; /* that of the first lane */
  for (uint32_t rest = lanes & (lanes - 1); rest; rest &= rest - 1) {
    const request *next = &w->first[__builtin_ctz(rest)].request;
    sum = atomic_combine(r->warp.reduction.operation, 4, sum,
                         next->warp.reduction.value, 0);
  }
  for (uint32_t rest = lanes; rest; rest &= rest - 1)
    w->first[__builtin_ctz(rest)].result = (uint32_t)sum;
}

static void carry_out(block *b, warp *w, uint32_t lanes) {
  const request *r = &w->first[__builtin_ctz(lanes)].request;
  const bool sync = r->operation == SYNC;
  simt_counters *counters =
      site_counters(b, sync ? SITE_SYNCWARP : SITE_SHUFFLE, r->pc);
  if (counters && sync) counters->warp_syncs++;
  if (counters && !sync) counters->shuffles++;
  switch (r->operation) {
  case SYNC:
    order_warp_sync(b, w, lanes);
    break;
  case SHUFFLE:
    shuffle(b, w, lanes);
    break;
  case VOTE:
    vote(w, lanes);
    break;
  default:
    reduce(w, r, lanes);
  }
}

mechanism collectives = {.name = "a warp's collective",
                         .carry_out_together = carry_out,
                         .waits_in = waits_in};

/* ---- what kernels call ---- */

uint64_t collective_meet(request r) {
  block *b = simt_here;
  thread *t = b->running;
  if (!(r.warp.mask >> t->lane & 1)) {
    finding_of_running(b, SIMT_WARP_MASK, r.pc,
                       "lane %u is not in the mask %08x that it names",
                       t->lane, r.warp.mask);
    block_abort(b, cudaErrorIllegalInstruction);
  }
  r.kind = REQUEST_CARRY_OUT;
  block_request(b, r);
  return t->result;
}

void simt_syncwarp(unsigned mask) {
  collective_meet((request){.to = &collectives,
                            .operation = SYNC,
                            .pc = CALLER,
                            .warp = {.mask = mask}});
}

uint64_t simt_shuffle(unsigned mask, uint64_t value, unsigned source_lane) {
  return collective_meet((request){
      .to = &collectives,
      .operation = SHUFFLE,
      .pc = CALLER,
      .warp = {.mask = mask,
               .shuffle = {.value = value,
                           .source = source_lane % WARP_SIZE}}});
}

unsigned simt_ballot(unsigned mask, int predicate) {
  return (unsigned)collective_meet((request){
      .to = &collectives,
      .operation = VOTE,
      .pc = CALLER,
      .warp = {.mask = mask, .predicate = predicate != 0}});
}

unsigned simt_reduce(unsigned mask, unsigned value,
                     simt_atomic_operation operation) {
  return (unsigned)collective_meet((request){
      .to = &collectives,
      .operation = REDUCTION,
      .pc = CALLER,
      .warp = {.mask = mask,
               .reduction = {.value = value, .operation = operation}}});
}

/* All lanes of the warp that are not under way have stopped: those that have
 * come to the same call are the active ones. */
static void find_active(block *b, thread *t) {
  warp *w = &b->warps[t->id / WARP_SIZE];
  uint32_t here = 0;
  for (uint32_t rest = w->alive & ~w->ready; rest; rest &= rest - 1) {
    const request *r = &w->first[__builtin_ctz(rest)].request;
    if (r->kind == REQUEST_CARRY_OUT && r->to == t->request.to && !r->filed &&
        r->pc == t->request.pc)
      here |= rest & -rest;
  }
  for (uint32_t rest = here; rest; rest &= rest - 1) {
    thread *other = &w->first[__builtin_ctz(rest)];
    other->result = here;
    other->request.filed = true;
    block_make_ready(b, other);
  }
}

mechanism active_lanes = {.name = "__activemask()", .carry_out = find_active};

unsigned simt_active_lanes(void) {
  block *b = simt_here;
  thread *t = b->running;
  block_request(b, (request){.kind = REQUEST_CARRY_OUT,
                             .pc = CALLER,
                             .to = &active_lanes});
  return (unsigned)t->result;
}

void simt_spin(void) {
  block_request(simt_here, (request){.kind = REQUEST_SPIN,
                                     .pc = CALLER,
                                     .asks = true,
                                     .spins_in = "a loop of __nanosleep()"});
}
