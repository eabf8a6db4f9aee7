//> includes
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_pipeline.h>
#include <mma.h>

#include <cstdio>

#include "common/device/interface/attention.h"
#include "common/device/interface/launch.cuh"

namespace wmma = nvcuda::wmma;
//< includes

//> toggles
// toggle USE_CP_ASYNC: 0 1
#ifndef USE_CP_ASYNC
#define USE_CP_ASYNC 1
#endif
// toggle LOAD_BYTES: 1 16
#ifndef LOAD_BYTES
#define LOAD_BYTES 16
#endif
#if USE_CP_ASYNC && LOAD_BYTES != 16
#error "USE_CP_ASYNC=1 copies 16 bytes at a time: it needs LOAD_BYTES=16"
#endif
// toggle USE_KV_LUT: 0 1
#ifndef USE_KV_LUT
#define USE_KV_LUT 0
#endif
// toggle DEBUG_PRINT: 0 1
#ifndef DEBUG_PRINT
#define DEBUG_PRINT 0
#endif
//< toggles

//> sizes
constexpr int HEAD_DIM = 64;
constexpr int TILE_M = 32;  // query rows of one block
constexpr int TILE_N = 32;  // keys of one step
constexpr int THREADS = 128;
constexpr int LD_HALF = HEAD_DIM + 8;   // halves from row to row of Q and K
constexpr int LD_TILE = HEAD_DIM + 4;   // floats from row to row of V
constexpr int LD_SCORE = TILE_N + 4;    // floats from row to row of the scores
constexpr unsigned ALL_LANES = 0xffffffff;
//< sizes

//> vector-helpers
__device__ float4 load4(const float *source) {
  return *reinterpret_cast<const float4 *>(source);
}

#if USE_CP_ASYNC
__device__ uint4 load16(const uint8_t *source) {
  return *reinterpret_cast<const uint4 *>(source);
}
#endif

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
#if LOAD_BYTES == 16
  return *reinterpret_cast<const uint4 *>(codes + row * HEAD_DIM + column);
#else
  uint4 sixteen;
  auto *byte = reinterpret_cast<uint8_t *>(&sixteen);
#pragma unroll
  for (int i = 0; i < 16; i++) byte[i] = codes[row * HEAD_DIM + column + i];
  return sixteen;
#endif
}
//< load-codes

//> copy-codes
#if USE_CP_ASYNC
// Starts the copy of the same 16 codes; zeros for a row past the end.
__device__ void copy_codes(uint8_t *destination, const uint8_t *codes, int row,
                           int column, int64_t rows) {
  const bool inside = row < rows;
  __pipeline_memcpy_async(destination,
                          codes + (inside ? row * HEAD_DIM + column : 0), 16,
                          inside ? 0 : 16);
}
#endif
//< copy-codes

//> widen
#if USE_KV_LUT
__device__ void fill_table(__half *table) {
  for (int code = threadIdx.x; code < 256; code += THREADS) {
    __nv_fp8_e4m3 value;
    value.__x = code;
    table[code] = static_cast<__half>(value);
  }
}
#endif

__device__ void widen(float *destination, uint4 codes, const __half *table) {
#if USE_KV_LUT
  const auto *code = reinterpret_cast<const uint8_t *>(&codes);
#pragma unroll
  for (int i = 0; i < 4; i++)
    reinterpret_cast<float4 *>(destination)[i] = make_float4(
        __half2float(table[code[4 * i]]), __half2float(table[code[4 * i + 1]]),
        __half2float(table[code[4 * i + 2]]),
        __half2float(table[code[4 * i + 3]]));
#else
  const auto *four = reinterpret_cast<const __nv_fp8x4_e4m3 *>(&codes);
#pragma unroll
  for (int i = 0; i < 4; i++)
    reinterpret_cast<float4 *>(destination)[i] = static_cast<float4>(four[i]);
#endif
}
//< widen

//> widen-half
__device__ void widen(__half *destination, uint4 codes, const __half *table) {
  __align__(16) __half2 wide[8];
#if USE_KV_LUT
  const auto *code = reinterpret_cast<const uint8_t *>(&codes);
#pragma unroll
  for (int i = 0; i < 8; i++)
    wide[i] = __halves2half2(table[code[2 * i]], table[code[2 * i + 1]]);
#else
  const auto *two = reinterpret_cast<const __nv_fp8x2_e4m3 *>(&codes);
#pragma unroll
  for (int i = 0; i < 8; i++) wide[i] = static_cast<__half2>(two[i]);
#endif
  auto *eight = reinterpret_cast<uint4 *>(destination);
  eight[0] = reinterpret_cast<uint4 *>(wide)[0];
  eight[1] = reinterpret_cast<uint4 *>(wide)[1];
}
//< widen-half

