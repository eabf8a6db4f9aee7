#pragma once

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/device/interface/attention.h"
#include "libfp8attention/fp8attention.h"

/* How tensors lie in memory, as both calls of the library check it. A tensor
 * has `batch` times `heads` heads of `rows` rows of `head_dim` elements. */
typedef struct {
  int64_t batch, heads, rows, head_dim;
} tensor_size;

typedef struct {
  const void *start;
  int64_t bytes;
} memory_range;

enum { PIECES_LIMIT = 1 << 30, ROWS_LIMIT = 1 << 30 };
#define STRIDE_LIMIT (INT64_C(1) << 40)
#define SPAN_LIMIT (INT64_C(1) << 60)

/* How many pieces of 64 rows all heads have; -1 where a size is below 0, rows
 * are more than ROWS_LIMIT, or the pieces more than PIECES_LIMIT. */
int64_t pieces_of(const tensor_size *size);

/* A caller's strides. Where there is only one, the distance to the next does
 * not matter; TMA wants to hear a number that it could use. */
tensor_strides strides_of(const tensor_size *size,
                          const fp8attention_strides *strides);

/* Is each stride at least head_dim, below the limit, and a multiple of unit? */
bool strides_fit(const tensor_strides *strides, int64_t head_dim,
                 int64_t limit, int64_t unit);

/* Elements from the first to behind the last; 0 where they are over SPAN_LIMIT.
 * Sizes and strides are at least 1 here. */
int64_t span_of(const tensor_size *size, const tensor_strides *strides);

/* Do no two rows share an element? The span is within its limit here. */
bool rows_lie_apart(const tensor_size *size, const tensor_strides *strides);

/* Do these share no byte with each other, nor with others? */
bool ranges_lie_apart(const memory_range *ranges, int count,
                      const memory_range *others, int other_count);

bool is_aligned(const void *pointer, uintptr_t alignment);

typedef struct {
  int now, before;
} device_scope;

/* Makes the device current on which this memory is. A code of fp8attention.h:
 * can the kernels run there? If so, device_leave must follow. */
int device_enter(device_scope *scope, const void *memory);

/* The device is as it was before. Gives the error back as a code, and the
 * error is not left behind for later calls. */
int device_leave(const device_scope *scope, cudaError_t error);
