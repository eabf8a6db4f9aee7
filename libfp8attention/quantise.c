/* The checks between a caller and the kernels that make codes. */

#include "libfp8attention/fp8attention.h"
#include "libfp8attention/quantise.h"
#include "libfp8attention/strides.h"

#include <stdbool.h>
#include <stddef.h>

enum { ALIGNMENT = 16, VALUES_STRIDE_UNIT = 8, CODES_STRIDE_UNIT = 16 };

static tensor_size size_of(const fp8attention_tensor *t) {
  return (tensor_size){t->batch, t->heads, t->seq_len, t->head_dim};
}

static int64_t heads_of(const fp8attention_tensor *t) {
  return t->batch * t->heads;
}

static int check_sizes(const fp8attention_tensor *tensors, int count) {
  if (!tensors) return FP8ATTENTION_NULL_POINTER;
  if (count < 1 || count > QUANTISE_TENSORS) return FP8ATTENTION_BAD_COUNT;
  int64_t pieces = 0; /* of all: items are numbered in 32 bits */
  for (int i = 0; i < count; i++) {
    const fp8attention_tensor *t = &tensors[i];
    const tensor_size size = size_of(t);
    const int64_t its = pieces_of(&size);
    pieces += its;
    if (its < 0 || pieces > PIECES_LIMIT) return FP8ATTENTION_BAD_SIZE;
    if (t->head_dim != 64 && t->head_dim != 128)
      return FP8ATTENTION_BAD_HEAD_DIM;
  }
  return FP8ATTENTION_OK;
}

/* ---- where memory lies ---- */

static memory_range range_of(const fp8attention_tensor *t, const void *start,
                             const fp8attention_strides *strides,
                             int64_t bytes) {
  const tensor_size size = size_of(t);
  const tensor_strides s = strides_of(&size, strides);
  return (memory_range){start, bytes * span_of(&size, &s)};
}

/* Codes of one tensor may lie between those of another, as where q, k and v are
 * three parts of one. */
static bool all_lie_apart(const fp8attention_tensor *tensors, int count,
                          memory_range workspace) {
  memory_range own[QUANTISE_TENSORS + 1], others[2 * QUANTISE_TENSORS];
  memory_range *const values = others, *const codes = others + count;
  for (int i = 0; i < count; i++) {
    const fp8attention_tensor *t = &tensors[i];
    own[i] = (memory_range){t->scale, 4 * heads_of(t)};
    values[i] = range_of(t, t->values, &t->values_strides, 2);
    codes[i] = range_of(t, t->codes, &t->codes_strides, 1);
  }
  own[count] = workspace;
  for (int i = 0; i < count; i++)
    if (!ranges_lie_apart(&codes[i], 1, values, count)) return false;
  return ranges_lie_apart(own, count + 1, others, 2 * count);
}

/* ---- one call ---- */

static int check_tensor(const fp8attention_tensor *t) {
  const tensor_size size = size_of(t);
  const tensor_strides from = strides_of(&size, &t->values_strides);
  const tensor_strides to = strides_of(&size, &t->codes_strides);
  if (!t->values || !t->codes || !t->scale) return FP8ATTENTION_NULL_POINTER;
  if (t->format != FP8ATTENTION_FP16 && t->format != FP8ATTENTION_BF16)
    return FP8ATTENTION_BAD_FORMAT;
  if (!is_aligned(t->values, ALIGNMENT) || !is_aligned(t->codes, ALIGNMENT) ||
      !is_aligned(t->scale, sizeof(float)))
    return FP8ATTENTION_MISALIGNED_VALUES;
  if (!strides_fit(&from, t->head_dim, STRIDE_LIMIT, VALUES_STRIDE_UNIT) ||
      !span_of(&size, &from))
    return FP8ATTENTION_BAD_VALUES_STRIDE;
  if (!strides_fit(&to, t->head_dim, STRIDE_LIMIT, CODES_STRIDE_UNIT) ||
      !span_of(&size, &to) || !rows_lie_apart(&size, &to))
    return FP8ATTENTION_BAD_CODES_STRIDE;
  return FP8ATTENTION_OK;
}

static int check(const fp8attention_tensor *tensors, int count,
                 const void *workspace) {
  int refused = FP8ATTENTION_OK;
  for (int i = 0; i < count && !refused; i++)
    refused = check_tensor(&tensors[i]);
  if (refused) return refused;
  if (!workspace) return FP8ATTENTION_NULL_POINTER;
  if (!is_aligned(workspace, ALIGNMENT)) return FP8ATTENTION_MISALIGNED_VALUES;
  const memory_range room = {workspace, fp8attention_workspace(tensors, count)};
  if (!all_lie_apart(tensors, count, room)) return FP8ATTENTION_CODES_OVERLAP;
  return FP8ATTENTION_OK;
}

/* ---- items ---- */

static int64_t parts_of(const fp8attention_tensor *t, int64_t values) {
  const int64_t rows = values / t->head_dim;
  return (t->seq_len + rows - 1) / rows;
}

static int64_t items_of(const fp8attention_tensor *tensors, int count,
                        int64_t values) {
  int64_t items = 0;
  for (int i = 0; i < count; i++)
    items += heads_of(&tensors[i]) * parts_of(&tensors[i], values);
  return items;
}

/* Values of an item: halved while some multiprocessors would go without. */
static int64_t item_size(const fp8attention_tensor *tensors, int count) {
  int64_t values = QUANTISE_ITEM;
  while (values > QUANTISE_SMALLEST_ITEM &&
         items_of(tensors, count, values) < QUANTISE_FEW)
    values /= 2;
  return values;
}

static quantise_args args_of(const fp8attention_tensor *tensors, int count,
                             void *workspace) {
  const int64_t values = item_size(tensors, count);
  quantise_args args = {.count = (uint32_t)count, .state = workspace};
  for (int i = 0; i < count; i++) {
    const fp8attention_tensor *t = &tensors[i];
    const uint32_t parts = (uint32_t)parts_of(t, values);
    const tensor_size size = size_of(t);
    args.tensor[i] = (quantise_tensor){
        t->values, t->codes, t->scale, strides_of(&size, &t->values_strides),
        strides_of(&size, &t->codes_strides), t->seq_len, (uint32_t)t->heads,
        (uint32_t)t->head_dim, parts, (uint32_t)(values / t->head_dim),
        args.items, t->format == FP8ATTENTION_BF16};
    args.items += (uint32_t)heads_of(t) * parts;
  }
  return args;
}

/* ---- what the header declares ---- */

int fp8attention_quantise(const fp8attention_tensor *tensors, int count,
                          void *workspace, struct CUstream_st *stream) {
  int refused = check_sizes(tensors, count), left = 0;
  if (refused) return refused;
  fp8attention_tensor some[QUANTISE_TENSORS]; /* those that are not empty */
  for (int i = 0; i < count; i++) {
    const tensor_size size = size_of(&tensors[i]);
    if (pieces_of(&size)) some[left++] = tensors[i];
  }
  if (left == 0) return FP8ATTENTION_OK;
  device_scope scope;
  refused = check(some, left, workspace);
  if (!refused) refused = device_enter(&scope, some[0].codes);
  if (refused) return refused;
  const quantise_args args = args_of(some, left, workspace);
  return device_leave(&scope, quantise_launch(&args, stream));
}

int64_t fp8attention_workspace(const fp8attention_tensor *tensors, int count) {
  if (check_sizes(tensors, count)) return 0;
  const int64_t items = items_of(tensors, count, item_size(tensors, count));
  return (int64_t)(sizeof(quantise_state) +
                   2 * (size_t)items * sizeof(uint32_t));
}
