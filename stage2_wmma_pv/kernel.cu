//> includes
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_pipeline.h>
#include <mma.h>

#include <cstdio>

#include "common/device/interface/attention.h"
#include "common/device/interface/launch.cuh"
#include "common/device/ptx/ldmatrix.cuh"

namespace wmma = nvcuda::wmma;
//< includes

//> toggles
// toggle USE_WMMA_PV: 0 1
#ifndef USE_WMMA_PV
#define USE_WMMA_PV 1
#endif
// toggle USE_HALF2_PV: 0 1
#ifndef USE_HALF2_PV
#define USE_HALF2_PV 0
#endif
#if USE_WMMA_PV && USE_HALF2_PV
#error "USE_HALF2_PV=1 is a scalar product: it needs USE_WMMA_PV=0"
#endif
// toggle USE_XOR_SWIZZLE: 0 1
#ifndef USE_XOR_SWIZZLE
#define USE_XOR_SWIZZLE 0
#endif
// toggle USE_PADDING: 0 1
#ifndef USE_PADDING
#define USE_PADDING 1
#endif
#if USE_XOR_SWIZZLE && (USE_PADDING || !USE_WMMA_PV)
#error "USE_XOR_SWIZZLE=1 needs USE_PADDING=0 and USE_WMMA_PV=1"
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
constexpr int LD_HALF = HEAD_DIM + 8;   // halves from row to row of Q
constexpr int LD_KV = HEAD_DIM + 8 * USE_PADDING;  // the same of K and V
constexpr int LD_SCORE = TILE_N + 4;    // floats from row to row of the scores
#if USE_WMMA_PV
constexpr int LD_P = TILE_N + 8;        // halves from row to row of P
#endif
constexpr unsigned ALL_LANES = 0xffffffff;
//< sizes

//> scalar-sizes
#if USE_HALF2_PV
using value = __half;  // what V is widened to
constexpr int LD_V = LD_KV;
#elif !USE_WMMA_PV
using value = float;
constexpr int LD_V = HEAD_DIM + 4;
#endif
//< scalar-sizes

//> vector-helpers
__device__ float4 load4(const float *source) {
  return *reinterpret_cast<const float4 *>(source);
}

__device__ float4 load4(const __half *source) {
  const auto *two = reinterpret_cast<const __half2 *>(source);
  const float2 low = __half22float2(two[0]), high = __half22float2(two[1]);
  return make_float4(low.x, low.y, high.x, high.y);
}

