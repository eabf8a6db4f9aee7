#ifndef FP8ATTENTION_QUANTISE_H
#define FP8ATTENTION_QUANTISE_H

#include <cuda_runtime_api.h>
#include <stdint.h>

#include "common/device/interface/attention.h"

/* Between the checks in quantise.c and the kernels in quantise.cu. */

enum { QUANTISE_TENSORS = 4, QUANTISE_ITEM = 16384 /* values at most */ };

/* An item is a part of one head, as many rows as have QUANTISE_ITEM values. */
typedef struct {
  const uint16_t *values;
  uint8_t *codes;
  float *scale; /* [batch][heads] */
  tensor_strides from, to;
  int64_t rows;
  uint32_t heads, head_dim;
  uint32_t parts;                  /* items a head */
  uint32_t first_item, first_head; /* how many there are in tensors before */
  int bf16;
} quantise_tensor;

/* The workspace, all zeros before the first kernel. */
typedef struct {
  uint32_t largest; /* the bits of the largest finite magnitude so far */
  uint32_t done;    /* how many items it is the largest of */
} quantise_head_state;

typedef struct {
  uint32_t next_look, next_code; /* items that nobody has taken */
  uint32_t unused[2];
  quantise_head_state head[]; /* of all tensors */
} quantise_state;

typedef struct {
  quantise_tensor tensor[QUANTISE_TENSORS];
  uint32_t count, items, heads; /* tensors, and what they have together */
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
