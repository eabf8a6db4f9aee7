/* The checks between a caller and the kernels that make codes. */

#include "libfp8attention/quantise.h"
#include "libfp8attention/device.h"
#include "libfp8attention/fp8attention.h"

#include <stdbool.h>
#include <stddef.h>

enum {
  ROWS_A_PIECE = 64,
  ALIGNMENT = 16,
  VALUES_STRIDE_UNIT = 8,
  CODES_STRIDE_UNIT = 16
};
#define MAX_PIECES (INT64_C(1) << 30)
#define MAX_ROWS (INT64_C(1) << 30)
#define MAX_STRIDE (INT64_C(1) << 40)
#define MAX_SPAN (INT64_C(1) << 60)

/* ---- sizes ---- */

/* How many pieces of rows the heads have; 0 where a size is wrong. */
static int64_t pieces_of(const fp8attention_tensor *t) {
  if (t->batch < 1 || t->heads < 1 || t->seq_len < 1 || t->seq_len > MAX_ROWS)
    return 0;
  const int64_t pieces = (t->seq_len + ROWS_A_PIECE - 1) / ROWS_A_PIECE;
  if (t->batch > MAX_PIECES / pieces ||
      t->heads > MAX_PIECES / pieces / t->batch)
    return 0;
  return pieces * t->batch * t->heads;
}

static int check_sizes(const fp8attention_tensor *tensors, int count) {
  if (!tensors) return FP8ATTENTION_NULL_POINTER;
  if (count < 1 || count > QUANTISE_TENSORS) return FP8ATTENTION_BAD_COUNT;
  int64_t pieces = 0; /* of all: items are numbered in 32 bits */
  for (int i = 0; i < count; i++) {
    const fp8attention_tensor *t = &tensors[i];
    const int64_t its = pieces_of(t);
    pieces += its;
    if (its == 0 || pieces > MAX_PIECES) return FP8ATTENTION_BAD_SIZE;
    if (t->head_dim != 64 && t->head_dim != 128)
      return FP8ATTENTION_BAD_HEAD_DIM;
  }
  return FP8ATTENTION_OK;
}

/* ---- strides ---- */

/* Where there is only one, the distance to the next does not matter. */
static quantise_strides of_sizes(const fp8attention_strides *s,
                                 const fp8attention_tensor *t) {
  const quantise_strides strides = {t->batch > 1 ? s->batch : t->head_dim,
                                    t->heads > 1 ? s->head : t->head_dim,
                                    t->seq_len > 1 ? s->row : t->head_dim};
  return strides;
}

/* Elements from the first to behind the last; 0 where they are over the limit.
 * Sizes and strides are at least 1 here. */
static int64_t span(const quantise_strides *s, const fp8attention_tensor *t) {
  const int64_t steps[3] = {t->batch - 1, t->heads - 1, t->seq_len - 1};
  const int64_t strides[3] = {s->batch, s->head, s->row};
  int64_t elements = t->head_dim;
  for (int i = 0; i < 3; i++) {
    if (steps[i] > (MAX_SPAN - elements) / strides[i]) return 0;
    elements += steps[i] * strides[i];
  }
  return elements;
}

static bool strides_fit(const quantise_strides *s, int64_t head_dim,
                        int64_t unit) {
  const int64_t all[3] = {s->batch, s->head, s->row};
  for (int i = 0; i < 3; i++)
    if (all[i] < head_dim || all[i] >= MAX_STRIDE || all[i] % unit)
      return false;
  return true;
}

/* Each of the strides in order steps over all that lies within it. */
static bool rows_lie_apart(const quantise_strides *s,
                           const fp8attention_tensor *t) {
  const int64_t size[3] = {t->batch, t->heads, t->seq_len};
  const int64_t stride[3] = {s->batch, s->head, s->row};
  int64_t within = t->head_dim;
  bool used[3] = {size[0] == 1, size[1] == 1, size[2] == 1};
  for (;;) {
    int least = -1;
    for (int i = 0; i < 3; i++)
      if (!used[i] && (least < 0 || stride[i] < stride[least])) least = i;
    if (least < 0) return true;
    if (stride[least] < within) return false;
    within += (size[least] - 1) * stride[least];
    used[least] = true;
  }
}

/* ---- where memory lies ---- */

typedef struct {
  const void *start;
  int64_t bytes;
} range;

/* No sum of an address and a size, which may be more than an address can be. */
static bool apart(range a, range b) {
  const uintptr_t one = (uintptr_t)a.start, other = (uintptr_t)b.start;
  return one <= other ? other - one >= (uintptr_t)a.bytes
                      : one - other >= (uintptr_t)b.bytes;
}

static bool aligned(const void *pointer, uintptr_t alignment) {
  return (uintptr_t)pointer % alignment == 0;
}

static range values_range(const fp8attention_tensor *t) {
  const quantise_strides s = of_sizes(&t->values_strides, t);
  return (range){t->values, 2 * span(&s, t)};
}

