//> includes
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "common/device/interface/attention.h"
#include "common/device/interface/launch.cuh"
//< includes

//> sizes
constexpr int HEAD_DIM = 64;
constexpr int TILE_M = 32;  // query rows of one block
constexpr int TILE_N = 32;  // keys of one step
constexpr int THREADS = 128;
constexpr int LD_TILE = HEAD_DIM + 4;   // floats from row to row of a tile
constexpr int LD_SCORE = TILE_N + 4;    // floats from row to row of the scores
constexpr unsigned ALL_LANES = 0xffffffff;
//< sizes

//> vector-helpers
__device__ float4 load4(const float *source) {
  return *reinterpret_cast<const float4 *>(source);
}

__device__ float dot4(float4 a, float4 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

__device__ void add_scaled(float4 &sum, float p, float4 v) {
  sum.x += p * v.x;
  sum.y += p * v.y;
  sum.z += p * v.z;
  sum.w += p * v.w;
}
//< vector-helpers

//> four-halves
// As one 8-byte word, because nvcc stores a uint2 in two pieces here.
__device__ uint64_t four_halves(float4 x) {
  const __half2 low = __floats2half2_rn(x.x, x.y);
  const __half2 high = __floats2half2_rn(x.z, x.w);
  const uint64_t upper = *reinterpret_cast<const unsigned *>(&high);
  return upper << 32 | *reinterpret_cast<const unsigned *>(&low);
}
//< four-halves

//> quad-reduce
// The four lanes of a quad own one row of scores together.
__device__ float quad_max(float x) {
  x = fmaxf(x, __shfl_xor_sync(ALL_LANES, x, 1));
  return fmaxf(x, __shfl_xor_sync(ALL_LANES, x, 2));
}

__device__ float quad_sum(float x) {
  x += __shfl_xor_sync(ALL_LANES, x, 1);
  return x + __shfl_xor_sync(ALL_LANES, x, 2);
}
//< quad-reduce

//> load-codes
// The 16 codes at row, column; zeros for a row past the end.
__device__ uint4 load_codes(const uint8_t *codes, int row, int column,
                            int64_t rows) {
  if (row >= rows) return make_uint4(0, 0, 0, 0);
  return *reinterpret_cast<const uint4 *>(codes + row * HEAD_DIM + column);
}
//< load-codes

//> widen
__device__ void widen(float *destination, uint4 codes) {
  const auto *four = reinterpret_cast<const __nv_fp8x4_e4m3 *>(&codes);
#pragma unroll
  for (int i = 0; i < 4; i++)
    reinterpret_cast<float4 *>(destination)[i] = static_cast<float4>(four[i]);
}
//< widen

//> kernel-begin
__global__ void __launch_bounds__(THREADS)
attention_kernel(attention_args args) {
  __shared__ __align__(16) float tile_q[TILE_M][LD_TILE];
  __shared__ __align__(16) float tile_k[TILE_N][LD_TILE];
  __shared__ __align__(16) float tile_v[TILE_N][LD_TILE];
  __shared__ __align__(16) float tile_p[TILE_M][LD_SCORE];  // scores, then P
//< kernel-begin

//> who-am-i
  const int thread = threadIdx.x;
  const int warp = thread / 32, lane = thread % 32;
  const int64_t head = blockIdx.z * args.heads + blockIdx.y;
  const int64_t head_start = head * args.seq_len * HEAD_DIM;
  const int64_t first_row = static_cast<int64_t>(blockIdx.x) * TILE_M;
  const float score_scale =
      args.q_scale[head] * args.k_scale[head] * args.softmax_scale;
//< who-am-i

//> copy-roles
  const int copy_row = thread / 4, copy_column = thread % 4 * 16;
//< copy-roles
//> load-q
  const uint8_t *q = args.q + head_start + first_row * HEAD_DIM;
  widen(&tile_q[copy_row][copy_column],
        load_codes(q, copy_row, copy_column, args.seq_len - first_row));
//< load-q

//> state
  const int row = thread / 4, part = thread % 4;  // softmax: a quad a row
  float m = -INFINITY, l = 0.0f;
  const int out_row = 8 * warp + lane / 16 * 4;  // P.V: four rows a thread,
  const int out_column = lane % 16 * 4;          // four columns of each
  float4 out[4] = {};
//< state

//> main-loop
  for (int64_t first_key = 0; first_key < args.seq_len; first_key += TILE_N) {
//< main-loop
//> load-kv
    const int64_t keys = args.seq_len - first_key;
    const uint8_t *k = args.k + head_start + first_key * HEAD_DIM;
    const uint8_t *v = args.v + head_start + first_key * HEAD_DIM;
    widen(&tile_k[copy_row][copy_column],
          load_codes(k, copy_row, copy_column, keys));
    widen(&tile_v[copy_row][copy_column],
          load_codes(v, copy_row, copy_column, keys));
    __syncthreads();
//< load-kv

//> scores
    const int score_row = thread / 8 * 2, score_column = thread % 8;
    float score[2][4] = {};
    for (int d = 0; d < HEAD_DIM; d += 4) {
      float4 q4[2], k4[4];
#pragma unroll
      for (int i = 0; i < 2; i++) q4[i] = load4(&tile_q[score_row + i][d]);
#pragma unroll
      for (int j = 0; j < 4; j++)
        k4[j] = load4(&tile_k[score_column + 8 * j][d]);
#pragma unroll
      for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) score[i][j] += dot4(q4[i], k4[j]);
    }
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
      for (int j = 0; j < 4; j++)
        tile_p[score_row + i][score_column + 8 * j] = score[i][j];
    __syncthreads();
//< scores

//> softmax-maximum
    float s[TILE_N / 4], m_new = m;
#pragma unroll
    for (int i = 0; i < TILE_N / 4; i++) {
      const int key = part + 4 * i;
      s[i] = key < keys ? tile_p[row][key] * score_scale : -INFINITY;
      m_new = fmaxf(m_new, s[i]);
    }
    m_new = quad_max(m_new);
//< softmax-maximum
//> softmax-exponentials
    const float rescale = __expf(m - m_new);
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < TILE_N / 4; i++) {
      const float p = __expf(s[i] - m_new);
      tile_p[row][part + 4 * i] = p;
      sum += p;
    }
    l = l * rescale + quad_sum(sum);
    m = m_new;
    __syncwarp();
//< softmax-exponentials

//> rescale-output
#pragma unroll
    for (int i = 0; i < 4; i++) {
      const int owner = (lane / 16 * 4 + i) * 4;  // first lane of that row
      const float factor = __shfl_sync(ALL_LANES, rescale, owner);
      out[i].x *= factor;
      out[i].y *= factor;
      out[i].z *= factor;
      out[i].w *= factor;
    }
//< rescale-output
//> p-times-v
    for (int n = 0; n < TILE_N; n += 4) {
      float4 v4[4];
#pragma unroll
      for (int j = 0; j < 4; j++) v4[j] = load4(&tile_v[n + j][out_column]);
#pragma unroll
      for (int i = 0; i < 4; i++) {
        const float4 p4 = load4(&tile_p[out_row + i][n]);
        add_scaled(out[i], p4.x, v4[0]);
        add_scaled(out[i], p4.y, v4[1]);
        add_scaled(out[i], p4.z, v4[2]);
        add_scaled(out[i], p4.w, v4[3]);
      }
    }
//< p-times-v
//> end-of-step
    __syncthreads();
  }
