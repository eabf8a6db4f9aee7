/* The checks between a caller and the kernel. */

#include "libfp8attention/fp8attention.h"
#include "common/device/interface/attention.h"
#include "libfp8attention/device.h"

#include <math.h>
#include <stdbool.h>

enum {
  ROWS_A_PIECE = 64,
  CODES_ALIGNMENT = 16,  /* of TMA */
  OUTPUT_ALIGNMENT = 8,  /* a thread stores four halves at once */
  INPUT_STRIDE_UNIT = 16,
  OUTPUT_STRIDE_UNIT = 4
};
#define MAX_PIECES (INT64_C(1) << 30)
#define MAX_ROWS (INT64_C(1) << 30)
#define MAX_STRIDE (INT64_C(1) << 40)
#define MAX_SPAN (INT64_C(1) << 60)

/* kernels.cu */
cudaError_t drifting_launch(const attention_args *args, cudaStream_t stream);

/* ---- sizes ---- */

static int64_t key_rows_of(const fp8attention_problem *p) {
  return p->key_len ? p->key_len : p->seq_len;
}

static bool sizes_fit(const fp8attention_problem *p) {
  if (p->batch < 1 || p->heads < 1 || p->kv_heads < 1 || p->seq_len < 1 ||
      p->seq_len > MAX_ROWS || p->key_len < 0 || p->key_len > MAX_ROWS)
    return false;
  const int64_t pieces = (p->seq_len + ROWS_A_PIECE - 1) / ROWS_A_PIECE;
  return p->batch <= MAX_PIECES / pieces &&
         p->heads <= MAX_PIECES / pieces / p->batch;
}

/* ---- strides ---- */

/* Where there is only one, the distance to the next does not matter; TMA wants
 * to hear a number that it could use. */
static tensor_strides of_sizes(const fp8attention_strides *s,
                               const fp8attention_problem *p, int64_t heads,
                               int64_t rows) {
  const tensor_strides strides = {p->batch > 1 ? s->batch : p->head_dim,
                                  heads > 1 ? s->head : p->head_dim,
                                  rows > 1 ? s->row : p->head_dim};
  return strides;
}

static bool input_stride_fits(int64_t stride, int64_t head_dim) {
  return stride >= head_dim && stride < MAX_STRIDE &&
         stride % INPUT_STRIDE_UNIT == 0;
}

static bool input_fits(const tensor_strides *s, int64_t head_dim) {
  return input_stride_fits(s->batch, head_dim) &&
         input_stride_fits(s->head, head_dim) &&
         input_stride_fits(s->row, head_dim);
}

/* Elements from the first to behind the last; 0 where they are over the limit.
 * Sizes and strides are at least 1 here. */
static int64_t span(const tensor_strides *s, const fp8attention_problem *p,
                    int64_t heads, int64_t rows) {
  const int64_t steps[3] = {p->batch - 1, heads - 1, rows - 1};
  const int64_t strides[3] = {s->batch, s->head, s->row};
  int64_t elements = p->head_dim;
  for (int i = 0; i < 3; i++) {
    if (steps[i] > (MAX_SPAN - elements) / strides[i]) return 0;
    elements += steps[i] * strides[i];
  }
  return elements;
}

/* Of a tensor of the queries' rows, and of one of the keys'. */
static int64_t query_span(const tensor_strides *s,
                          const fp8attention_problem *p) {
  return span(s, p, p->heads, p->seq_len);
}

static int64_t key_span(const tensor_strides *s,
                        const fp8attention_problem *p) {
  return span(s, p, p->kv_heads, key_rows_of(p));
}

static bool inputs_fit(const fp8attention_problem *p,
                       const attention_strides *s) {
  return input_fits(&s->q, p->head_dim) && input_fits(&s->k, p->head_dim) &&
         input_fits(&s->v, p->head_dim) && query_span(&s->q, p) &&
         key_span(&s->k, p) && key_span(&s->v, p);
}

typedef struct {
  int64_t size, stride;
} dimension;

static void put_in_order(dimension *a, dimension *b) {
  if (a->stride <= b->stride) return;
  const dimension kept = *a;
  *a = *b;
  *b = kept;
}