//> kernel-begin
__global__ void __launch_bounds__(THREADS)
attention_kernel(attention_args args) {
  __shared__ __align__(32) __half tile_q[TILE_M][LD_HALF];
  __shared__ __align__(32) __half tile_k[TILE_N][LD_HALF];
  __shared__ __align__(16) float tile_v[TILE_N][LD_TILE];
  __shared__ __align__(32) float tile_p[TILE_M][LD_SCORE];  // scores, then P
//< kernel-begin
//> staging
#if USE_CP_ASYNC
  __shared__ __align__(16) uint8_t raw_k[2][TILE_N][HEAD_DIM];
  __shared__ __align__(16) uint8_t raw_v[2][TILE_N][HEAD_DIM];
#endif
//< staging
//> table
#if USE_KV_LUT
  __shared__ __half table[256];
  fill_table(table);
  __syncthreads();
#else
  const __half *table = nullptr;
#endif
//< table

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
        load_codes(q, copy_row, copy_column, args.seq_len - first_row), table);
//< load-q

//> state
  const int row = thread / 4, part = thread % 4;  // softmax: a quad a row
  float m = -INFINITY, l = 0.0f;
  const int out_row = 8 * warp + lane / 16 * 4;  // P.V: four rows a thread,
  const int out_column = lane % 16 * 4;          // four columns of each
  float4 out[4] = {};
//< state

//> first-copy
  const uint8_t *k = args.k + head_start, *v = args.v + head_start;
#if USE_CP_ASYNC
  copy_codes(&raw_k[0][copy_row][copy_column], k, copy_row, copy_column,
             args.seq_len);
  copy_codes(&raw_v[0][copy_row][copy_column], v, copy_row, copy_column,
             args.seq_len);
  __pipeline_commit();
  int slot = 0;
#endif
//< first-copy

//> main-loop
  for (int64_t first_key = 0; first_key < args.seq_len; first_key += TILE_N) {
//< main-loop
//> load-kv
    const int64_t keys = args.seq_len - first_key;
#if USE_CP_ASYNC
    if (keys > TILE_N) {
      k += TILE_N * HEAD_DIM;
      v += TILE_N * HEAD_DIM;
      copy_codes(&raw_k[1 - slot][copy_row][copy_column], k, copy_row,
                 copy_column, keys - TILE_N);
      copy_codes(&raw_v[1 - slot][copy_row][copy_column], v, copy_row,
                 copy_column, keys - TILE_N);
      __pipeline_commit();
      __pipeline_wait_prior(1);  // this tile is here, the next may be under way
    } else {
      __pipeline_wait_prior(0);  // the last tile has no next one to wait behind
    }
    const uint4 codes_k = load16(&raw_k[slot][copy_row][copy_column]);
    const uint4 codes_v = load16(&raw_v[slot][copy_row][copy_column]);
    slot = 1 - slot;
#else
    const uint4 codes_k = load_codes(k, copy_row, copy_column, keys);
    const uint4 codes_v = load_codes(v, copy_row, copy_column, keys);
    k += TILE_N * HEAD_DIM;
    v += TILE_N * HEAD_DIM;
#endif
    widen(&tile_k[copy_row][copy_column], codes_k, table);
    widen(&tile_v[copy_row][copy_column], codes_v, table);
    __syncthreads();
//< load-kv

//> scores
    const int score_row = warp / 2 * 16, score_column = warp % 2 * 16;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> score;
    wmma::fill_fragment(score, 0.0f);
#pragma unroll
    for (int d = 0; d < HEAD_DIM; d += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> q16;
      wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> kt16;
      wmma::load_matrix_sync(q16, &tile_q[score_row][d], LD_HALF);
      wmma::load_matrix_sync(kt16, &tile_k[score_column][d], LD_HALF);
      wmma::mma_sync(score, q16, kt16, score);
    }
    wmma::store_matrix_sync(&tile_p[score_row][score_column], score, LD_SCORE,
                            wmma::mem_row_major);
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
#if DEBUG_PRINT
    if (head == 0 && first_row == 0 && thread == 0)
      printf("keys from %lld: m %.4f, l %.4f\n",
             static_cast<long long>(first_key), m, l);
#endif
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
extern "C" const char stage_toggles[] = TOGGLE(USE_CP_ASYNC) " " TOGGLE(
    LOAD_BYTES) " " TOGGLE(USE_KV_LUT) " " TOGGLE(DEBUG_PRINT);

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
