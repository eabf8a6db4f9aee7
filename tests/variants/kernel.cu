// The plainest kernel that takes masks, shared K/V heads and two widths: one
// thread a row, for the test of what the harness hands over.

#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "common/device/interface/attention.h"
#include "common/device/interface/launch.cuh"

constexpr int THREADS = 64, MAX_DIM = 128;

__device__ float decode(uint8_t code) {
  __nv_fp8_e4m3 value;
  value.__x = code;
  return static_cast<float>(value);
}

__device__ float dot(const uint8_t *a, const uint8_t *b, int64_t d) {
  float sum = 0.0f;
  for (int64_t c = 0; c < d; c++) sum += decode(a[c]) * decode(b[c]);
  return sum;
}

__global__ void attention_kernel(attention_args a) {
  const int64_t s = a.seq_len, d = a.head_dim;
  const int64_t row = static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x;
  const int64_t head = blockIdx.z * a.heads + blockIdx.y;
  const int64_t group = a.heads / a.kv_heads;
  const int64_t kv_head = blockIdx.z * a.kv_heads + blockIdx.y / group;
  if (row >= s) return;
  const uint8_t *q = a.q + (head * s + row) * d;
  const uint8_t *k = a.k + kv_head * s * d, *v = a.v + kv_head * s * d;
  const float scale = a.q_scale[head] * a.k_scale[kv_head] * a.softmax_scale;
  const int64_t keys = a.causal ? row + 1 : s;
  float m = -INFINITY, l = 0.0f, out[MAX_DIM] = {0.0f};
  for (int64_t j = 0; j < keys; j++) {
    const float score = scale * dot(q, k + j * d, d);
    const float top = fmaxf(m, score);
    const float old = expf(m - top), p = expf(score - top);
    l = l * old + p;
    for (int64_t c = 0; c < d; c++)
      out[c] = out[c] * old + p * decode(v[j * d + c]);
    m = top;
  }
  for (int64_t c = 0; c < d; c++)
    a.o[(head * s + row) * d + c] =
        __half_as_ushort(__float2half_rn(out[c] * (a.v_scale[kv_head] / l)));
}

extern "C" const char stage_toggles[] = "";
extern "C" const attention_support stage_support = {
    {64, MAX_DIM}, TAKES_CAUSAL | TAKES_GROUPED, P_FP32};

extern "C" cudaError_t stage_launch(const attention_args *args,
                                    cudaStream_t stream) {
  if (!attention_supports(&stage_support, args)) return cudaErrorInvalidValue;
  const dim3 grid(static_cast<unsigned>((args->seq_len + THREADS - 1) / THREADS),
                  static_cast<unsigned>(args->heads),
                  static_cast<unsigned>(args->batch));
  LAUNCH(attention_kernel, grid, THREADS, 0, stream, *args);
  return cudaGetLastError();
}
