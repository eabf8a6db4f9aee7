/* The checks of libfp8attention: what they let through must be a problem that
 * the header allows, by sums that cannot overflow; what they refuse must not
 * reach a kernel. Kernels and CUDA are stubs. */

#include <cuda_runtime_api.h>
#include <stdbool.h>

#include "common/device/interface/attention.h"
#include "libfp8attention/fp8attention.h"
#include "tests/fuzz/fuzz.h"

typedef __int128 wide;
enum { FEW = 48 };
#define LIMIT ((wide)1 << 60)

static int launches;

cudaError_t stage_launch(const attention_args *args, cudaStream_t stream) {
  (void)stream;
  MUST(args->strides && args->key_len >= 1);
  launches++;
  return cudaSuccess;
}

cudaError_t drifting_launch(const attention_args *args, cudaStream_t stream);
cudaError_t drifting_launch(const attention_args *args, cudaStream_t stream) {
  return stage_launch(args, stream);
}

cudaError_t cudaGetDevice(int *device) {
  *device = 0;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr which,
                                   int device) {
  (void)device;
  *value = which == cudaDevAttrComputeCapabilityMajor ? 9 : 0;
  return cudaSuccess;
}

cudaError_t cudaPeekAtLastError(void) {
  return cudaSuccess;
}
cudaError_t cudaGetLastError(void) {
  return cudaSuccess;
}
const char *cudaGetErrorString(cudaError_t error) {
  return error ? "an error." : "none.";
}

/* ---- a problem from bytes ---- */

typedef struct {
  const uint8_t *at, *end;
} bytes;

static uint64_t take(bytes *b, int count) {
  uint64_t value = 0;
  while (count-- > 0)
    value = value << 8 | (b->at < b->end ? *b->at++ : 0);
  return value;
}

/* Often a small number or a power of two, at times any. */
static int64_t number(bytes *b) {
  const uint64_t kind = take(b, 1);
  if (kind < 128) return (int64_t)kind;
  if (kind < 192) return (int64_t)((uint64_t)1 << kind % 64);
  if (kind < 224) return (int64_t)(take(b, 2) * 16);
  if (kind < 240) return (int64_t)(((uint64_t)1 << kind % 61) - 16);
  return (int64_t)take(b, 8);
}

static const void *address(bytes *b) {
  const uint64_t kind = take(b, 1);
  if (kind >= 250) return (const void *)take(b, 8);
  return (const void *)(((uint64_t)1 << 20) + (kind << 10) +
                        (take(b, 1) & ~3u));
}

static fp8attention_strides strides(bytes *b) {
  return (fp8attention_strides){number(b), number(b), number(b)};
}

static fp8attention_problem problem_of(bytes *b) {
  fp8attention_problem p = {.batch = number(b),
                            .heads = number(b),
                            .kv_heads = number(b),
                            .seq_len = number(b)};
  const uint64_t how = take(b, 1), more = take(b, 1);
  if (more & 1) p.key_len = number(b);
  if (more & 2) p.lse = (float *)(uintptr_t)address(b);
  p.causal = more >> 2 & 1;
  p.head_dim = how & 1 ? 64 : how & 2 ? 128 : number(b);
  p.q = address(b), p.k = address(b), p.v = address(b);
  p.o = (uint16_t *)(uintptr_t)address(b);
  p.q_scale = address(b), p.k_scale = address(b), p.v_scale = address(b);
  if (how & 4) fp8attention_contiguous(&p);
  if (!(how & 4) || how & 8) p.q_strides = strides(b);
  if (!(how & 4) || how & 16) p.k_strides = strides(b);
  if (!(how & 4) || how & 32) p.o_strides = strides(b);
  if (!(how & 4)) p.v_strides = p.k_strides;
  p.softmax_scale = how & 64 ? 0.125f : (float)number(b);
  p.drift = how >> 7;
  return p;
}

/* ---- what the header allows ---- */

static int64_t key_rows_of(const fp8attention_problem *p) {
  return p->key_len ? p->key_len : p->seq_len;
}

static wide span(const fp8attention_strides *s, const fp8attention_problem *p,
                 int64_t heads, int64_t rows) {
  wide sum = p->head_dim;
  if (p->batch > 1) sum += (wide)(p->batch - 1) * s->batch;
  if (heads > 1) sum += (wide)(heads - 1) * s->head;
  if (rows > 1) sum += (wide)(rows - 1) * s->row;
  return sum;
}

