/* Warp collectives. One completes when every lane of its mask that has not
 * returned waits with the same mask for the same operation. */

#include "common/simt/access/counting.h"
#include "common/simt/run/flaws.h"
#include "common/simt/race/race.h"

static bool is_collective(request_kind kind) {
  return kind >= REQUEST_SYNCWARP && kind <= REQUEST_STMATRIX;
}

static const char *name_of(request_kind kind) {
  return kind == REQUEST_SYNCWARP   ? "__syncwarp()"
         : kind == REQUEST_SHUFFLE  ? "a shuffle"
         : kind == REQUEST_BALLOT   ? "a vote"
         : kind == REQUEST_REDUCE   ? "a reduction"
         : kind == REQUEST_LDMATRIX ? "ldmatrix"
         : kind == REQUEST_STMATRIX ? "stmatrix"
                                    : "a matrix product";
}

/* A lane of the mask that waits in something else, now and for ever. */
static void mismatch(block *b, const thread *t, const thread *other) {
  if (other->request.mask != t->request.mask)
    flaw_report(b, SIMT_WARP_MASK, t->request.pc, other->request.pc, t->id,
                other->id, "lanes of one warp wait with masks %08x and %08x",
                t->request.mask, other->request.mask);
  else
    flaw_report(b, SIMT_WARP_OPERATION, t->request.pc, other->request.pc,
                t->id, other->id, "lanes of one mask wait in %s and in %s",
                name_of(t->request.kind), name_of(other->request.kind));
  b->error = cudaErrorLaunchFailure;
}

/* True when all lanes of t's mask wait as t does. */
static bool complete(block *b, warp *w, const thread *t) {
  const uint32_t needed = t->request.mask & w->alive;
  if (needed & w->ready) return false;
  for (uint32_t lanes = needed; lanes; lanes &= lanes - 1) {
    const thread *other = &w->first[__builtin_ctz(lanes)];
    if (!is_collective(other->request.kind)) return false;
    if (other->request.kind != t->request.kind ||
        other->request.mask != t->request.mask) {
      mismatch(b, t, other);
      return false;
    }
  }
  return true;
}

static void shuffle(block *b, warp *w, uint32_t lanes) {
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    thread *t = &w->first[__builtin_ctz(rest)];
    const uint32_t source = t->request.source;
    if (lanes >> source & 1) {
      t->result = w->first[source].request.value;
      continue;
    }
    t->result = UINT64_MAX;
    flaw_report(b, SIMT_SHUFFLE_SOURCE, t->request.pc, 0, t->id, t->id,
                "a shuffle reads lane %u, which takes no part in it", source);
  }
}

static void ballot(warp *w, uint32_t lanes) {
  uint32_t votes = 0;
  for (uint32_t rest = lanes; rest; rest &= rest - 1)
    if (w->first[__builtin_ctz(rest)].request.value) votes |= rest & -rest;
  for (uint32_t rest = lanes; rest; rest &= rest - 1)
    w->first[__builtin_ctz(rest)].result = votes;
}

static void reduce(warp *w, const request *q, uint32_t lanes) {
  uint64_t sum = q->value; /* that of the first lane */
  for (uint32_t rest = lanes & (lanes - 1); rest; rest &= rest - 1)
    sum = atomic_combine(q->operation, 4, sum,
                         w->first[__builtin_ctz(rest)].request.value, 0);
  for (uint32_t rest = lanes; rest; rest &= rest - 1)
    w->first[__builtin_ctz(rest)].result = (uint32_t)sum;
}

/* The lanes may have come at different times, but it is one instruction. */
static void matrix_access(block *b, warp *w, access_kind kind) {
  if (!b->checks) return;
  const request *q = &w->first->request;
  instruction i = {.lanes = UINT32_MAX};
  for (uint32_t lane = 0; lane < WARP_SIZE; lane++)
    i.address[lane] = (uintptr_t)w->first[lane].request.line;
  i.key = (access_key){.pc = q->pc,
                       .size = 16,
                       .kind = (uint8_t)kind,
                       .shared = in_shared(b, q->line)};
  log_take(b, w, &i);
}