/* From the smallest stride on, each steps over all that lies within it. */
static bool output_fits(const tensor_strides *s,
                        const fp8attention_problem *p) {
  dimension d[3] = {
      {p->batch, s->batch}, {p->heads, s->head}, {p->seq_len, s->row}};
  /* A stride that does not matter would be in the way of the others. */
  int count = 0;
  for (int i = 0; i < 3; i++)
    if (d[i].size > 1) d[count++] = d[i];
  if (count > 1) put_in_order(&d[0], &d[1]);
  if (count > 2) {
    put_in_order(&d[1], &d[2]);
    put_in_order(&d[0], &d[1]);
  }
//> no-overlap
  int64_t span = p->head_dim;
  for (int i = 0; i < count; i++) {
    if (d[i].stride < span || d[i].stride % OUTPUT_STRIDE_UNIT) return false;
    if (d[i].size - 1 > (MAX_SPAN - span) / d[i].stride) return false;
    span += (d[i].size - 1) * d[i].stride;
  }
//< no-overlap
  return true;
}

/* ---- where tensors lie ---- */

/* No sum of an address and a size, which may be more than an address can be. */
static bool apart(const void *a, int64_t a_bytes, const void *b,
                  int64_t b_bytes) {
  const uintptr_t one = (uintptr_t)a, other = (uintptr_t)b;
  return one <= other ? other - one >= (uintptr_t)a_bytes
                      : one - other >= (uintptr_t)b_bytes;
}

/* What is written there is no input. */
static bool lies_apart(const void *out, int64_t bytes,
                       const fp8attention_problem *p,
                       const attention_strides *s) {
  const int64_t scales = 4 * p->batch * p->heads;
  const int64_t kv_scales = 4 * p->batch * p->kv_heads;
  return apart(out, bytes, p->q, query_span(&s->q, p)) &&
         apart(out, bytes, p->k, key_span(&s->k, p)) &&
         apart(out, bytes, p->v, key_span(&s->v, p)) &&
         apart(out, bytes, p->q_scale, scales) &&
         apart(out, bytes, p->k_scale, kv_scales) &&
         apart(out, bytes, p->v_scale, kv_scales);
}

static bool outputs_lie_apart(const fp8attention_problem *p,
                              const attention_strides *s) {
  const int64_t o = 2 * query_span(&s->o, p);
  const int64_t lse = 4 * p->batch * p->heads * p->seq_len;
  return lies_apart(p->o, o, p, s) &&
         (!p->lse ||
          (lies_apart(p->lse, lse, p, s) && apart(p->lse, lse, p->o, o)));
}

static bool aligned(const void *pointer, uintptr_t alignment) {
  return (uintptr_t)pointer % alignment == 0;
}

static bool pointers_are_aligned(const fp8attention_problem *p) {
  return aligned(p->q, CODES_ALIGNMENT) && aligned(p->k, CODES_ALIGNMENT) &&
         aligned(p->v, CODES_ALIGNMENT) && aligned(p->o, OUTPUT_ALIGNMENT) &&
         aligned(p->q_scale, sizeof(float)) &&
         aligned(p->k_scale, sizeof(float)) &&
         aligned(p->v_scale, sizeof(float)) && aligned(p->lse, sizeof(float));
}

/* ---- the rest ---- */

static int check_device(void) {
  bool is_hopper = false;
  const cudaError_t error = device_is_hopper(&is_hopper);
  if (error) return FP8ATTENTION_CUDA + (int)error;
  return is_hopper ? FP8ATTENTION_OK : FP8ATTENTION_WRONG_DEVICE;
}

static int check(const fp8attention_problem *p,
                 const attention_strides *strides) {
  if (!p->q || !p->k || !p->v || !p->o || !p->q_scale || !p->k_scale ||
      !p->v_scale)
    return FP8ATTENTION_NULL_POINTER;
  if (!sizes_fit(p)) return FP8ATTENTION_BAD_SIZE;
  if (p->head_dim != 64 && p->head_dim != 128) return FP8ATTENTION_BAD_HEAD_DIM;
  if (p->heads % p->kv_heads) return FP8ATTENTION_BAD_KV_HEADS;
  if (!(p->softmax_scale > 0.0f) || isinf(p->softmax_scale))
    return FP8ATTENTION_BAD_SOFTMAX_SCALE;
  if (p->causal && key_rows_of(p) != p->seq_len)
    return FP8ATTENTION_CAUSAL_KEY_LEN;
  if (!pointers_are_aligned(p)) return FP8ATTENTION_MISALIGNED;
  if (!inputs_fit(p, strides)) return FP8ATTENTION_BAD_INPUT_STRIDE;
  if (!output_fits(&strides->o, p)) return FP8ATTENTION_BAD_OUTPUT_STRIDE;
  if (!outputs_lie_apart(p, strides)) return FP8ATTENTION_OVERLAP;
  return check_device();
}

/* ---- what the header declares ---- */