__device__ uint4 load16(const uint8_t *source) {
  return *reinterpret_cast<const uint4 *>(source);
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

//> copy-codes
// Starts the copy of the same 16 codes; zeros for a row past the end.
__device__ void copy_codes(uint8_t *destination, const uint8_t *codes, int row,
                           int column, int64_t rows) {
  const bool inside = row < rows;
  __pipeline_memcpy_async(destination,
                          codes + (inside ? row * HEAD_DIM + column : 0), 16,
                          inside ? 0 : 16);
}
//< copy-codes

//> place
#if USE_XOR_SWIZZLE
// Eight halves take the place of others of their row: which, the row decides.
__device__ int place(int row, int column) { return column ^ row % 8 * 8; }
#else
__device__ int place(int, int column) { return column; }
#endif
//< place

//> widen-half
__device__ void widen(__half *first, __half *second, uint4 codes) {
  __align__(16) __half2 wide[8];
  const auto *two = reinterpret_cast<const __nv_fp8x2_e4m3 *>(&codes);
#pragma unroll
  for (int i = 0; i < 8; i++) wide[i] = static_cast<__half2>(two[i]);
  *reinterpret_cast<uint4 *>(first) = reinterpret_cast<uint4 *>(wide)[0];
  *reinterpret_cast<uint4 *>(second) = reinterpret_cast<uint4 *>(wide)[1];
}

// The 16 codes at row, column of a tile of K or V.
__device__ void widen(__half (*tile)[LD_KV], int row, int column, uint4 codes) {
  widen(&tile[row][place(row, column)], &tile[row][place(row, column + 8)],
        codes);
}
//< widen-half

//> widen
#if !USE_WMMA_PV && !USE_HALF2_PV
__device__ void widen(float (*tile)[LD_V], int row, int column, uint4 codes) {
  const auto *four = reinterpret_cast<const __nv_fp8x4_e4m3 *>(&codes);
  auto *destination = reinterpret_cast<float4 *>(&tile[row][column]);
#pragma unroll
  for (int i = 0; i < 4; i++) destination[i] = static_cast<float4>(four[i]);
}
#endif
//< widen

//> fragments
using left =
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major>;
using right =
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major>;
using right_transposed =
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major>;
using sums = wmma::fragment<wmma::accumulator, 16, 16, 16, float>;
//< fragments

//> load-fragments
#if USE_XOR_SWIZZLE
// A fragment's registers are four 8x8 matrices, and the same once more.
template <class Fragment>
__device__ void fill(Fragment &fragment, const unsigned (&matrix)[4]) {
  auto *registers = reinterpret_cast<unsigned *>(fragment.x);
#pragma unroll
  for (int i = 0; i < 8; i++) registers[i] = matrix[i % 4];
}

__device__ void load(right_transposed &kt16, const __half (*tile)[LD_KV],
                     int key, int d) {
  const int lane = threadIdx.x % 32;
  const int row = key + lane % 8 + lane / 16 * 8, column = d + lane / 8 % 2 * 8;
  unsigned matrix[4];
  ldmatrix_x4(matrix, &tile[row][place(row, column)]);
  fill(kt16, matrix);
}

__device__ void load(right &v16, const __half (*tile)[LD_KV], int key, int d) {
  const int lane = threadIdx.x % 32;
  const int row = key + lane % 16, column = d + lane / 16 * 8;
  unsigned matrix[4];
  ldmatrix_x4_trans(matrix, &tile[row][place(row, column)]);
  fill(v16, matrix);
}
#else
template <class Fragment>
__device__ void load(Fragment &fragment, const __half (*tile)[LD_KV], int key,
                     int d) {
  wmma::load_matrix_sync(fragment, &tile[key][d], LD_KV);
}
#endif
//< load-fragments

//> kernel-begin
__global__ void __launch_bounds__(THREADS)
attention_kernel(attention_args args) {
  __shared__ __align__(32) __half tile_q[TILE_M][LD_HALF];
  __shared__ __align__(32) float tile_s[TILE_M][LD_SCORE];  // scores
#if USE_WMMA_PV
  __shared__ __align__(32) __half tile_kv[2][TILE_N][LD_KV];
  auto &tile_k = tile_kv[0], &tile_v = tile_kv[1];
  auto *tile_o = reinterpret_cast<float (*)[LD_KV]>(tile_kv);  // at the end
  __shared__ __align__(32) __half tile_p[TILE_M][LD_P];
  __shared__ __align__(32) float row_factor[TILE_M];
#else
  __shared__ __align__(32) __half tile_k[TILE_N][LD_KV];
  __shared__ __align__(16) value tile_v[TILE_N][LD_V];
  auto &tile_p = tile_s;
#endif
//< kernel-begin
//> staging
  __shared__ __align__(16) uint8_t raw_k[2][TILE_N][HEAD_DIM];
  __shared__ __align__(16) uint8_t raw_v[2][TILE_N][HEAD_DIM];
//< staging

//> who-am-i
  const int thread = threadIdx.x;
  const int warp = thread / 32;
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
  widen(&tile_q[copy_row][copy_column], &tile_q[copy_row][copy_column + 8],
        load_codes(q, copy_row, copy_column, args.seq_len - first_row));
//< load-q

//> state
  const int row = thread / 4, part = thread % 4;  // softmax: a quad a row
  float m = -INFINITY, l = 0.0f;
#if USE_WMMA_PV
  const int warp_row = warp / 2 * 16;  // P.V: a warp has 16 rows by 32 columns
  sums out[2];
  wmma::fill_fragment(out[0], 0.0f);
  wmma::fill_fragment(out[1], 0.0f);
#else
  const int lane = thread % 32;
  const int out_row = 8 * warp + lane / 16 * 4;  // P.V: four rows a thread,
  const int out_column = lane % 16 * 4;          // four columns of each
  float4 out[4] = {};
#endif
//< state

//> first-copy
  const uint8_t *k = args.k + head_start, *v = args.v + head_start;
  copy_codes(&raw_k[0][copy_row][copy_column], k, copy_row, copy_column,
             args.seq_len);
  copy_codes(&raw_v[0][copy_row][copy_column], v, copy_row, copy_column,
             args.seq_len);
  __pipeline_commit();
  int slot = 0;
//< first-copy

//> main-loop
  for (int64_t first_key = 0; first_key < args.seq_len; first_key += TILE_N) {
//< main-loop
//> load-kv
    const int64_t keys = args.seq_len - first_key;
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
    widen(tile_k, copy_row, copy_column, codes_k);
    widen(tile_v, copy_row, copy_column, codes_v);
    __syncthreads();
//< load-kv

//> scores
    const int score_row = warp / 2 * 16, score_column = warp % 2 * 16;
    sums score;
    wmma::fill_fragment(score, 0.0f);
#pragma unroll
    for (int d = 0; d < HEAD_DIM; d += 16) {
      left q16;
      right_transposed kt16;
      wmma::load_matrix_sync(q16, &tile_q[score_row][d], LD_HALF);
      load(kt16, tile_k, score_column, d);
      wmma::mma_sync(score, q16, kt16, score);
    }
    wmma::store_matrix_sync(&tile_s[score_row][score_column], score, LD_SCORE,
                            wmma::mem_row_major);
    __syncthreads();
//< scores

//> softmax-maximum
    float s[TILE_N / 4], m_new = m;
#pragma unroll
    for (int i = 0; i < TILE_N / 4; i++) {
      const int key = part + 4 * i;
      s[i] = key < keys ? tile_s[row][key] * score_scale : -INFINITY;
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
//< softmax-exponentials

//> p-times-v
#if USE_WMMA_PV
    if (part == 0) row_factor[row] = rescale;
    __syncthreads();
    sums factor;  // every column is row_factor: a distance of 0 between them
    wmma::load_matrix_sync(factor, &row_factor[warp_row], 0,
                           wmma::mem_col_major);
#pragma unroll
    for (int j = 0; j < 2; j++) {
#pragma unroll
      for (int i = 0; i < factor.num_elements; i++)
        out[j].x[i] *= factor.x[i];
    }
#pragma unroll
    for (int n = 0; n < TILE_N; n += 16) {
      left p16;
      wmma::load_matrix_sync(p16, &tile_p[warp_row][n], LD_P);
#pragma unroll
      for (int j = 0; j < 2; j++) {
        right v16;
        load(v16, tile_v, n, warp % 2 * 32 + j * 16);
        wmma::mma_sync(out[j], p16, v16, out[j]);
      }
    }
//< p-times-v
//> scalar-p-times-v
#else
    __syncwarp();
#pragma unroll
    for (int i = 0; i < 4; i++) {
      const int owner = (lane / 16 * 4 + i) * 4;  // first lane of that row
      const float factor = __shfl_sync(ALL_LANES, rescale, owner);
      out[i].x *= factor;
      out[i].y *= factor;
      out[i].z *= factor;
      out[i].w *= factor;
    }
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
#endif
//< scalar-p-times-v
//> end-of-step
    __syncthreads();
  }
//< end-of-step

//> store-output
  uint16_t *o = args.o + head_start + first_row * HEAD_DIM;
#if USE_WMMA_PV
  if (part == 0) row_factor[row] = args.v_scale[head] / l;
  __syncthreads();
  sums factor;
  wmma::load_matrix_sync(factor, &row_factor[warp_row], 0, wmma::mem_col_major);
#pragma unroll
  for (int j = 0; j < 2; j++) {
#pragma unroll
    for (int i = 0; i < factor.num_elements; i++) out[j].x[i] *= factor.x[i];
    wmma::store_matrix_sync(&tile_o[warp_row][warp % 2 * 32 + j * 16], out[j],
                            LD_KV, wmma::mem_row_major);
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 4; i++) {
    const int out_row = i * 8 + thread / 16, out_column = thread % 16 * 4;
    if (first_row + out_row >= args.seq_len) continue;
    *reinterpret_cast<uint64_t *>(&o[out_row * HEAD_DIM + out_column]) =
        four_halves(load4(&tile_o[out_row][out_column]));
  }
//< store-output
//> scalar-store-output
#else
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
#endif
}
//< scalar-store-output

//> launch
extern "C" const attention_support stage_support = {
    {HEAD_DIM}, 0, USE_WMMA_PV ? P_HALF : P_FP32};
extern "C" const char stage_toggles[] =
    TOGGLE(USE_WMMA_PV) " " TOGGLE(USE_HALF2_PV) " " TOGGLE(
        USE_XOR_SWIZZLE) " " TOGGLE(USE_PADDING) " " TOGGLE(DEBUG_PRINT);

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
