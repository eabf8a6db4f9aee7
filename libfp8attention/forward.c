/* The checks between a caller and the kernel. */

#include "common/device/interface/attention.h"
#include "libfp8attention/fp8attention.h"
#include "libfp8attention/kernel.h"
#include "libfp8attention/strides.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

enum {
  CODES_ALIGNMENT = 16,  /* of TMA */
  OUTPUT_ALIGNMENT = 8,  /* a thread stores four halves at once */
  WORKSPACE_ALIGNMENT = 16,
  INPUT_STRIDE_UNIT = 16,
  OUTPUT_STRIDE_UNIT = 4
};

/* ---- sizes ---- */

static int64_t key_rows_of(const fp8attention_problem *p) {
  if (p->key_len == FP8ATTENTION_NO_KEYS) return 0;
  return p->key_len ? p->key_len : p->seq_len;
}

static tensor_size queries_of(const fp8attention_problem *p) {
  return (tensor_size){p->batch, p->heads, p->seq_len, p->head_dim};
}

static tensor_size keys_of(const fp8attention_problem *p) {
  return (tensor_size){p->batch, p->kv_heads, key_rows_of(p), p->head_dim};
}

static bool is_empty(const fp8attention_problem *p) {
  const tensor_size queries = queries_of(p);
  return pieces_of(&queries) == 0;
}

static bool sizes_fit(const fp8attention_problem *p) {
  const tensor_size queries = queries_of(p);
  return pieces_of(&queries) >= 0 && p->kv_heads >= (is_empty(p) ? 0 : 1) &&
         p->key_len >= FP8ATTENTION_NO_KEYS && p->key_len <= ROWS_LIMIT;
}

/* The first struct ended there. */
static bool has_workspace_field(const fp8attention_problem *p) {
  return p->size >= sizeof *p;
}

/* A later header's struct is longer: what this library does not know must not
 * have been asked for. */
static bool struct_is_known(const fp8attention_problem *p) {
  const unsigned char *bytes = (const unsigned char *)p;
  for (size_t i = sizeof *p; i < p->size; i++)
    if (bytes[i]) return false;
  return !p->size || has_workspace_field(p) ||
         p->size == offsetof(fp8attention_problem, workspace);
}

/* ---- strides ---- */

static bool input_fits(const tensor_size *size, const tensor_strides *s) {
  return strides_fit(s, size->head_dim, STRIDE_LIMIT, INPUT_STRIDE_UNIT) &&
         span_of(size, s);
}

static bool inputs_fit(const fp8attention_problem *p,
                       const attention_strides *s) {
  const tensor_size queries = queries_of(p), keys = keys_of(p);
  if (keys.rows == 0) return true;
  return input_fits(&queries, &s->q) && input_fits(&keys, &s->k) &&
         input_fits(&keys, &s->v);
}

static bool output_fits(const fp8attention_problem *p,
                        const tensor_strides *s) {
  const tensor_size size = queries_of(p);
  return strides_fit(s, p->head_dim, SPAN_LIMIT, OUTPUT_STRIDE_UNIT) &&
         span_of(&size, s) && rows_lie_apart(&size, s);
}

/* ---- where tensors lie ---- */

/* What is written there is nothing else of the call. A range of no bytes lies
 * apart from all. */
static bool outputs_lie_apart(const fp8attention_problem *p,
                              const attention_strides *s,
                              memory_range workspace) {
  const tensor_size queries = queries_of(p), keys = keys_of(p);
  const int64_t rows = p->batch * p->heads * p->seq_len;
  const int64_t scales = 4 * p->batch * p->heads;
  const int64_t kv_scales = 4 * p->batch * p->kv_heads;
  const memory_range outputs[] = {{p->o, 2 * span_of(&queries, &s->o)},
                                  {p->lse, p->lse ? 4 * rows : 0},
                                  workspace};
  if (keys.rows == 0) return ranges_lie_apart(outputs, 3, NULL, 0);
  const memory_range inputs[] = {{p->q, span_of(&queries, &s->q)},
                                 {p->k, span_of(&keys, &s->k)},
                                 {p->v, span_of(&keys, &s->v)},
                                 {p->q_scale, scales},
                                 {p->k_scale, kv_scales},
                                 {p->v_scale, kv_scales}};
  return ranges_lie_apart(outputs, 3, inputs, 6);
}