static void carry_out(block *b, warp *w, const request *q, uint32_t lanes) {
  const site_kind kind = q->kind == REQUEST_SYNCWARP   ? SITE_SYNCWARP
                         : q->kind == REQUEST_MULTIPLY ||
                                 q->kind == REQUEST_MMA ? SITE_TENSOR
                                                       : SITE_SHUFFLE;
  simt_counters *counters = site_counters(b, kind, q->pc);
  switch (q->kind) {
  case REQUEST_SYNCWARP:
    race_warp_sync(b, w, lanes);
    if (counters) counters->warp_syncs++;
    break;
  case REQUEST_SHUFFLE:
    shuffle(b, w, lanes);
    if (counters) counters->shuffles++;
    break;
  case REQUEST_BALLOT:
    ballot(w, lanes);
    if (counters) counters->shuffles++;
    break;
  case REQUEST_REDUCE:
    reduce(w, q, lanes);
    if (counters) counters->shuffles++;
    break;
  default:
    if (lanes != UINT32_MAX) {
      flaw_report(b, SIMT_USAGE, q->pc, 0, w->first->id, w->first->id,
                  "%s needs all 32 lanes of the warp", name_of(q->kind));
      b->error = cudaErrorIllegalInstruction;
      return;
    }
    if (q->kind == REQUEST_LDMATRIX) {
      matrix_access(b, w, ACCESS_LDMATRIX);
      matrix_hand_out(w->first);
      return;
    }
    if (q->kind == REQUEST_STMATRIX) {
      matrix_access(b, w, ACCESS_STMATRIX);
      matrix_take_in(w->first);
      return;
    }
    if (q->kind == REQUEST_MMA) {
      matrix_mma(w->first, q->e4m3);
      if (counters) counters->tensor_instructions++;
      if (counters) counters->tensor_flops += 2 * 16 * 8 * (q->e4m3 ? 32 : 16);
      return;
    }
    matrix_multiply(w->first);
    if (counters) counters->tensor_instructions += 2;
    if (counters) counters->tensor_flops += 2 * 16 * 16 * 16;
  }
}

void warp_requests(block *b, warp *w) {
  uint32_t done = 0;
  for (uint32_t lanes = w->alive & ~w->ready; lanes; lanes &= lanes - 1) {
    thread *t = &w->first[__builtin_ctz(lanes)];
    if (!is_collective(t->request.kind) || done >> t->lane & 1) continue;
    if (!complete(b, w, t)) continue;
    const uint32_t needed = t->request.mask & w->alive;
    carry_out(b, w, &t->request, needed);
    done |= needed;
  }
  w->ready |= done;
}

/* ---- what kernels call ---- */

static uint64_t collective(request r) {
  block *b = simt_here;
  thread *t = b->running;
  if (!(r.mask >> t->lane & 1)) {
    flaw_report(b, SIMT_WARP_MASK, r.pc, 0, t->id, t->id,
                "lane %u is not in the mask %08x that it names", t->lane,
                r.mask);
    block_abort(b, cudaErrorIllegalInstruction);
  }
  block_request(b, r);
  return t->result;
}

void simt_syncwarp(unsigned mask) {
  collective((request){.kind = REQUEST_SYNCWARP, .pc = CALLER, .mask = mask});
}

uint64_t simt_shuffle(unsigned mask, uint64_t value, unsigned source_lane) {
  return collective((request){.kind = REQUEST_SHUFFLE,
                              .pc = CALLER,
                              .mask = mask,
                              .value = value,
                              .source = source_lane % WARP_SIZE});
}

unsigned simt_ballot(unsigned mask, int predicate) {
  return (unsigned)collective((request){.kind = REQUEST_BALLOT,
                                        .pc = CALLER,
                                        .mask = mask,
                                        .value = predicate != 0});
}

unsigned simt_reduce(unsigned mask, unsigned value,
                     simt_atomic_operation operation) {
  return (unsigned)collective((request){.kind = REQUEST_REDUCE,
                                        .pc = CALLER,
                                        .mask = mask,
                                        .value = value,
                                        .operation = operation});
}

void simt_ldmatrix(unsigned *registers, const void *line, bool transposed) {
  block *b = simt_here;
  const uint32_t pc = CALLER;
  trace_check(b, line, 16, ACCESS_LDMATRIX, pc);
  collective((request){.kind = REQUEST_LDMATRIX,
                       .pc = pc,
                       .mask = UINT32_MAX,
                       .line = line,
                       .registers = registers,
                       .transposed = transposed});
}

void simt_stmatrix(void *line, const unsigned *registers) {
  const uint32_t pc = CALLER;
  trace_check(simt_here, line, 16, ACCESS_STMATRIX, pc);
  collective((request){.kind = REQUEST_STMATRIX,
                       .pc = pc,
                       .mask = UINT32_MAX,
                       .line = line,
                       .from_registers = registers});
}

void simt_mma(float *d, const unsigned *a, const unsigned *b, bool e4m3) {
  collective((request){.kind = REQUEST_MMA,
                       .pc = CALLER,
                       .mask = UINT32_MAX,
                       .d = d,
                       .a_registers = a,
                       .b_registers = b,
                       .e4m3 = e4m3});
}

void simt_matrix_multiply(float *d, const uint16_t *a, const uint16_t *b,
                          const float *c) {
  collective((request){.kind = REQUEST_MULTIPLY,
                       .pc = CALLER,
                       .mask = UINT32_MAX,
                       .d = d,
                       .a = a,
                       .b = b,
                       .c = c});
}

void simt_spin(void) {
  block_request(simt_here, (request){.kind = REQUEST_SPIN,
                                     .pc = CALLER,
                                     .spins_in = "a loop of __nanosleep()"});
}

unsigned simt_lane(void) { return simt_here->running->lane; }
