/* What the lanes of a warp do together; and atomics and fences. */

#include "common/simt/race/race.h"
#include "common/simt/sync/sync.h"

/* ---- what an atomic operation of 4 or 8 bytes makes of its operands ---- */

static uint64_t add_float(size_t size, uint64_t a, uint64_t b) {
  union {
    uint64_t bits;
    double wide;
    float narrow;
  } x = {a}, y = {b};
  if (size == 8)
    x.wide += y.wide;
  else
    x.narrow += y.narrow;
  return x.bits;
}

/* Two numbers in one word, of 16 bits each or of 32. */
static uint64_t add_two(simt_atomic_operation operation, uint64_t a,
                        uint64_t b) {
  const unsigned bits = operation == SIMT_ADD_FLOAT2 ? 32 : 16;
  uint64_t sum = 0;
  for (unsigned at = 0; at < 2 * bits; at += bits) {
    const uint16_t x = (uint16_t)(a >> at), y = (uint16_t)(b >> at);
    sum |= (operation == SIMT_ADD_FLOAT2
                ? add_float(4, (uint32_t)(a >> at), (uint32_t)(b >> at))
            : operation == SIMT_ADD_HALF2
                ? half_encode(half_decode(x) + half_decode(y))
                : bfloat_encode(bfloat_decode(x) + bfloat_decode(y)))
           << at;
  }
  return sum;
}

static int64_t as_signed(size_t size, uint64_t x) {
  return size == 8 ? (int64_t)x : (int32_t)x;
}

static uint64_t combine(simt_atomic_operation operation, size_t size,
                        uint64_t old, uint64_t value, uint64_t compare) {
  const bool less = as_signed(size, old) < as_signed(size, value);
  switch (operation) {
  case SIMT_ADD:
    return old + value;
  case SIMT_ADD_FLOAT:
    return add_float(size, old, value);
  case SIMT_ADD_FLOAT2:
  case SIMT_ADD_HALF2:
  case SIMT_ADD_BFLOAT2:
    return add_two(operation, old, value);
  case SIMT_MIN:
    return old < value ? old : value;
  case SIMT_MAX:
    return old > value ? old : value;
  case SIMT_MIN_SIGNED:
    return less ? old : value;
  case SIMT_MAX_SIGNED:
    return less ? value : old;
  case SIMT_AND:
    return old & value;
  case SIMT_OR:
    return old | value;
  case SIMT_XOR:
    return old ^ value;
  case SIMT_EXCHANGE:
    return value;
  default:
    return old == compare ? value : old;
  }
}

/* ---- collectives ---- */

/* A shuffle is told apart by its direction: SHUFFLE + simt_direction. */
enum { SYNC, VOTE, REDUCTION, SHUFFLE };

static const char *const names[] = {
    [SYNC] = "__syncwarp()",
    [VOTE] = "a vote",
    [REDUCTION] = "a reduction",
    [SHUFFLE] = "a shuffle",
    [SHUFFLE + SIMT_UP] = "a shuffle up",
    [SHUFFLE + SIMT_DOWN] = "a shuffle down",
    [SHUFFLE + SIMT_ACROSS] = "a shuffle by xor"};

static void shuffle(block *b, warp *w, uint32_t lanes) {
  FOR_EACH_LANE(lane, lanes) {
    thread *t = &w->first[lane];
    const uint32_t source = t->request.warp.shuffle.source;
    if (lanes >> source & 1) {
      t->result = w->first[source].request.warp.shuffle.value;
      continue;
    }
    t->result = UINT64_MAX;
    FINDING_OF_THREAD(b, SIMT_SHUFFLE_SOURCE, t,
                      "a shuffle reads lane %u, which takes no part in it",
                      source);
  }
}

static void vote(warp *w, uint32_t lanes) {
  uint32_t votes = 0;
  FOR_EACH_LANE(lane, lanes)
    if (w->first[lane].request.warp.predicate) votes |= 1u << lane;
  FOR_EACH_LANE(lane, lanes) w->first[lane].result = votes;
}

static void reduce(block *b, warp *w, const request *r, uint32_t lanes) {
  uint64_t sum = r->warp.reduction.value; /* that of the first lane */
  FOR_EACH_LANE(lane, lanes & (lanes - 1)) {
    thread *t = &w->first[lane];
    if (t->request.warp.reduction.operation != r->warp.reduction.operation)
      FINDING_OF_THREAD(b, SIMT_WARP_OPERATION, t,
                        "lanes of one mask meet in two kinds of reductions");
    sum = combine(r->warp.reduction.operation, 4, sum,
                  t->request.warp.reduction.value, 0);
  }
  FOR_EACH_LANE(lane, lanes) w->first[lane].result = (uint32_t)sum;
}

/* Lanes that have come together with masks of their own are one instruction of
 * the warp: the first of them counts. */
static bool come_first(const warp *w, uint32_t lanes) {
  const uint32_t first = (uint32_t)__builtin_ctz(lanes);
  FOR_EACH_LANE(lane, w->alive & ~w->ready & ((1u << first) - 1))
    if (w->first[lane].request.pc == w->first[first].request.pc) return false;
  return true;
}

static void carry_out_together(block *b, warp *w, uint32_t lanes) {
  const request *r = &w->first[__builtin_ctz(lanes)].request;
  if (r->operation != SYNC)
    site_counters(b, "shuffle", r->pc)->shuffles += come_first(w, lanes);
  switch (r->operation) {
  case SYNC:
    site_counters(b, "warp sync", r->pc)->warp_syncs += come_first(w, lanes);
    order_warp_sync(b, w, lanes);
    break;
  case VOTE:
    vote(w, lanes);
    break;
  case REDUCTION:
    reduce(b, w, r, lanes);
    break;
  default:
    shuffle(b, w, lanes);
  }
}