//> forward
int fp8attention_forward(const fp8attention_problem *problem,
                         struct CUstream_st *stream) {
  const fp8attention_problem *p = problem;
  if (!p) return FP8ATTENTION_NULL_POINTER;
  const int64_t rows = p->seq_len, keys = key_rows_of(p);
  const attention_strides strides = {
      of_sizes(&p->q_strides, p, p->heads, rows),
      of_sizes(&p->k_strides, p, p->kv_heads, keys),
      of_sizes(&p->v_strides, p, p->kv_heads, keys),
      of_sizes(&p->o_strides, p, p->heads, rows)};
  const int refused = check(p, &strides);
  if (refused) return refused;
  const attention_args args = {
      p->q, p->k, p->v, p->q_scale, p->k_scale, p->v_scale, p->o,
      p->batch, p->heads, p->seq_len, p->head_dim, p->softmax_scale,
      p->kv_heads, p->causal != 0, (int)keys, &strides, p->lse};
  const cudaError_t error = device_take(
      p->drift ? drifting_launch(&args, stream) : stage_launch(&args, stream));
  return error ? FP8ATTENTION_CUDA + (int)error : FP8ATTENTION_OK;
}
//< forward

/* Sizes may be anything here: they are not checked before the call. */
static int64_t product(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a * (uint64_t)b);
}

void fp8attention_contiguous(fp8attention_problem *problem) {
  fp8attention_problem *p = problem;
  if (!p) return;
  const int64_t head = product(p->seq_len, p->head_dim);
  const int64_t kv_head = product(key_rows_of(p), p->head_dim);
  const fp8attention_strides each = {product(p->heads, head), head,
                                     p->head_dim};
  const fp8attention_strides shared = {product(p->kv_heads, kv_head), kv_head,
                                       p->head_dim};
  p->q_strides = p->o_strides = each;
  p->k_strides = p->v_strides = shared;
}

const char *fp8attention_error_text(int code) {
  switch (code) {
  case FP8ATTENTION_OK: return "The kernel was started.";
  case FP8ATTENTION_NULL_POINTER:
    return "A pointer to a tensor, to scales, to the workspace or to the "
           "problem is null.";
  case FP8ATTENTION_BAD_SIZE:
    return "batch, heads, kv_heads or seq_len is below 1, key_len below 0, "
           "seq_len or key_len above 2^30, or all heads are more than 2^30 "
           "pieces of 64 rows.";
  case FP8ATTENTION_BAD_HEAD_DIM: return "head_dim is neither 64 nor 128.";
  case FP8ATTENTION_BAD_KV_HEADS: return "kv_heads does not divide heads.";
  case FP8ATTENTION_BAD_SOFTMAX_SCALE:
    return "softmax_scale is not a positive, finite number.";
  case FP8ATTENTION_MISALIGNED:
    return "q, k or v is not aligned to 16 bytes, o not to 8, or scales or lse "
           "not to 4.";
  case FP8ATTENTION_BAD_INPUT_STRIDE:
    return "A stride of q, k or v is not a multiple of 16, is below head_dim, "
           "or is 2^40 or more, or all of them reach over 2^60 elements.";
  case FP8ATTENTION_BAD_OUTPUT_STRIDE:
    return "A stride of o is not a multiple of 4, is so small that rows "
           "overlap, or so large that o reaches over 2^60 elements.";
  case FP8ATTENTION_OVERLAP:
    return "Between the first and the last element of o, or of lse, lies "
           "memory of another tensor or of scales.";
  case FP8ATTENTION_CAUSAL_KEY_LEN:
    return "With causal, key_len is neither 0 nor seq_len.";
  case FP8ATTENTION_BAD_COUNT: return "There are not from 1 to 4 tensors.";
  case FP8ATTENTION_BAD_FORMAT:
    return "format is neither FP8ATTENTION_FP16 nor FP8ATTENTION_BF16.";
  case FP8ATTENTION_BAD_VALUES_STRIDE:
    return "A stride of values is not a multiple of 8, is below head_dim, or "
           "is 2^40 or more, or all of them reach over 2^60 elements.";
  case FP8ATTENTION_BAD_CODES_STRIDE:
    return "A stride of codes is not a multiple of 16, is so small that rows "
           "overlap, or so large that codes reach over 2^60 elements.";
  case FP8ATTENTION_MISALIGNED_VALUES:
    return "values, codes or the workspace is not aligned to 16 bytes, or "
           "scales not to 4.";
  case FP8ATTENTION_CODES_OVERLAP:
    return "Between the first and the last code, in scales or in the "
           "workspace lies other memory of the call.";
  case FP8ATTENTION_WRONG_DEVICE:
    return "The current device is not of compute capability 9.0 (Hopper).";
  default: break;
  }
  return code > FP8ATTENTION_CUDA
             ? cudaGetErrorString((cudaError_t)(code - FP8ATTENTION_CUDA))
             : "This is no code of libfp8attention.";
}
