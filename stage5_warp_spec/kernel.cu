//> includes
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_pipeline.h>
#include <mma.h>

#include <cstdio>
#include <cstring>

#include "common/device/ptx/accumulator.cuh"
#include "common/device/interface/attention.h"
#include "common/device/math/fast_exp.cuh"
#include "common/device/interface/launch.cuh"
#include "common/device/ptx/mbarrier.cuh"
#include "common/device/ptx/named_barrier.cuh"

namespace wmma = nvcuda::wmma;
//< includes

//> toggles
// toggle USE_WARP_SPECIALIZATION: 0 1
#ifndef USE_WARP_SPECIALIZATION
#define USE_WARP_SPECIALIZATION 1
#endif
// toggle NUM_PRODUCER_WARPS: 1 2 (detail)
#ifndef NUM_PRODUCER_WARPS
#define NUM_PRODUCER_WARPS 2
#endif
// toggle USE_PERSISTENT_CTA: 0 1
#ifndef USE_PERSISTENT_CTA
#define USE_PERSISTENT_CTA 0
#endif
// toggle USE_MBARRIER: 0 1 (detail)
#ifndef USE_MBARRIER
#define USE_MBARRIER 0
#endif
#if USE_MBARRIER && (!USE_WARP_SPECIALIZATION || USE_PERSISTENT_CTA)
#error "USE_MBARRIER=1 needs USE_WARP_SPECIALIZATION=1, USE_PERSISTENT_CTA=0"
#endif
// toggle USE_FAST_EXP: 0 1 (detail)
#ifndef USE_FAST_EXP
#define USE_FAST_EXP 0
#endif
// toggle NUM_STAGES: 2 3 4 (detail)
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
constexpr int CONSUMERS = 128;
#if USE_WARP_SPECIALIZATION
constexpr int PRODUCERS = 32 * NUM_PRODUCER_WARPS;
constexpr int THREADS = CONSUMERS + PRODUCERS;
constexpr int SLOTS = 2;  // widened tiles of K and V
#else
constexpr int PRODUCERS = CONSUMERS;
constexpr int THREADS = CONSUMERS;
constexpr int SLOTS = 1;
#endif
constexpr int PIECES = TILE_N * HEAD_DIM / 16 / PRODUCERS;  // of 16 codes
// Named barriers; 0 is __syncthreads().
enum { PAIR = 1, FULL = 3, EMPTY = 5, ALL_CONSUMERS = 7, ITEM_DONE = 8 };
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

//> exponential
__device__ float exponential(float x) {
#if USE_FAST_EXP
  return fast_exp(x);
#else
  return __expf(x);
#endif
}
//< exponential

//> fragments
using left =
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major>;
using right =
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major>;
using right_transposed =
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major>;
using sums = wmma::fragment<wmma::accumulator, 16, 16, 16, float>;
//< fragments

//> queue
#if USE_PERSISTENT_CTA
// How often a block has asked for more work.
__device__ unsigned requests;
#endif
//< queue

