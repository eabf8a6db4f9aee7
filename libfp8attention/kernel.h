#ifndef FP8ATTENTION_KERNEL_H
#define FP8ATTENTION_KERNEL_H

#include <cuda_runtime_api.h>
#include <stdbool.h>

#include "common/device/interface/attention.h"

/* Between the checks in forward.c and kernel.cu. */

typedef struct {
  int multiprocessors; /* that it may use */
  bool drift, to_bf16;
  bool same_block; /* whatever the sizes are */
  bool may_share;  /* the keys of a tile, among blocks, by the workspace */
  void *workspace; /* of as many bytes as kernel_workspace says */
} kernel_options;

#ifdef __cplusplus
extern "C" {
#endif

/* key_len is at least 1, and strides are given. */
cudaError_t kernel_launch(const attention_args *args,
                          const kernel_options *options, cudaStream_t stream);

/* 0 where that would not use any. */
int64_t kernel_workspace(const attention_args *args,
                         const kernel_options *options);

/* kernel_launch where there are no keys. */
cudaError_t no_keys_launch(const attention_args *args,
                           const kernel_options *options, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