static range codes_range(const fp8attention_tensor *t) {
  const quantise_strides s = of_sizes(&t->codes_strides, t);
  return (range){t->codes, span(&s, t)};
}

static range scale_range(const fp8attention_tensor *t) {
  return (range){t->scale, 4 * t->batch * t->heads};
}

/* Codes of one tensor may lie between those of another, as where q, k and v are
 * three parts of one. */
static bool all_lie_apart(const fp8attention_tensor *tensors, int count,
                          range workspace) {
  for (int i = 0; i < count; i++) {
    const range codes = codes_range(&tensors[i]);
    const range scale = scale_range(&tensors[i]);
    if (!apart(codes, workspace) || !apart(scale, workspace)) return false;
    if (!apart(values_range(&tensors[i]), workspace)) return false;
    for (int j = 0; j < count; j++) {
      const fp8attention_tensor *other = &tensors[j];
      if (!apart(codes, values_range(other)) ||
          !apart(codes, scale_range(other)) ||
          !apart(scale, values_range(other)) ||
          (i != j && !apart(scale, scale_range(other))))
        return false;
    }
  }
  return true;
}

/* ---- one call ---- */

static int check_tensor(const fp8attention_tensor *t) {
  const quantise_strides from = of_sizes(&t->values_strides, t);
  const quantise_strides to = of_sizes(&t->codes_strides, t);
  if (!t->values || !t->codes || !t->scale) return FP8ATTENTION_NULL_POINTER;
  if (t->format != FP8ATTENTION_FP16 && t->format != FP8ATTENTION_BF16)
    return FP8ATTENTION_BAD_FORMAT;
  if (!aligned(t->values, ALIGNMENT) || !aligned(t->codes, ALIGNMENT) ||
      !aligned(t->scale, sizeof(float)))
    return FP8ATTENTION_MISALIGNED_VALUES;
  if (!strides_fit(&from, t->head_dim, VALUES_STRIDE_UNIT) || !span(&from, t))
    return FP8ATTENTION_BAD_VALUES_STRIDE;
  if (!strides_fit(&to, t->head_dim, CODES_STRIDE_UNIT) || !span(&to, t) ||
      !rows_lie_apart(&to, t))
    return FP8ATTENTION_BAD_CODES_STRIDE;
  return FP8ATTENTION_OK;
}

static int check_device(void) {
  bool is_hopper = false;
  const cudaError_t error = device_is_hopper(&is_hopper);
  if (error) return FP8ATTENTION_CUDA + (int)error;
  return is_hopper ? FP8ATTENTION_OK : FP8ATTENTION_WRONG_DEVICE;
}

static int check(const fp8attention_tensor *tensors, int count,
                 const void *workspace) {
  int refused = check_sizes(tensors, count);
  for (int i = 0; i < count && !refused; i++)
    refused = check_tensor(&tensors[i]);
  if (refused) return refused;
  if (!workspace) return FP8ATTENTION_NULL_POINTER;
  if (!aligned(workspace, ALIGNMENT)) return FP8ATTENTION_MISALIGNED_VALUES;
  const range room = {workspace, fp8attention_workspace(tensors, count)};
  if (!all_lie_apart(tensors, count, room)) return FP8ATTENTION_CODES_OVERLAP;
  return check_device();
}

static quantise_args args_of(const fp8attention_tensor *tensors, int count,
                             void *workspace) {
  quantise_args args = {.count = (uint32_t)count, .state = workspace};
  for (int i = 0; i < count; i++) {
    const fp8attention_tensor *t = &tensors[i];
    const int64_t rows = QUANTISE_ITEM / t->head_dim;
    const uint32_t parts = (uint32_t)((t->seq_len + rows - 1) / rows);
    const uint32_t heads = (uint32_t)(t->batch * t->heads);
    args.tensor[i] = (quantise_tensor){
        t->values, t->codes, t->scale, of_sizes(&t->values_strides, t),
        of_sizes(&t->codes_strides, t), t->seq_len, (uint32_t)t->heads,
        (uint32_t)t->head_dim, parts, args.items, args.heads,
        t->format == FP8ATTENTION_BF16};
    args.items += heads * parts;
    args.heads += heads;
  }
  return args;
}

/* ---- what the header declares ---- */

int fp8attention_quantise(const fp8attention_tensor *tensors, int count,
                          void *workspace, struct CUstream_st *stream) {
  const int refused = check(tensors, count, workspace);
  if (refused) return refused;
  const quantise_args args = args_of(tensors, count, workspace);
  const cudaError_t error = device_take(quantise_launch(&args, stream));
  return error ? FP8ATTENTION_CUDA + (int)error : FP8ATTENTION_OK;
}

int64_t fp8attention_workspace(const fp8attention_tensor *tensors, int count) {
  if (check_sizes(tensors, count)) return 0;
  int64_t heads = 0;
  for (int i = 0; i < count; i++) heads += tensors[i].batch * tensors[i].heads;
  return (int64_t)sizeof(quantise_state) +
         heads * (int64_t)sizeof(quantise_head_state);
}