static bool workspace_lies_apart(const fp8attention_problem *p,
                                 const attention_args *args,
                                 const kernel_options *options) {
  if (!options->workspace || !args->key_len) return true;
  const memory_range space = {options->workspace,
                              kernel_workspace(args, options)};
  return outputs_lie_apart(p, args->strides, space);
}

static bool pointers_are_aligned(const fp8attention_problem *p) {
  return is_aligned(p->q, CODES_ALIGNMENT) &&
         is_aligned(p->k, CODES_ALIGNMENT) &&
         is_aligned(p->v, CODES_ALIGNMENT) &&
         is_aligned(p->o, OUTPUT_ALIGNMENT) &&
         is_aligned(p->q_scale, sizeof(float)) &&
         is_aligned(p->k_scale, sizeof(float)) &&
         is_aligned(p->v_scale, sizeof(float)) &&
         is_aligned(p->lse, sizeof(float)) &&
         (!has_workspace_field(p) ||
          is_aligned(p->workspace, WORKSPACE_ALIGNMENT));
}

/* ---- all of it ---- */

static bool has_pointers(const fp8attention_problem *p) {
  return p->o && (key_rows_of(p) == 0 || (p->q && p->k && p->v && p->q_scale &&
                                          p->k_scale && p->v_scale));
}

/* What is wrong even where nothing is to be done. */
static int check_numbers(const fp8attention_problem *p) {
  if (!struct_is_known(p)) return FP8ATTENTION_BAD_STRUCT;
  if (!sizes_fit(p)) return FP8ATTENTION_BAD_SIZE;
  if (p->head_dim != 64 && p->head_dim != 128) return FP8ATTENTION_BAD_HEAD_DIM;
  if (p->kv_heads && p->heads % p->kv_heads) return FP8ATTENTION_BAD_KV_HEADS;
  if (!(p->softmax_scale > 0.0f) || isinf(p->softmax_scale))
    return FP8ATTENTION_BAD_SOFTMAX_SCALE;
  if (p->o_format && p->o_format != FP8ATTENTION_FP16 &&
      p->o_format != FP8ATTENTION_BF16)
    return FP8ATTENTION_BAD_FORMAT;
  return p->max_multiprocessors < 0 ? FP8ATTENTION_BAD_MULTIPROCESSORS
                                    : FP8ATTENTION_OK;
}

static int check(const fp8attention_problem *p,
                 const attention_strides *strides) {
  if (!has_pointers(p)) return FP8ATTENTION_NULL_POINTER;
  if (!pointers_are_aligned(p)) return FP8ATTENTION_MISALIGNED;
  if (!inputs_fit(p, strides)) return FP8ATTENTION_BAD_INPUT_STRIDE;
  if (!output_fits(p, &strides->o)) return FP8ATTENTION_BAD_OUTPUT_STRIDE;
  return outputs_lie_apart(p, strides, (memory_range){NULL, 0})
             ? FP8ATTENTION_OK
             : FP8ATTENTION_OVERLAP;
}

static cudaError_t options_of(const fp8attention_problem *p, int device,
                              kernel_options *options) {
  int all = 0;
  const cudaError_t error =
      cudaDeviceGetAttribute(&all, cudaDevAttrMultiProcessorCount, device);
  const int most = p->max_multiprocessors;
  void *const workspace = has_workspace_field(p) ? p->workspace : NULL;
  *options = (kernel_options){.multiprocessors =
                                  most && most < all ? most : all,
                              .drift = p->drift,
                              .to_bf16 = p->o_format == FP8ATTENTION_BF16,
                              .same_block = p->batch_invariant,
                              .may_share = workspace,
                              .workspace = workspace};
  return error;
}

static attention_strides all_strides_of(const fp8attention_problem *p) {
  const tensor_size queries = queries_of(p), keys = keys_of(p);
  return (attention_strides){
      strides_of(&queries, &p->q_strides), strides_of(&keys, &p->k_strides),
      strides_of(&keys, &p->v_strides), strides_of(&queries, &p->o_strides)};
}

