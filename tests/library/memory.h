#ifndef LIBRARY_MEMORY_H
#define LIBRARY_MEMORY_H

#include "libfp8attention/fp8attention.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <cuda_runtime_api.h>

/* "Device" memory, which on the executor the host sees, too: each byte of this
 * value. */
static inline void *memory(size_t size, int value) {
  void *pointer = NULL;
  assert_int_equal(cudaMalloc(&pointer, size), cudaSuccess);
  assert_int_equal(cudaMemset(pointer, value, size), cudaSuccess);
  return pointer;
}

/* How far a row is from a tensor's first element. */
static inline int64_t place(const fp8attention_strides *s, int64_t b, int64_t h,
                            int64_t row) {
  return b * s->batch + h * s->head + row * s->row;
}

#endif
