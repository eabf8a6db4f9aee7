#ifndef ATTENTION_STRIDES_H
#define ATTENTION_STRIDES_H

/* Tensors whose rows lie apart: views of larger ones, or [B][S][H][D] seen as
 * [B][H][S][D]. Plain C. */

#include "common/device/interface/attention_call.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Elements from the beginning of one batch, head or row to that of the next.
 * Those of a row lie side by side. */
typedef struct {
  int64_t batch, head, row;
} tensor_strides;

typedef struct {
  tensor_strides q, k, v, o;
} attention_strides;

/* [batches][heads][rows][width], nothing in between. */
static inline tensor_strides contiguous(int64_t heads, int64_t rows,
                                        int64_t width) {
  const tensor_strides strides = {heads * rows * width, rows * width, width};
  return strides;
}

/* Those of all tensors, as attention_call.h has them. */
static inline attention_strides contiguous_strides(const attention_call *call) {
  const int64_t rows = call->args.seq_len, width = call->args.head_dim;
  const tensor_strides each = contiguous(call->args.heads, rows, width);
  const tensor_strides shared = contiguous(call->kv_heads, rows, width);
  const attention_strides strides = {each, shared, shared, each};
  return strides;
}

/* stage_launch for such tensors, from a kernel that takes them. Strides of q, k
 * and v are multiples of 16, those of o of 4. */
cudaError_t strided_launch(const attention_call *call,
                           const attention_strides *strides,
                           cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