//< end-of-step

//> store-output
  uint16_t *o = args.o + head_start + first_row * HEAD_DIM;
#pragma unroll
  for (int i = 0; i < 4; i++) {
    const int owner = (lane / 16 * 4 + i) * 4;
    const float l_row = __shfl_sync(ALL_LANES, l, owner);
    const float factor = args.v_scale[head] / l_row;
    if (first_row + out_row + i >= args.seq_len) continue;
    const float4 scaled = make_float4(out[i].x * factor, out[i].y * factor,
                                      out[i].z * factor, out[i].w * factor);
    *reinterpret_cast<uint64_t *>(&o[(out_row + i) * HEAD_DIM + out_column]) =
        four_halves(scaled);
  }
}
//< store-output

//> launch
extern "C" const attention_support stage_support = {{HEAD_DIM}, 0, P_FP32};
extern "C" const char stage_toggles[] = "";

extern "C" cudaError_t stage_launch(const attention_args *args,
                                    cudaStream_t stream) {
  if (!attention_supports(&stage_support, args)) return cudaErrorInvalidValue;
  const dim3 grid(static_cast<unsigned>((args->seq_len + TILE_M - 1) / TILE_M),
                  static_cast<unsigned>(args->heads),
                  static_cast<unsigned>(args->batch));
  LAUNCH(attention_kernel, grid, THREADS, 0, stream, *args);
  return cudaGetLastError();
}
//< launch
