#ifndef FP8ATTENTION_QUANTISE_H
#define FP8ATTENTION_QUANTISE_H

#include <cuda_runtime_api.h>
#include <stdint.h>

#include "common/device/interface/attention.h"

/* Between the checks in quantise.c and the kernels in quantise.cu. */

/* An item has at most QUANTISE_ITEM values; fewer, down to the smallest, where
 * there would be few items. */
enum {
  QUANTISE_TENSORS = 4,
  QUANTISE_ITEM = 16384,
  QUANTISE_SMALLEST_ITEM = 4096,
  QUANTISE_FEW = 512
};

/* An item is a part of one head: so many rows of it. */
typedef struct {
  const uint16_t *values;
  uint8_t *codes;
  float *scale; /* [batch][heads] */
  tensor_strides from, to;
  int64_t rows;
  uint32_t heads, head_dim;
  uint32_t parts, part_rows; /* items a head, rows an item */
  uint32_t first_item;       /* how many there are in tensors before */
  int bf16;
} quantise_tensor;

/* The workspace. A word for each item comes first, all zeros before the kernel:
 * what the item's look has found. A second one for each is the kernel's own. */
typedef struct {
  uint32_t next; /* the first item that nobody has taken */
  uint32_t unused[3];
  uint32_t word[];
} quantise_state;

typedef struct {
  quantise_tensor tensor[QUANTISE_TENSORS];
  uint32_t count, items; /* tensors, and what they have together */
  quantise_state *state;
} quantise_args;

#ifdef __cplusplus
extern "C" {
#endif

cudaError_t quantise_launch(const quantise_args *args, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
