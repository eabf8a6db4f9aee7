#ifndef ATTENTION_H
#define ATTENTION_H

/* What the harness hands to a stage's kernel, and what a stage's kernel.cu
 * gives back. Plain C, so that both sides include this one file. */

#include <cuda_runtime_api.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Every pointer points to device memory. A value is scale * decode(code). */
typedef struct {
  const uint8_t *q, *k, *v;                    /* E4M3, [B][H][S][D] */
  const float *q_scale, *k_scale, *v_scale;    /* [B][H] */
  uint16_t *o;                                 /* fp16 bits, [B][H][S][D] */
  int64_t batch, heads, seq_len, head_dim;     /* B, H, S, D */
  float softmax_scale;                         /* 1 / sqrt(D) */
} attention_args;

/* Starts the kernel on the stream and returns at once. An unsupported shape
 * or a refused launch comes back as CUDA's error code. */
cudaError_t stage_launch(const attention_args *args, cudaStream_t stream);

/* The toggles that this object was compiled with: "NAME=VALUE NAME=VALUE". */
extern const char stage_toggles[];

#ifdef __cplusplus
}
#endif

/* One toggle as text, for stage_toggles. */
#define TOGGLE_TEXT_(name, value) name "=" #value
#define TOGGLE_TEXT(name, value) TOGGLE_TEXT_(name, value)
#define TOGGLE(name) TOGGLE_TEXT(#name, name)

#endif