mechanism collectives = {.name = "a warp's collective",
                         .carry_out_together = carry_out_together,
                         .waits_in = names};

/* ---- what kernels call ---- */

#define MEET(which, lanes, ...)                                                \
  collective_meet((request){.to = &collectives,                                \
                            .operation = (which),                              \
                            .pc = CALLER,                                      \
                            .warp = {.mask = (lanes), __VA_ARGS__}})

void simt_syncwarp(unsigned mask) { MEET(SYNC, mask); }

uint64_t simt_shuffle(unsigned mask, uint64_t value, unsigned source_lane,
                      simt_direction direction) {
  return MEET((uint8_t)(SHUFFLE + direction), mask,
              .shuffle = {.value = value, .source = source_lane % WARP_SIZE});
}

unsigned simt_ballot(unsigned mask, int predicate) {
  return (unsigned)MEET(VOTE, mask, .predicate = predicate != 0);
}

unsigned simt_reduce(unsigned mask, unsigned value,
                     simt_atomic_operation operation) {
  return (unsigned)MEET(REDUCTION, mask,
                        .reduction = {.value = value, .operation = operation});
}

/* All lanes of the warp that are not under way have stopped: those that have
 * come to the same call are the active ones. */
static void find_active(block *b, thread *t) {
  warp *w = &b->warps[t->id / WARP_SIZE];
  uint32_t here = 0;
  FOR_EACH_LANE(lane, w->alive & ~w->ready) {
    const request *r = &w->first[lane].request;
    if (r->kind == REQUEST_CARRY_OUT && r->to == t->request.to && !r->filed &&
        r->pc == t->request.pc)
      here |= 1u << lane;
  }
  FOR_EACH_LANE(lane, here) {
    thread *other = &w->first[lane];
    other->result = here;
    other->request.filed = true;
    block_make_ready(b, other);
  }
}

mechanism active_lanes = {.name = "__activemask()", .carry_out = find_active};

unsigned simt_active_lanes(void) {
  return (unsigned)BLOCK_ASK(simt_here, &active_lanes, 0, CALLER);
}

void simt_spin(void) {
  block_request(simt_here, (request){.kind = REQUEST_SPIN,
                                     .pc = CALLER,
                                     .asks = true,
                                     .spins_in = "a loop of __nanosleep()"});
}

/* ---- atomic read-modify-write: blocks run on several OS threads, so the
 * memory operation is a real atomic one ---- */

#define EXCHANGE(type, size)                                                   \
  static type exchange_##size(type *place, simt_atomic_operation operation,    \
                              uint64_t value, uint64_t compare,                \
                              bool *changed) {                                 \
    type old = __atomic_load_n(place, __ATOMIC_RELAXED), next;                 \
    do next = (type)combine(operation, size, old, value, compare);      \
    while (!__atomic_compare_exchange_n(place, &old, next, false,              \
                                        __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));  \
    *changed = next != old;                                                    \
    return old;                                                                \
  }
EXCHANGE(uint32_t, 4)
EXCHANGE(uint64_t, 8)

/* Every lane stops after its atomic, so that those of a warp go on together. An
 * atomic that changes nothing may be one look at a lock or a flag that another
 * thread will change. */
uint64_t simt_atomic(void *address, size_t size,
                     simt_atomic_operation operation, uint64_t value,
                     uint64_t compare) {
  block *b = simt_here;
  const uint32_t pc = CALLER;
  bool changed;
  access_file(b, address, (uint32_t)size, ACCESS_ATOMIC, pc);
  const char *space = access_space(b, address);
  if (space && !in_shared(b, address))
    BLOCK_MISUSE(pc,
                 "an atomic is for global or shared memory, and this address "
                 "is in %s memory",
                 space);
  if (operation == SIMT_ADD_FLOAT2 && in_shared(b, address))
    BLOCK_REFUSE(b, SIMT_USAGE, cudaErrorLaunchFailure, pc,
                 "atomicAdd() of a float2 is for global memory alone");
  if (b->shadow && operation == SIMT_COMPARE)
    map_put(&b->cas_looks,
            log_latest_read(b, (uintptr_t)address, (uint32_t)size), b);
  const bool checked = b->shadow && !in_shared(b, address);
  /* Before the check takes its lock: the system would refuse it behind that. */
  if (!in_shared(b, address) && arena_is_input(address))
    BLOCK_REFUSE(b, SIMT_USAGE, cudaErrorIllegalAddress, pc,
                 "an atomic on an input, which the kernel may only read");
  /* What was written before must be known to the check before others see the
   * atomic. */
  if (checked && b->fenced)
    block_request(b, (request){.kind = REQUEST_YIELD, .pc = pc});
  if (checked) global_atomic_begin(b, (uintptr_t)address, (uint32_t)size, pc);
  const uint64_t old =
      size == 8 ? exchange_8(address, operation, value, compare, &changed)
                : exchange_4(address, operation, value, compare, &changed);
  if (checked) global_atomic_end();
  block_request(b, (request){.kind = changed ? REQUEST_YIELD : REQUEST_SPIN,
                             .pc = pc,
                             .asks = !changed,
                             .spins_in = "a loop of atomics"});
  return old;
}

/* After what the thread has done before it, the check learns of the fence. */
static void fence(block *b, thread *t) {
  block_make_ready(b, t);
  b->fenced = true;
  flags_fence(b, t);
  if (!t->request.operation) global_fence(b, t);
}

mechanism fences = {.name = "a fence", .carry_out = fence};

void simt_fence(int of_block) {
  block *b = simt_here;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (b && b->shadow) BLOCK_ASK(b, &fences, of_block, CALLER);
}
