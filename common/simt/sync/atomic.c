/* Atomic read-modify-write. Blocks run on several OS threads, so the memory
 * operation is a real atomic one. */

#include "common/simt/access/access.h"
#include "common/simt/race/race.h"
#include "common/simt/sync/sync.h"
#include "common/simt/tensor/half.h"

#include <string.h>

static uint64_t add_float(size_t size, uint64_t a, uint64_t b) {
  if (size == 8) {
    double x, y;
    memcpy(&x, &a, 8);
    memcpy(&y, &b, 8);
    x += y;
    memcpy(&a, &x, 8);
    return a;
  }
  float x, y;
  memcpy(&x, &a, 4);
  memcpy(&y, &b, 4);
  x += y;
  memcpy(&a, &x, 4);
  return a;
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
                ? half_from_float(half_to_float(x) + half_to_float(y))
                : bfloat_from_float(bfloat_to_float(x) + bfloat_to_float(y)))
           << at;
  }
  return sum;
}

static int64_t as_signed(size_t size, uint64_t x) {
  return size == 8 ? (int64_t)x : (int32_t)x;
}

uint64_t atomic_combine(simt_atomic_operation operation, size_t size,
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

static uint64_t exchange_8(uint64_t *place, simt_atomic_operation operation,
                           uint64_t value, uint64_t compare, bool *changed) {
  uint64_t old = __atomic_load_n(place, __ATOMIC_RELAXED), next;
  do next = atomic_combine(operation, 8, old, value, compare);
  while (!__atomic_compare_exchange_n(place, &old, next, false,
                                      __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
  *changed = next != old;
  return old;
}

static uint32_t exchange_4(uint32_t *place, simt_atomic_operation operation,
                           uint64_t value, uint64_t compare, bool *changed) {
  uint32_t old = __atomic_load_n(place, __ATOMIC_RELAXED), next;
  do next = (uint32_t)atomic_combine(operation, 4, old, value, compare);
  while (!__atomic_compare_exchange_n(place, &old, next, false,
                                      __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
  *changed = next != old;
  return old;
}

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
  if (b->shadow && operation == SIMT_COMPARE)
    finding_cas_look(b, log_latest_read(b, (uintptr_t)address, (uint32_t)size));
  const bool checked = b->shadow && !in_shared(b, address);
  /* What was written before must be known to the check before others see the
   * atomic. */
  if (checked && b->fenced)
    block_request(b, (request){.kind = REQUEST_YIELD, .pc = pc});
  if (checked)
    global_atomic_begin(b, (uintptr_t)address, (uint32_t)size, pc);
  const uint64_t old =
      size == 8 ? exchange_8(address, operation, value, compare, &changed)
                : exchange_4(address, operation, value, compare, &changed);
  if (checked) global_atomic_end(b);
  block_request(b, (request){.kind = changed ? REQUEST_YIELD : REQUEST_SPIN,
                             .pc = pc,
                             .asks = !changed,
                             .spins_in = "a loop of atomics"});
  return old;
}

/* After what the thread has done before it, the check learns of the fence. */
static void carry_out(block *b, thread *t) {
  block_make_ready(b, t);
  b->fenced = true;
  flags_fence(b, t);
  global_fence(b, t);
}

mechanism fences = {.name = "a fence", .carry_out = carry_out};

void simt_fence(void) {
  block *b = simt_here;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (b && b->shadow)
    block_request(b, (request){.kind = REQUEST_CARRY_OUT,
                               .pc = CALLER,
                               .to = &fences});
}
