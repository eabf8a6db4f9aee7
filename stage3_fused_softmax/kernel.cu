//> includes
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_pipeline.h>
#include <mma.h>

#include <cstdio>

#include "common/device/ptx/accumulator.cuh"
#include "common/device/interface/attention.h"
#include "common/device/interface/launch.cuh"
#include "common/device/ptx/named_barrier.cuh"

namespace wmma = nvcuda::wmma;
//< includes

//> toggles
// toggle USE_FUSED_SOFTMAX: 0 1
#ifndef USE_FUSED_SOFTMAX
#define USE_FUSED_SOFTMAX 1
#endif
// toggle REUSE_SCORES: 0 1
#ifndef REUSE_SCORES
#define REUSE_SCORES 0
#endif
#if REUSE_SCORES && USE_FUSED_SOFTMAX
#error "Fused softmax has no scores to reuse: set USE_FUSED_SOFTMAX=0"
#endif
// toggle USE_SPLIT_KEYS: 0 1
#ifndef USE_SPLIT_KEYS
#define USE_SPLIT_KEYS 0
#endif
#if USE_SPLIT_KEYS && !USE_FUSED_SOFTMAX
#error "Split keys need m and l in registers: leave USE_FUSED_SOFTMAX=1"
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
#if USE_SPLIT_KEYS
constexpr int GROUP = 128;  // threads that share a tile of K and one of V
constexpr int THREADS = 2 * GROUP;
#else
constexpr int THREADS = 128;
#endif
constexpr int LD_HALF = HEAD_DIM + 8;   // halves from row to row of Q, K, V
#if !USE_FUSED_SOFTMAX
constexpr int LD_SCORE = TILE_N + 4;    // floats from row to row of the scores
#endif
#if REUSE_SCORES
constexpr int LD_P = 2 * LD_SCORE;      // halves from row to row of P
#else
constexpr int LD_P = TILE_N + 8;        // halves from row to row of P
#endif
constexpr unsigned ALL_LANES = 0xffffffff;
//< sizes

//> vector-helpers
__device__ float4 load4(const float *source) {
  return *reinterpret_cast<const float4 *>(source);
}

