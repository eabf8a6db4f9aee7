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
// toggle NUM_STAGES: 2 3 4
#ifndef NUM_STAGES
#define NUM_STAGES 3
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
constexpr int LD_HALF = HEAD_DIM + 8;   // halves from row to row of Q, K, V
constexpr int LD_P = TILE_N + 8;        // halves from row to row of P
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

//> kernel-begin
__global__ void __launch_bounds__(THREADS)
attention_kernel(attention_args args) {
  __shared__ __align__(32) __half tile_q[TILE_M][LD_HALF];
  __shared__ __align__(32) __half tile_kv[2][TILE_N][LD_HALF];
  auto &tile_k = tile_kv[0], &tile_v = tile_kv[1];
  auto *tile_o = reinterpret_cast<float (*)[LD_HALF]>(tile_kv);  // at the end
//< kernel-begin
//> exchange
  __shared__ __align__(32) __half tile_p[TILE_M][LD_P];
  __shared__ float exchange[2][TILE_M];  // what two warps tell about their rows
//< exchange
//> staging
  __shared__ __align__(16) uint8_t raw_k[NUM_STAGES][TILE_N][HEAD_DIM];
  __shared__ __align__(16) uint8_t raw_v[NUM_STAGES][TILE_N][HEAD_DIM];
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
  widen(&tile_q[copy_row][copy_column],
        load_codes(q, copy_row, copy_column, args.seq_len - first_row));
//< load-q

//> state
  const int warp_row = warp / 2 * 16;  // two warps share 16 rows
  const int side = warp % 2;           // of the keys, then of the columns
  const int lane = thread % 32;
  float m[2] = {-INFINITY, -INFINITY}, l[2] = {};  // of two rows a lane
  sums out[2];
  wmma::fill_fragment(out[0], 0.0f);
  wmma::fill_fragment(out[1], 0.0f);
//< state

//> first-copy
  const uint8_t *k = args.k + head_start, *v = args.v + head_start;
  const int steps = static_cast<int>((args.seq_len + TILE_N - 1) / TILE_N);
  const auto copy_tile = [&](int step) {
    const int slot = step % NUM_STAGES;
    const int64_t first_key = static_cast<int64_t>(step) * TILE_N;
    const int64_t keys = args.seq_len - first_key;
    copy_codes(&raw_k[slot][copy_row][copy_column], k + first_key * HEAD_DIM,
               copy_row, copy_column, keys);
    copy_codes(&raw_v[slot][copy_row][copy_column], v + first_key * HEAD_DIM,
               copy_row, copy_column, keys);
  };
#pragma unroll
  for (int step = 0; step < NUM_STAGES - 1; step++) {
    if (step < steps) copy_tile(step);
    __pipeline_commit();
  }
//< first-copy

//> main-loop
  for (int step = 0; step < steps; step++) {
//< main-loop
//> load-kv
    const int64_t first_key = static_cast<int64_t>(step) * TILE_N;
    const int64_t keys = args.seq_len - first_key;
    if (step + NUM_STAGES - 1 < steps) copy_tile(step + NUM_STAGES - 1);
    __pipeline_commit();  // empty at the end: the count below stays right
    __pipeline_wait_prior(NUM_STAGES - 1);
    const int slot = step % NUM_STAGES;
    const uint4 codes_k = load16(&raw_k[slot][copy_row][copy_column]);
    const uint4 codes_v = load16(&raw_v[slot][copy_row][copy_column]);
    widen(&tile_k[copy_row][copy_column], codes_k);
    widen(&tile_v[copy_row][copy_column], codes_v);
    __syncthreads();
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
    __syncthreads();
  }
//< end-of-step

//> normalise
  float factor[2];
#pragma unroll
  for (int r = 0; r < 2; r++) {
    const int row = warp_row + accumulator_row(lane, 2 * r);
    l[r] = quad_sum(l[r]);
    if (lane % 4 == 0) exchange[side][row] = l[r];
  }
  __syncthreads();
#pragma unroll
  for (int r = 0; r < 2; r++) {
    const int row = warp_row + accumulator_row(lane, 2 * r);
    factor[r] = args.v_scale[head] / (l[r] + exchange[1 - side][row]);
  }
//< normalise
//> store-output
#pragma unroll
  for (int j = 0; j < 2; j++) {
#pragma unroll
    for (int i = 0; i < out[j].num_elements; i++)
      out[j].x[i] *= factor[i / 2 % 2];
    wmma::store_matrix_sync(&tile_o[warp_row][side * 32 + j * 16], out[j],
                            LD_HALF, wmma::mem_row_major);
  }
  __syncthreads();
  uint16_t *o = args.o + head_start + first_row * HEAD_DIM;
#pragma unroll
  for (int i = 0; i < 4; i++) {
    const int out_row = i * 8 + thread / 16, out_column = thread % 16 * 4;
    if (first_row + out_row >= args.seq_len) continue;
    *reinterpret_cast<uint64_t *>(&o[out_row * HEAD_DIM + out_column]) =
        four_halves(load4(&tile_o[out_row][out_column]));
  }
}
//< store-output

//> launch
extern "C" const attention_support stage_support = {{HEAD_DIM}, 0, P_HALF};
extern "C" const char stage_toggles[] =
    TOGGLE(NUM_STAGES) " " TOGGLE(DEBUG_PRINT);

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