static bool apart(const void *a, wide a_bytes, const void *b, wide b_bytes) {
  const wide one = (uintptr_t)a, other = (uintptr_t)b;
  return one + a_bytes <= other || other + b_bytes <= one;
}

static wide o_bytes(const fp8attention_problem *p) {
  return 2 * span(&p->o_strides, p, p->heads, p->seq_len);
}

static wide lse_bytes(const fp8attention_problem *p) {
  return p->lse ? (wide)4 * p->batch * p->heads * p->seq_len : 0;
}

static void input(const fp8attention_problem *p, const void *codes,
                  const fp8attention_strides *s, int64_t heads, int64_t rows,
                  const float *scale) {
  const wide at = (uintptr_t)codes, size = span(s, p, heads, rows);
  const wide scales = (uintptr_t)scale;
  const wide scale_bytes = (wide)4 * p->batch * heads;
  MUST(codes && scale && at % 16 == 0 && scales % 4 == 0);
  MUST(size > 0 && size <= LIMIT);
  MUST(apart(p->o, o_bytes(p), codes, size));
  MUST(apart(p->o, o_bytes(p), scale, scale_bytes));
  MUST(!p->lse || apart(p->lse, lse_bytes(p), codes, size));
  MUST(!p->lse || apart(p->lse, lse_bytes(p), scale, scale_bytes));
  if (rows > 1) MUST(s->row >= p->head_dim && s->row % 16 == 0);
  if (heads > 1) MUST(s->head >= p->head_dim && s->head % 16 == 0);
  if (p->batch > 1) MUST(s->batch >= p->head_dim && s->batch % 16 == 0);
}

/* No two rows of o share an element. */
static void output(const fp8attention_problem *p) {
  const fp8attention_strides *s = &p->o_strides;
  int64_t rows[FEW];
  int count = 0;
  MUST((uintptr_t)p->o % 8 == 0 && o_bytes(p) <= 2 * LIMIT);
  MUST(!p->lse || apart(p->lse, lse_bytes(p), p->o, o_bytes(p)));
  MUST((uintptr_t)p->lse % 4 == 0);
  if ((wide)p->batch * p->heads * p->seq_len > FEW) return;
  for (int64_t b = 0; b < p->batch; b++)
    for (int64_t h = 0; h < p->heads; h++)
      for (int64_t r = 0; r < p->seq_len; r++)
        rows[count++] = (p->batch > 1 ? b * s->batch : 0) +
                        (p->heads > 1 ? h * s->head : 0) +
                        (p->seq_len > 1 ? r * s->row : 0);
  for (int i = 0; i < count; i++)
    for (int j = 0; j < i; j++)
      MUST(llabs(rows[i] - rows[j]) >= p->head_dim);
}

static void allowed(const fp8attention_problem *p) {
  MUST(p->batch >= 1 && p->heads >= 1 && p->kv_heads >= 1 && p->seq_len >= 1);
  MUST(p->heads % p->kv_heads == 0 && p->seq_len <= INT64_C(1) << 30);
  MUST((wide)p->batch * p->heads * ((p->seq_len + 63) / 64) <= 1 << 30);
  MUST(p->head_dim == 64 || p->head_dim == 128);
  MUST(p->softmax_scale > 0 && p->softmax_scale < __builtin_inff());
  const int64_t keys = key_rows_of(p);
  MUST(keys >= 1 && keys <= INT64_C(1) << 30);
  MUST(!p->causal || keys == p->seq_len);
  input(p, p->q, &p->q_strides, p->heads, p->seq_len, p->q_scale);
  input(p, p->k, &p->k_strides, p->kv_heads, keys, p->k_scale);
  input(p, p->v, &p->v_strides, p->kv_heads, keys, p->v_scale);
  output(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bytes b = {data, data + size};
  const fp8attention_problem p = problem_of(&b);
  launches = 0;
  const int code = fp8attention_forward(&p, NULL);
  MUST(launches == (code == FP8ATTENTION_OK));
  MUST(code >= FP8ATTENTION_OK && code <= FP8ATTENTION_CAUSAL_KEY_LEN);
  MUST(*fp8attention_error_text(code));
  if (code == FP8ATTENTION_OK) allowed(&p);
  return 0;
}