__device__ uint4 load16(const uint8_t *source) {
  return *reinterpret_cast<const uint4 *>(source);
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

//> widen-half
__device__ void widen(__half *destination, uint4 codes) {
  __align__(16) __half2 wide[8];
  const auto *two = reinterpret_cast<const __nv_fp8x2_e4m3 *>(&codes);
#pragma unroll
  for (int i = 0; i < 8; i++) wide[i] = static_cast<__half2>(two[i]);
  auto *eight = reinterpret_cast<uint4 *>(destination);
  eight[0] = reinterpret_cast<uint4 *>(wide)[0];
  eight[1] = reinterpret_cast<uint4 *>(wide)[1];
}
//< widen-half

//> fragments
using left =
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major>;
using right =
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major>;
using right_transposed =
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major>;
using sums = wmma::fragment<wmma::accumulator, 16, 16, 16, float>;
//< fragments

//> shared-tiles
//> kernel-begin
__global__ void __launch_bounds__(THREADS)
attention_kernel(attention_args args) {
  __shared__ __align__(32) __half tile_q[TILE_M][LD_HALF];
#if USE_SPLIT_KEYS
  const int group = threadIdx.x / GROUP;
  __shared__ __align__(32) __half all_kv[2][2][TILE_N][LD_HALF];
  auto &tile_kv = all_kv[group];
#else
  __shared__ __align__(32) __half tile_kv[2][TILE_N][LD_HALF];
#endif
  auto &tile_k = tile_kv[0], &tile_v = tile_kv[1];
  auto *tile_o = reinterpret_cast<float (*)[LD_HALF]>(tile_kv);  // at the end
//< kernel-begin
//> exchange
#if USE_SPLIT_KEYS
  __shared__ __align__(32) __half all_p[2][TILE_M][LD_P];
  __shared__ float all_exchange[2][2][TILE_M], all_m[2][TILE_M];
  auto &tile_p = all_p[group];
  auto &exchange = all_exchange[group];
#elif USE_FUSED_SOFTMAX
  __shared__ __align__(32) __half tile_p[TILE_M][LD_P];
  __shared__ float exchange[2][TILE_M];  // what two warps tell about their rows
#else
  __shared__ __align__(32) float tile_s[TILE_M][LD_SCORE];  // scores
#if REUSE_SCORES
  auto *tile_p = reinterpret_cast<__half (*)[LD_P]>(tile_s);
#else
  __shared__ __align__(32) __half tile_p[TILE_M][LD_P];
#endif
  __shared__ __align__(32) float row_factor[TILE_M];
#endif
//< exchange
//> staging
#if USE_SPLIT_KEYS
  __shared__ __align__(16) uint8_t all_raw[2][2][2][TILE_N][HEAD_DIM];
  auto &raw_k = all_raw[group][0], &raw_v = all_raw[group][1];
#else
  __shared__ __align__(16) uint8_t raw_k[2][TILE_N][HEAD_DIM];
  __shared__ __align__(16) uint8_t raw_v[2][TILE_N][HEAD_DIM];
#endif
//< staging
//< shared-tiles

//> own-part
//> who-am-i
#if USE_SPLIT_KEYS
  const int thread = threadIdx.x % GROUP;
  const int warp = threadIdx.x / 32;
#else
  const int thread = threadIdx.x;
  const int warp = thread / 32;
#endif
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
#if USE_SPLIT_KEYS
  if (group == 0)
#endif
  widen(&tile_q[copy_row][copy_column],
        load_codes(q, copy_row, copy_column, args.seq_len - first_row));
//< load-q

//> state
#if USE_SPLIT_KEYS
  const int warp_row = warp / 2 % 2 * 16;
#else
  const int warp_row = warp / 2 * 16;  // two warps share 16 rows
#endif
  const int side = warp % 2;           // of the keys, then of the columns
#if USE_FUSED_SOFTMAX
  const int lane = thread % 32;
  float m[2] = {-INFINITY, -INFINITY}, l[2] = {};  // of two rows a lane
#else
  const int row = thread / 4, part = thread % 4;  // softmax: a quad a row
  float m = -INFINITY, l = 0.0f;
#endif
  sums out[2];
  wmma::fill_fragment(out[0], 0.0f);
  wmma::fill_fragment(out[1], 0.0f);
//< state

//> first-copy
#if USE_SPLIT_KEYS
  // The tiles up to the middle are group 0's, the others group 1's. A row of
  // one tile leaves none for group 1.
  const int64_t tiles = (args.seq_len + TILE_N - 1) / TILE_N;
  const int64_t middle = (tiles + 1) / 2 * TILE_N;
  const int64_t begin = group == 0 ? 0 : middle;
  const int64_t end =
      group == 0 && middle < args.seq_len ? middle : args.seq_len;
  const uint8_t *k = args.k + head_start + begin * HEAD_DIM;
  const uint8_t *v = args.v + head_start + begin * HEAD_DIM;
  if (begin < end) {
    copy_codes(&raw_k[0][copy_row][copy_column], k, copy_row, copy_column,
               end - begin);
    copy_codes(&raw_v[0][copy_row][copy_column], v, copy_row, copy_column,
               end - begin);
  }
#else
  const uint8_t *k = args.k + head_start, *v = args.v + head_start;
  copy_codes(&raw_k[0][copy_row][copy_column], k, copy_row, copy_column,
             args.seq_len);
  copy_codes(&raw_v[0][copy_row][copy_column], v, copy_row, copy_column,
             args.seq_len);
#endif
  __pipeline_commit();
  int slot = 0;
//< first-copy
//< own-part

//> steps
//> main-loop
#if USE_SPLIT_KEYS
  __syncthreads();  // Q is here: no barrier of one group says that
  for (int64_t first_key = begin; first_key < end; first_key += TILE_N) {
#else
  for (int64_t first_key = 0; first_key < args.seq_len; first_key += TILE_N) {
#endif
//< main-loop
//> load-kv
#if USE_SPLIT_KEYS
    const int64_t keys = end - first_key;
#else
    const int64_t keys = args.seq_len - first_key;
#endif
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
    widen(&tile_k[copy_row][copy_column], codes_k);
    widen(&tile_v[copy_row][copy_column], codes_v);
#if USE_SPLIT_KEYS
    named_barrier_sync(5 + group, GROUP);
#else
    __syncthreads();
#endif
//< load-kv

//> scores
    sums score;
    wmma::fill_fragment(score, 0.0f);
#pragma unroll
    for (int d = 0; d < HEAD_DIM; d += 16) {
      left q16;
      right_transposed kt16;
      wmma::load_matrix_sync(q16, &tile_q[warp_row][d], LD_HALF);
      wmma::load_matrix_sync(kt16, &tile_k[side * 16][d], LD_HALF);
      wmma::mma_sync(score, q16, kt16, score);
    }
//< scores

//> fused-maximum
#if USE_FUSED_SOFTMAX
    float m_new[2] = {m[0], m[1]};
#pragma unroll
    for (int i = 0; i < score.num_elements; i++) {
      const int key = side * 16 + accumulator_column(lane, i);
      float &s = score.x[i];
      s = key < keys ? s * score_scale : -INFINITY;
      m_new[i / 2 % 2] = fmaxf(m_new[i / 2 % 2], s);
    }
#pragma unroll
    for (int r = 0; r < 2; r++) {
      m_new[r] = quad_max(m_new[r]);
      if (lane % 4 == 0)
        exchange[side][warp_row + accumulator_row(lane, 2 * r)] = m_new[r];
    }
    named_barrier_sync(1 + warp / 2, 64);
//< fused-maximum
//> fused-exponentials
    float rescale[2];
#pragma unroll
    for (int r = 0; r < 2; r++) {
      const int row = warp_row + accumulator_row(lane, 2 * r);
      m_new[r] = fmaxf(m_new[r], exchange[1 - side][row]);
      rescale[r] = __expf(m[r] - m_new[r]);
      m[r] = m_new[r];
      l[r] *= rescale[r];
    }
#pragma unroll
    for (int i = 0; i < score.num_elements; i += 2) {
      const int r = i / 2 % 2;
      const float p0 = __expf(score.x[i] - m[r]);
      const float p1 = __expf(score.x[i + 1] - m[r]);
      l[r] += p0 + p1;
      *reinterpret_cast<__half2 *>(
          &tile_p[warp_row + accumulator_row(lane, i)]
                 [side * 16 + accumulator_column(lane, i)]) =
          __floats2half2_rn(p0, p1);
    }
    named_barrier_sync(1 + warp / 2, 64);
#if DEBUG_PRINT
    const float l_side = quad_sum(l[0]);
    if (head == 0 && first_row == 0 && lane == 0 && warp < 2)
      printf("keys from %lld, half %d: m %.4f, l %.4f\n",
             static_cast<long long>(first_key), side, m[0], l_side);
#endif
//< fused-exponentials
//> fused-rescale
#pragma unroll
    for (int j = 0; j < 2; j++) {
#pragma unroll
      for (int i = 0; i < score.num_elements; i++)
        out[j].x[i] *= rescale[i / 2 % 2];
    }
//< fused-rescale
//> unfused-softmax
#else
    wmma::store_matrix_sync(&tile_s[warp_row][side * 16], score, LD_SCORE,
                            wmma::mem_row_major);
    __syncthreads();
    float s[TILE_N / 4], m_new = m;
#pragma unroll
    for (int i = 0; i < TILE_N / 4; i++) {
      const int key = part + 4 * i;
      s[i] = key < keys ? tile_s[row][key] * score_scale : -INFINITY;
      m_new = fmaxf(m_new, s[i]);
    }
    m_new = quad_max(m_new);
#if REUSE_SCORES
    __syncwarp();
#endif
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
#endif
//< unfused-softmax
//> p-times-v
#pragma unroll
    for (int n = 0; n < TILE_N; n += 16) {
      left p16;
      wmma::load_matrix_sync(p16, &tile_p[warp_row][n], LD_P);
#pragma unroll
      for (int j = 0; j < 2; j++) {
        right v16;
        wmma::load_matrix_sync(v16, &tile_v[n][side * 32 + j * 16], LD_HALF);
        wmma::mma_sync(out[j], p16, v16, out[j]);
      }
    }
//< p-times-v
//> end-of-step
#if USE_SPLIT_KEYS
    named_barrier_sync(5 + group, GROUP);
#else
    __syncthreads();
#endif
  }
//< end-of-step
//< steps

//> both-groups
//> normalise
#if USE_FUSED_SOFTMAX
  float factor[2];
#pragma unroll
  for (int r = 0; r < 2; r++) {
    const int row = warp_row + accumulator_row(lane, 2 * r);
    l[r] = quad_sum(l[r]);
    if (lane % 4 == 0) exchange[side][row] = l[r];
#if USE_SPLIT_KEYS
    if (lane % 4 == 0 && side == 0) all_m[group][row] = m[r];
#endif
  }
  __syncthreads();
#pragma unroll
  for (int r = 0; r < 2; r++) {
    const int row = warp_row + accumulator_row(lane, 2 * r);
#if USE_SPLIT_KEYS
    const auto &others = all_exchange[1 - group];
    const float m_other = all_m[1 - group][row], m_all = fmaxf(m[r], m_other);
    const float mine = __expf(m[r] - m_all), other = __expf(m_other - m_all);
    factor[r] = args.v_scale[head] * mine /
                (mine * (l[r] + exchange[1 - side][row]) +
                 other * (others[0][row] + others[1][row]));
#else
    factor[r] = args.v_scale[head] / (l[r] + exchange[1 - side][row]);
#endif
  }
#else
  if (part == 0) row_factor[row] = args.v_scale[head] / l;
  __syncthreads();
  sums factor;
  wmma::load_matrix_sync(factor, &row_factor[warp_row], 0, wmma::mem_col_major);
#endif
//< normalise
//> store-output
#pragma unroll
  for (int j = 0; j < 2; j++) {
#pragma unroll
    for (int i = 0; i < out[j].num_elements; i++)
#if USE_FUSED_SOFTMAX
      out[j].x[i] *= factor[i / 2 % 2];
#else
      out[j].x[i] *= factor.x[i];
#endif
    wmma::store_matrix_sync(&tile_o[warp_row][side * 32 + j * 16], out[j],
                            LD_HALF, wmma::mem_row_major);
  }
  __syncthreads();
  uint16_t *o = args.o + head_start + first_row * HEAD_DIM;
#if USE_SPLIT_KEYS
  using output_tile = float (*)[LD_HALF];
  const auto part0 = reinterpret_cast<output_tile>(all_kv[0]);
  const auto part1 = reinterpret_cast<output_tile>(all_kv[1]);
#pragma unroll
  for (int i = 0; i < 2; i++) {
    const int out_row = i * 16 + threadIdx.x / 16;
    const int out_column = thread % 16 * 4;
    if (first_row + out_row >= args.seq_len) continue;
    const float4 a = load4(&part0[out_row][out_column]);
    const float4 b = load4(&part1[out_row][out_column]);
    *reinterpret_cast<uint64_t *>(&o[out_row * HEAD_DIM + out_column]) =
        four_halves(make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w));
  }
#else
#pragma unroll
  for (int i = 0; i < 4; i++) {
    const int out_row = i * 8 + thread / 16, out_column = thread % 16 * 4;
    if (first_row + out_row >= args.seq_len) continue;
    *reinterpret_cast<uint64_t *>(&o[out_row * HEAD_DIM + out_column]) =
        four_halves(load4(&tile_o[out_row][out_column]));
  }
#endif
}
//< store-output
//< both-groups

//> launch
extern "C" const attention_support stage_support = {{HEAD_DIM}, 0, P_HALF};
extern "C" const char stage_toggles[] = TOGGLE(USE_FUSED_SOFTMAX) " " TOGGLE(
    REUSE_SCORES) " " TOGGLE(USE_SPLIT_KEYS) " " TOGGLE(DEBUG_PRINT);

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