static attention_args args_of(const fp8attention_problem *p,
                              const attention_strides *strides) {
  return (attention_args){
      p->q, p->k, p->v, p->q_scale, p->k_scale, p->v_scale, p->o,
      p->batch, p->heads, p->seq_len, p->head_dim, p->softmax_scale,
      p->kv_heads, p->causal != 0, (int)key_rows_of(p), strides, p->lse};
}

/* ---- what the header declares ---- */

//> forward
int fp8attention_forward(const fp8attention_problem *problem,
                         struct CUstream_st *stream) {
  const fp8attention_problem *p = problem;
  if (!p) return FP8ATTENTION_NULL_POINTER;
  int refused = check_numbers(p);
  if (refused || is_empty(p)) return refused;
  const attention_strides strides = all_strides_of(p);
  const attention_args args = args_of(p, &strides);
  device_scope scope;
  refused = check(p, &strides);
  if (!refused) refused = device_enter(&scope, p->o);
  if (refused) return refused;
  kernel_options options;
  cudaError_t error = options_of(p, scope.now, &options);
  if (!error && !workspace_lies_apart(p, &args, &options)) {
    device_leave(&scope, cudaSuccess);
    return FP8ATTENTION_OVERLAP;
  }
  if (!error)
    error = args.key_len ? kernel_launch(&args, &options, stream)
                         : no_keys_launch(&args, &options, stream);
  return device_leave(&scope, error);
}
//< forward

int64_t fp8attention_forward_workspace(const fp8attention_problem *problem) {
  const fp8attention_problem *p = problem;
  device_scope scope;
  if (!p || check_numbers(p) || is_empty(p) || key_rows_of(p) == 0 ||
      device_enter(&scope, p->o))
    return 0;
  const attention_args args = args_of(p, NULL);
  kernel_options options;
  const cudaError_t error = options_of(p, scope.now, &options);
  const int64_t bytes = error ? 0 : kernel_workspace(&args, &options);
  return device_leave(&scope, error) ? 0 : bytes;
}

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
    return "batch, heads or seq_len is below 0, kv_heads below 1, key_len "
           "below -1, seq_len or key_len above 2^30, or all heads are more "
           "than 2^30 pieces of 64 rows.";
  case FP8ATTENTION_BAD_HEAD_DIM: return "head_dim is neither 64 nor 128.";
  case FP8ATTENTION_BAD_KV_HEADS: return "kv_heads does not divide heads.";
  case FP8ATTENTION_BAD_SOFTMAX_SCALE:
    return "softmax_scale is not a positive, finite number.";
  case FP8ATTENTION_MISALIGNED:
    return "q, k, v or the workspace is not aligned to 16 bytes, o not to 8, "
           "or scales or lse not to 4.";
  case FP8ATTENTION_BAD_INPUT_STRIDE:
    return "A stride of q, k or v is not a multiple of 16, is below head_dim, "
           "or is 2^40 or more, or all of them reach over 2^60 elements.";
  case FP8ATTENTION_BAD_OUTPUT_STRIDE:
    return "A stride of o is not a multiple of 4, is so small that rows "
           "overlap, or so large that o reaches over 2^60 elements.";
  case FP8ATTENTION_OVERLAP:
    return "Between the first and the last element of o, of lse or of the "
           "workspace lies memory of another tensor or of scales.";
  case FP8ATTENTION_BAD_STRUCT:
    return "size is neither 0 nor that of the struct in the header, or fields "
           "behind those that this library knows are not 0.";
  case FP8ATTENTION_BAD_MULTIPROCESSORS:
    return "max_multiprocessors is below 0.";
  case FP8ATTENTION_BAD_COUNT: return "There are not from 1 to 4 tensors.";
  case FP8ATTENTION_BAD_FORMAT:
    return "format, or o_format, is neither FP8ATTENTION_FP16 nor "
           "FP8ATTENTION_BF16.";
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
    return "The device is not of compute capability 9.0 (Hopper).";
  default: break;
  }
  return code > FP8ATTENTION_CUDA
             ? cudaGetErrorString((cudaError_t)(code - FP8ATTENTION_CUDA))
             : "This is no code of libfp8attention.";
}