//> kernel-begin
__global__ void __launch_bounds__(THREADS)
attention_kernel(attention_args args) {
  __shared__ __align__(32) __half tile_q[TILE_M][LD_HALF];
  __shared__ __align__(32) __half tile_kv[SLOTS][2][TILE_N][LD_HALF];
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
  const int steps = static_cast<int>((args.seq_len + TILE_N - 1) / TILE_N);
//< who-am-i
//> next-item
#if USE_PERSISTENT_CTA
  __shared__ unsigned next_item;
  const unsigned row_tiles =
      static_cast<unsigned>((args.seq_len + TILE_M - 1) / TILE_M);
  const auto items = static_cast<unsigned>(args.batch * args.heads * row_tiles);
  for (unsigned item = blockIdx.x; item < items; item = next_item) {
  unsigned next = 0;
  if (thread == 0) {  // asked for now, needed when this item is done
    next = atomicAdd(&requests, 1u);
    if (next == items - 1) requests = 0;  // the last one, for the next launch
    next += gridDim.x;
  }
  const int64_t head = item / row_tiles;
  const int64_t first_row = static_cast<int64_t>(item % row_tiles) * TILE_M;
#else
  const int64_t head = blockIdx.z * args.heads + blockIdx.y;
  const int64_t first_row = static_cast<int64_t>(blockIdx.x) * TILE_M;
#endif
  const int64_t head_start = head * args.seq_len * HEAD_DIM;
  const float score_scale =
      args.q_scale[head] * args.k_scale[head] * args.softmax_scale;
//< next-item

//> producer-roles
  const uint8_t *k = args.k + head_start, *v = args.v + head_start;
  const int producer = thread - (THREADS - PRODUCERS);
  const auto copy_tile = [&](int step) {
    const int slot = step % NUM_STAGES;
    const int64_t first_key = static_cast<int64_t>(step) * TILE_N;
    const int64_t keys = args.seq_len - first_key;
#pragma unroll
    for (int i = 0; i < PIECES; i++) {
      const int piece = producer + i * PRODUCERS;
      const int row = piece / 4, column = piece % 4 * 16;
      copy_codes(&raw_k[slot][row][column], k + first_key * HEAD_DIM, row,
                 column, keys);
      copy_codes(&raw_v[slot][row][column], v + first_key * HEAD_DIM, row,
                 column, keys);
    }
  };
  const auto widen_tile = [&](int step) {
    const int from = step % NUM_STAGES, to = step % SLOTS;
#pragma unroll
    for (int i = 0; i < PIECES; i++) {
      const int piece = producer + i * PRODUCERS;
      const int row = piece / 4, column = piece % 4 * 16;
      widen(&tile_kv[to][0][row][column], load16(&raw_k[from][row][column]));
      widen(&tile_kv[to][1][row][column], load16(&raw_v[from][row][column]));
    }
  };
//< producer-roles
//> hand-over
#if USE_MBARRIER
  __shared__ uint64_t full[SLOTS], empty[SLOTS];
  if (thread < SLOTS) {
    mbarrier_init(&full[thread], PRODUCERS);
    mbarrier_init(&empty[thread], CONSUMERS);
  }
  __syncthreads();
  // A slot's phases: step 0 or 1 ends its phase 0, step 2 or 3 its phase 1, ...
  const auto say_full = [&](int step) { mbarrier_arrive(&full[step % SLOTS]); };
  const auto wait_full = [&](int step) {
    mbarrier_wait(&full[step % SLOTS], step / SLOTS % 2);
  };
  const auto say_empty = [&](int step) {
    mbarrier_arrive(&empty[step % SLOTS]);
  };
  const auto wait_empty = [&](int step) {
    mbarrier_wait(&empty[step % SLOTS], (step / SLOTS - 1) % 2);
  };
#elif USE_WARP_SPECIALIZATION
  const auto say_full = [](int step) {
    named_barrier_arrive(FULL + step % SLOTS, THREADS);
  };
  const auto wait_full = [](int step) {
    named_barrier_sync(FULL + step % SLOTS, THREADS);
  };
  const auto say_empty = [](int step) {
    named_barrier_arrive(EMPTY + step % SLOTS, THREADS);
  };
  const auto wait_empty = [](int step) {
    named_barrier_sync(EMPTY + step % SLOTS, THREADS);
  };
#endif
//< hand-over
//> produce
#if USE_WARP_SPECIALIZATION
  if (thread >= CONSUMERS) {
#pragma unroll
    for (int step = 0; step < NUM_STAGES - 1; step++) {
      if (step < steps) copy_tile(step);
      __pipeline_commit();
    }
    for (int step = 0; step < steps; step++) {
      if (step + NUM_STAGES - 1 < steps) copy_tile(step + NUM_STAGES - 1);
      __pipeline_commit();  // empty at the end: the count below stays right
      __pipeline_wait_prior(NUM_STAGES - 1);
      if (step >= SLOTS) wait_empty(step);
      widen_tile(step);
      say_full(step);
    }
#if USE_PERSISTENT_CTA
    named_barrier_sync(ITEM_DONE, THREADS);
    continue;
#else
    return;
#endif
  }
#endif
//< produce

//> load-q
  const int copy_row = thread / 4, copy_column = thread % 4 * 16;
  const uint8_t *q = args.q + head_start + first_row * HEAD_DIM;
  widen(&tile_q[copy_row][copy_column],
        load_codes(q, copy_row, copy_column, args.seq_len - first_row));
#if USE_MBARRIER
  named_barrier_sync(ALL_CONSUMERS, CONSUMERS);
#endif
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
#if !USE_WARP_SPECIALIZATION
#pragma unroll
  for (int step = 0; step < NUM_STAGES - 1; step++) {
    if (step < steps) copy_tile(step);
    __pipeline_commit();
  }
#endif
//< first-copy

//> main-loop
  for (int step = 0; step < steps; step++) {
//< main-loop
//> load-kv
    const int64_t first_key = static_cast<int64_t>(step) * TILE_N;
    const int64_t keys = args.seq_len - first_key;
    const int slot = step % SLOTS;
    auto &tile_k = tile_kv[slot][0], &tile_v = tile_kv[slot][1];
#if USE_WARP_SPECIALIZATION
    wait_full(step);
#else
    if (step + NUM_STAGES - 1 < steps) copy_tile(step + NUM_STAGES - 1);
    __pipeline_commit();  // empty at the end: the count below stays right
    __pipeline_wait_prior(NUM_STAGES - 1);
    widen_tile(step);
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
    named_barrier_sync(PAIR + warp / 2, 64);
//< fused-maximum
//> fused-exponentials
    float rescale[2];
#pragma unroll
    for (int r = 0; r < 2; r++) {
      const int row = warp_row + accumulator_row(lane, 2 * r);
      m_new[r] = fmaxf(m_new[r], exchange[1 - side][row]);
      rescale[r] = exponential(m[r] - m_new[r]);
      m[r] = m_new[r];
      l[r] *= rescale[r];
    }
#pragma unroll
    for (int i = 0; i < score.num_elements; i += 2) {
      const int r = i / 2 % 2;
      const float p0 = exponential(score.x[i] - m[r]);
      const float p1 = exponential(score.x[i + 1] - m[r]);
      l[r] += p0 + p1;
      *reinterpret_cast<__half2 *>(
          &tile_p[warp_row + accumulator_row(lane, i)]
                 [side * 16 + accumulator_column(lane, i)]) =
          __floats2half2_rn(p0, p1);
    }
    named_barrier_sync(PAIR + warp / 2, 64);
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
#if USE_WARP_SPECIALIZATION
    if (step + SLOTS < steps) say_empty(step);
#else
    __syncthreads();
#endif
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
  named_barrier_sync(ALL_CONSUMERS, CONSUMERS);
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
  named_barrier_sync(ALL_CONSUMERS, CONSUMERS);
  uint16_t *o = args.o + head_start + first_row * HEAD_DIM;
#pragma unroll
  for (int i = 0; i < 4; i++) {
    const int out_row = i * 8 + thread / 16, out_column = thread % 16 * 4;
    if (first_row + out_row >= args.seq_len) continue;
    *reinterpret_cast<uint64_t *>(&o[out_row * HEAD_DIM + out_column]) =
        four_halves(load4(&tile_o[out_row][out_column]));
  }
//< store-output
//> item-done
#if USE_PERSISTENT_CTA
  if (thread == 0) next_item = next;
  named_barrier_sync(ITEM_DONE, THREADS);  // the tiles are free, too
  }
#endif
}
//< item-done

//> launch
extern "C" const attention_support stage_support = {{HEAD_DIM}, 0, P_HALF};
extern "C" const char stage_toggles[] =
    TOGGLE(USE_WARP_SPECIALIZATION) " " TOGGLE(NUM_PRODUCER_WARPS) " " TOGGLE(
        USE_PERSISTENT_CTA) " " TOGGLE(USE_MBARRIER) " " TOGGLE(
        USE_FAST_EXP) " " TOGGLE(NUM_STAGES) " " TOGGLE(DEBUG_PRINT);

extern "C" cudaError_t stage_launch(const attention_args *args,
                                    cudaStream_t stream) {
  if (!attention_supports(&stage_support, args)) return cudaErrorInvalidValue;
  const dim3 grid(static_cast<unsigned>((args->seq_len + TILE_M - 1) / TILE_M),
                  static_cast<unsigned>(args->heads),
                  static_cast<unsigned>(args->batch));
#if USE_PERSISTENT_CTA
  int device = 0, multiprocessors = 0, resident = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (!error)
    error = cudaDeviceGetAttribute(&multiprocessors,
                                   cudaDevAttrMultiProcessorCount, device);
  if (!error)
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &resident, reinterpret_cast<const void *>(attention_kernel), THREADS,
        0);
  if (error) return error;
  const unsigned items = grid.x * grid.y * grid.z;
  const auto room = static_cast<unsigned>(multiprocessors * resident);
  LAUNCH(attention_kernel, items < room ? items : room, THREADS, 0, stream,
         *args);
#else
  LAUNCH(attention_kernel, grid, THREADS, 0, stream, *args);
#endif
  return cudaGetLastError();
}
//< launch
