/* Atomic read-modify-write. Blocks run on several OS threads, so the memory
 * operation is a real atomic one. */

#include "common/simt/executor.h"

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

uint64_t simt_atomic(void *address, size_t size,
                     simt_atomic_operation operation, uint64_t value,
                     uint64_t compare) {
  trace_access(simt_here, address, (uint32_t)size, ACCESS_ATOMIC, CALLER);
  if (size == 8) {
    uint64_t *place = address, old = __atomic_load_n(place, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(
        place, &old, combine(operation, 8, old, value, compare), false,
        __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
      ;
    return old;
  }
  uint32_t *place = address, old = __atomic_load_n(place, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(
      place, &old, (uint32_t)combine(operation, 4, old, value, compare), false,
      __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
    ;
  return old;
}
