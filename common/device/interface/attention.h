#ifndef ATTENTION_H
#define ATTENTION_H

/* What the harness hands to a stage's kernel, and what a stage's kernel.cu
 * gives back. Plain C, so that both sides include this one file. */

#include <cuda_runtime_api.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Elements from the beginning of one batch, head or row to that of the next.
 * Those of a row lie side by side. */
typedef struct {
  int64_t batch, head, row;
} tensor_strides;

/* Of q, k and v multiples of 16, of o of 4; none below head_dim, as one of 0
 * would be: heads share K and V by kv_heads. */
typedef struct {
  tensor_strides q, k, v, o;
} attention_strides;

/* One problem. Every pointer points to device memory; a value of Q, K or V is
 * scale * decode(code). Scales are above 0, and scores, softmax_scale * q k,
 * from -10^6 to 10^6: with larger ones a score less the maximum can round to a
 * number far above 0. q, k and v begin at multiples of 16 bytes, o of 8, all
 * else of 4. K and V have H_kv heads, and head h reads K/V head
 * h / (H / H_kv). Up to 128 bytes a kernel gets a struct as cheaply as single
 * numbers: this one has 128. */
typedef struct {
  const uint8_t *q, *k, *v; /* E4M3, [B][H or H_kv][S][D], see key_len */
  const float *q_scale, *k_scale, *v_scale; /* [B][H], [B][H_kv] */
  uint16_t *o;                              /* fp16 bits, [B][H][S][D] */
  int64_t batch, heads, seq_len, head_dim;  /* B, H, S, D */
  float softmax_scale;                      /* mostly 1 / sqrt(D) */
  int64_t kv_heads;                         /* H_kv; divides H */
  int causal; /* 1: key j takes part in row i only where j <= i */
  int key_len; /* rows of K and V; 0: S, as it must be where causal */
  const attention_strides *strides; /* host memory; NULL: contiguous tensors */
  /* Of each row the natural logarithm of the sum of exp(softmax_scale * q k)
   * over its keys, [B][H][S]; NULL: nobody wants it. */
  float *lse;
} attention_args;

/* What a kernel can do beyond contiguous tensors, no mask, as many K/V heads as
 * heads, as many keys as rows, and no lse; several are put together by |. */
enum {
  TAKES_CAUSAL = 1,
  TAKES_GROUPED = 2,
  TAKES_STRIDES = 4,
  TAKES_KEY_LEN = 8,
  RETURNS_LSE = 16
};

/* What a kernel rounds P to before it multiplies by V: the gates compare it
 * with a reference that does so, too. The last is P_HALF of scores that wgmma
 * has summed in 14 bits; beside P in E4M3 these bits do not show. */
typedef enum { P_FP32, P_HALF, P_E4M3, P_HALF_SHORT_SCORES } p_rounding;
enum { P_ROUNDINGS = P_HALF_SHORT_SCORES + 1 };

/* Of a kernel whose sums over keys lose more the longer they are: check
 * measures it. */
enum { DRIFTS = 1 };

/* A kernel says what it takes: each kernel.cu has one, `stage_support`. */
typedef struct {
  int head_dims[4]; /* ended by 0 */
  int takes;        /* TAKES_... and RETURNS_LSE, or 0 */
  p_rounding rounds_p_to;
  int sums; /* DRIFTS, or 0 */
} attention_support;

extern const attention_support stage_support;

/* The toggles that this object was compiled with: "NAME=VALUE NAME=VALUE". */
extern const char stage_toggles[];

/* Starts the kernel on the stream and returns at once. A refused launch comes
 * back as CUDA's error code, and what stage_support does not name as
 * cudaErrorInvalidValue. */
cudaError_t stage_launch(const attention_args *args, cudaStream_t stream);

/* Rows of K and V. */
static inline int64_t key_rows(const attention_args *args) {
  return args->key_len ? args->key_len : args->seq_len;
}

/* [batches][heads][rows][width], nothing in between. */
static inline tensor_strides contiguous(int64_t heads, int64_t rows,
                                        int64_t width) {
  const tensor_strides strides = {heads * rows * width, rows * width, width};
  return strides;
}

/* The strides of contiguous tensors of these sizes. */
static inline attention_strides contiguous_strides(const attention_args *args) {
  const int64_t rows = args->seq_len, width = args->head_dim;
  const tensor_strides each = contiguous(args->heads, rows, width);
  const tensor_strides shared =
      contiguous(args->kv_heads, key_rows(args), width);
  const attention_strides strides = {each, shared, shared, each};
  return strides;
}

/* What of TAKES_... and RETURNS_LSE a problem needs. */
static inline int attention_needs(const attention_args *args) {
  return (args->causal ? TAKES_CAUSAL : 0) |
         (args->kv_heads != args->heads ? TAKES_GROUPED : 0) |
         (args->strides ? TAKES_STRIDES : 0) |
         (key_rows(args) != args->seq_len ? TAKES_KEY_LEN : 0) |
         (args->lse ? RETURNS_LSE : 0);
}

/* Does a kernel with this support take the problem? None takes a mask over
 * another number of keys than rows, or fewer keys than one. */
static inline int attention_supports(const attention_support *support,
                                     const attention_args *args) {
  const int *d = support->head_dims;
  const int needs = attention_needs(args);
  while (*d && *d != args->head_dim) d++;
  return *d && !(needs & ~support->takes) && args->key_len >= 0 &&
         !(needs & TAKES_CAUSAL && needs & TAKES_KEY_LEN);
}

#ifdef __cplusplus
}
#endif

/* One toggle as text, for stage_toggles. */
#define TOGGLE_TEXT_(name, value) name "=" #value
#define TOGGLE_TEXT(name, value) TOGGLE_TEXT_(name, value)
#define TOGGLE(name) TOGGLE_TEXT(#name, name)

#endif
