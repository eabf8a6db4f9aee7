//> includes
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_pipeline.h>

#include "common/device/interface/attention.h"
#include "common/device/ptx/e4m3.cuh"
#include "common/device/ptx/exp2.cuh"
#include "common/device/interface/launch.cuh"
#include "common/device/ptx/ldmatrix.cuh"
#include "common/device/ptx/mma.cuh"
//< includes

//> toggles
// toggle USE_LATE_ROWS_FIRST: 0 1
#ifndef USE_LATE_ROWS_FIRST
#define USE_LATE_ROWS_FIRST 1
#endif
// toggle NUM_STAGES: 2 3 (detail)
#ifndef NUM_STAGES
#define NUM_STAGES 2
#endif
//< toggles

//> sizes
constexpr unsigned ALL_LANES = 0xffffffff;
constexpr float LOG2_E = 1.4426950408889634f;
//< sizes
//> block-shape
constexpr float NONE = -1e30f;  // m of a warp that has seen no key

// A block: ROW_WARPS times KEY_WARPS warps. Each has M_TILES times 16 rows, and
// TILE_N keys of each step.
template <int DIM, int TILES, int ROWS, int KEYS, int N, int BLOCKS>
struct block_shape {
  static constexpr int HEAD_DIM = DIM, TILE_N = N;
  static constexpr int M_TILES = TILES, ROW_WARPS = ROWS, KEY_WARPS = KEYS;
  static constexpr int THREADS = 32 * ROWS * KEYS, BLOCKS_ON_SM = BLOCKS;
  static constexpr int TILE_M = 16 * TILES * ROWS;
  static constexpr int STEP_KEYS = TILE_N * KEYS;
  static constexpr int CHUNKS = HEAD_DIM / 16;  // of 16 codes, in a row
  static constexpr int PIECES = STEP_KEYS * HEAD_DIM / 16 / THREADS;
  static constexpr int TILE_BYTES = STEP_KEYS * HEAD_DIM;
  static constexpr int RING_BYTES = NUM_STAGES * 2 * TILE_BYTES;  // K and V
  static constexpr int LD_O = HEAD_DIM + 16;  // floats from row to row
  static constexpr int COMBINE_BYTES =
      KEYS == 1 ? 0 : KEYS * TILE_M * (LD_O + 2) * 4;
  static constexpr int SHARED_BYTES =
      RING_BYTES > COMBINE_BYTES ? RING_BYTES : COMBINE_BYTES;
};
//< block-shape

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

//> four-halves
// As one 8-byte word, because nvcc stores a uint2 in two pieces here.
__device__ uint64_t four_halves(float4 x) {
  const __half2 low = __floats2half2_rn(x.x, x.y);
  const __half2 high = __floats2half2_rn(x.z, x.w);
  const uint64_t upper = *reinterpret_cast<const unsigned *>(&high);
  return upper << 32 | *reinterpret_cast<const unsigned *>(&low);
}
//< four-halves

//> bits
__device__ unsigned bits_of(__half2 x) {
  return *reinterpret_cast<unsigned *>(&x);
}
//< bits

//> place
// Where the 16 codes at row, chunk of a tile lie. Eight rows of one chunk,
// which ldmatrix reads at once, are on different banks.
template <int HEAD_DIM>
__device__ int place(int row, int chunk) {
  chunk ^= HEAD_DIM == 64 ? row / 2 % 4 : row % 8;
  return row * HEAD_DIM + chunk * 16;
}
//< place

//> copy-codes
// Starts the copy of the 16 codes at row, column; zeros for a row past the end.
template <int HEAD_DIM>
__device__ void copy_codes(uint8_t *destination, const uint8_t *codes, int row,
                           int column, int64_t rows) {
  const bool inside = row < rows;
  __pipeline_memcpy_async(destination,
                          codes + (inside ? row * HEAD_DIM + column : 0), 16,
                          inside ? 0 : 16);
}
//< copy-codes

//> kernel-begin
template <typename SHAPE>
__global__ void __launch_bounds__(SHAPE::THREADS, SHAPE::BLOCKS_ON_SM)
attention_kernel(attention_args args) {
  constexpr int HEAD_DIM = SHAPE::HEAD_DIM, CHUNKS = SHAPE::CHUNKS;
  constexpr int TILE_N = SHAPE::TILE_N;
  constexpr int M_TILES = SHAPE::M_TILES, KEY_WARPS = SHAPE::KEY_WARPS;
//< kernel-begin
//> staging
  DYNAMIC_SHARED(uint8_t, shared);
  uint8_t *raw_k = shared;
  uint8_t *raw_v = shared + NUM_STAGES * SHAPE::TILE_BYTES;
//< staging

//> who-am-i
  const int thread = threadIdx.x;
  const int warp = thread / 32;
  const int lane = thread % 32;
  const int group = lane / 4, pair = lane % 4;  // see the drawing of an mma
  const int row_warp = warp % SHAPE::ROW_WARPS;
  const int key_warp = warp / SHAPE::ROW_WARPS;
  // Where later rows have more keys, they begin first.
  const int tile = USE_LATE_ROWS_FIRST && args.causal
                       ? gridDim.x - 1 - blockIdx.x
                       : blockIdx.x;
  const int block_row = tile * SHAPE::TILE_M;
  const int length = static_cast<int>(args.seq_len);
  const int end_key =
      args.causal ? min(length, block_row + SHAPE::TILE_M) : length;
  const int steps = (end_key + SHAPE::STEP_KEYS - 1) / SHAPE::STEP_KEYS;
  const int64_t head = blockIdx.z * args.heads + blockIdx.y;
  const int64_t kv_head = blockIdx.z * args.kv_heads +
                          blockIdx.y / (args.heads / args.kv_heads);
  const int first_row = block_row + row_warp * 16 * M_TILES;
  const int64_t head_start = head * args.seq_len * HEAD_DIM;
  // In powers of two: the exponential is one instruction then.
  const float score_scale = args.q_scale[head] * args.k_scale[kv_head] *
                            args.softmax_scale * LOG2_E;
//< who-am-i

//> copy-tile
  const int64_t kv_start = kv_head * args.seq_len * HEAD_DIM;
  const uint8_t *k = args.k + kv_start, *v = args.v + kv_start;
  const auto copy_tile = [&](int step) {
    const int slot = step % NUM_STAGES * SHAPE::TILE_BYTES;
    const int64_t first_key = static_cast<int64_t>(step) * SHAPE::STEP_KEYS;
    const int64_t keys = args.seq_len - first_key;
#pragma unroll
    for (int i = 0; i < SHAPE::PIECES; i++) {
      const int piece = thread + i * SHAPE::THREADS;
      const int row = piece / CHUNKS, chunk = piece % CHUNKS;
      const int to = slot + place<HEAD_DIM>(row, chunk);
      copy_codes<HEAD_DIM>(&raw_k[to], k + first_key * HEAD_DIM, row,
                           chunk * 16, keys);
      copy_codes<HEAD_DIM>(&raw_v[to], v + first_key * HEAD_DIM, row,
                           chunk * 16, keys);
    }
  };
//< copy-tile

//> load-q
  // Four neighbours of a row, d = 4 * pair and on, are two halves for k = 2 *
  // pair and two for k + 8: K's come in the same order.
  const uint8_t *q = args.q + head_start + int64_t{first_row} * HEAD_DIM;
  unsigned left_q[M_TILES][CHUNKS][4];
#pragma unroll
  for (int t = 0; t < M_TILES; t++)
#pragma unroll
    for (int c = 0; c < CHUNKS; c++)
#pragma unroll
      for (int r = 0; r < 2; r++) {
        const int row = 16 * t + group + 8 * r;
        unsigned codes = 0;
        if (first_row + row < length)
          codes = *reinterpret_cast<const unsigned *>(
              &q[row * HEAD_DIM + 16 * c + 4 * pair]);
        left_q[t][c][r] = widen_low(codes);
        left_q[t][c][2 + r] = widen_high(codes);
      }
//< load-q

//> state
  float m[M_TILES][2], l[M_TILES][2] = {};  // of two rows a lane
#pragma unroll
  for (int t = 0; t < M_TILES; t++) m[t][0] = m[t][1] = NONE;
  float out[M_TILES][HEAD_DIM / 8][4] = {};
//< state

//> first-copy
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
    const int first_key = step * SHAPE::STEP_KEYS + key_warp * TILE_N;
    const int keys = length - first_key;
    const int slot = step % NUM_STAGES * SHAPE::TILE_BYTES;
    __pipeline_wait_prior(NUM_STAGES - 2);
    __syncthreads();  // the tile is here, and the slot before it is free
    if (step + NUM_STAGES - 1 < steps) copy_tile(step + NUM_STAGES - 1);
    __pipeline_commit();  // empty at the end: the count above stays right
    if (KEY_WARPS > 1 && first_key >= end_key) continue;
//< load-kv

//> scores
    const int tile_row = key_warp * TILE_N;
    float score[M_TILES][TILE_N / 8][4] = {};
#pragma unroll
    for (int n = 0; n < TILE_N / 8; n++)
#pragma unroll
      for (int c = 0; c < CHUNKS; c += 4) {
        unsigned codes[4];
        ldmatrix_x4(codes,
                    &raw_k[slot + place<HEAD_DIM>(tile_row + 8 * n + lane % 8,
                                                  c + lane / 8)]);
#pragma unroll
        for (int i = 0; i < 4; i++) {
          const unsigned low = widen_low(codes[i]), high = widen_high(codes[i]);
#pragma unroll
          for (int t = 0; t < M_TILES; t++)
            mma_m16n8k16(score[t][n], left_q[t][c + i], low, high);
        }
      }
//< scores

//> mask
    const bool on_diagonal = args.causal && first_key + TILE_N > first_row + 1;
    if (keys < TILE_N || on_diagonal) {
#pragma unroll
      for (int t = 0; t < M_TILES; t++)
#pragma unroll
        for (int n = 0; n < TILE_N / 8; n++)
#pragma unroll
          for (int i = 0; i < 4; i++) {
            const int key = 8 * n + 2 * pair + i % 2;
            const int row = 16 * t + group + i / 2 * 8;
            if (key >= keys ||
                (args.causal && first_key + key > first_row + row))
              score[t][n][i] = -INFINITY;
          }
    }
//< mask

//> softmax
#pragma unroll
    for (int t = 0; t < M_TILES; t++)
#pragma unroll
      for (int r = 0; r < 2; r++) {
        float highest = NONE;
#pragma unroll
        for (int n = 0; n < TILE_N / 8; n++)
          highest = fmaxf(highest, fmaxf(score[t][n][2 * r],
                                         score[t][n][2 * r + 1]));
        const float m_new = fmaxf(m[t][r], quad_max(highest) * score_scale);
        const float rescale = exp2_approx(m[t][r] - m_new);
        m[t][r] = m_new;
        l[t][r] *= rescale;
#pragma unroll
        for (int n = 0; n < TILE_N / 8; n++)
#pragma unroll
          for (int i = 2 * r; i < 2 * r + 2; i++) {
            float &s = score[t][n][i];
            s = exp2_approx(fmaf(s, score_scale, -m_new));
            l[t][r] += s;
          }
#pragma unroll
        for (int n = 0; n < HEAD_DIM / 8; n++) {
          out[t][n][2 * r] *= rescale;
          out[t][n][2 * r + 1] *= rescale;
        }
      }
//< softmax

//> p-times-v
#pragma unroll
    for (int j = 0; j < TILE_N / 16; j++) {
      unsigned left_p[M_TILES][4];
#pragma unroll
      for (int t = 0; t < M_TILES; t++)
#pragma unroll
        for (int i = 0; i < 4; i++) {
          const float *two = &score[t][2 * j + i / 2][i % 2 * 2];
          left_p[t][i] = bits_of(__floats2half2_rn(two[0], two[1]));
        }
#pragma unroll
      for (int c = 0; c < CHUNKS; c += 2) {
        unsigned codes[4];  // chunk c: keys 0 to 7, 8 to 15; chunk c + 1
        ldmatrix_x4_trans(
            codes, &raw_v[slot + place<HEAD_DIM>(tile_row + 16 * j + lane % 16,
                                                 c + lane / 16)]);
#pragma unroll
        for (int i = 0; i < 4; i++)  // two keys of d, then two of d + 1
          codes[i] = __byte_perm(codes[i], 0, 0x3120);
#pragma unroll
        for (int i = 0; i < 2; i++) {
          const unsigned even[2] = {widen_low(codes[2 * i]),
                                    widen_low(codes[2 * i + 1])};
          const unsigned odd[2] = {widen_high(codes[2 * i]),
                                   widen_high(codes[2 * i + 1])};
#pragma unroll
          for (int t = 0; t < M_TILES; t++) {
            mma_m16n8k16(out[t][2 * (c + i)], left_p[t], even[0], even[1]);
            mma_m16n8k16(out[t][2 * (c + i) + 1], left_p[t], odd[0], odd[1]);
          }
        }
      }
    }
//< p-times-v
//> end-of-step
  }
//< end-of-step

//> normalise
  const float v_scale = args.v_scale[kv_head];
#pragma unroll
  for (int t = 0; t < M_TILES; t++)
#pragma unroll
    for (int r = 0; r < 2; r++) l[t][r] = quad_sum(l[t][r]);
//< normalise
//> store-output
  // A lane holds d = 4 * pair to 4 * pair + 3 of each chunk: even, odd, even,
  // odd.
  uint16_t *o = args.o + head_start;
  const auto four_of = [&](int t, int r, int c) {
    const float *even = &out[t][2 * c][2 * r], *odd = &out[t][2 * c + 1][2 * r];
    return make_float4(even[0], odd[0], even[1], odd[1]);
  };
  const auto store_four = [&](int row, int column, float4 x, float factor) {
    if (row >= length) return;
    x = {x.x * factor, x.y * factor, x.z * factor, x.w * factor};
    *reinterpret_cast<uint64_t *>(&o[int64_t{row} * HEAD_DIM + column]) =
        four_halves(x);
  };
  if (KEY_WARPS == 1) {
#pragma unroll
    for (int t = 0; t < M_TILES; t++)
#pragma unroll
      for (int r = 0; r < 2; r++)
#pragma unroll
        for (int c = 0; c < CHUNKS; c++)
          store_four(first_row + 16 * t + group + 8 * r, 16 * c + 4 * pair,
                     four_of(t, r, c), v_scale / l[t][r]);
    return;
  }
//< store-output

//> put-down
  // Each warp has seen its own keys only. What it has of its rows takes the
  // place of K and V.
  __pipeline_wait_prior(0);
  __syncthreads();
  auto *all_out = reinterpret_cast<float *>(shared);
  float *all_m = all_out + KEY_WARPS * SHAPE::TILE_M * SHAPE::LD_O;
  float *all_l = all_m + KEY_WARPS * SHAPE::TILE_M;
#pragma unroll
  for (int t = 0; t < M_TILES; t++)
#pragma unroll
    for (int r = 0; r < 2; r++) {
      const int row = key_warp * SHAPE::TILE_M + (row_warp * M_TILES + t) * 16 +
                      group + 8 * r;
      if (pair == 0) {
        all_m[row] = m[t][r];
        all_l[row] = l[t][r];
      }
#pragma unroll
      for (int c = 0; c < CHUNKS; c++)
        *reinterpret_cast<float4 *>(
            &all_out[row * SHAPE::LD_O + 16 * c + 4 * pair]) = four_of(t, r, c);
    }
  __syncthreads();
//< put-down
//> combine
  for (int i = thread; i < SHAPE::TILE_M * HEAD_DIM / 4; i += SHAPE::THREADS) {
    const int row = i / (HEAD_DIM / 4), column = i % (HEAD_DIM / 4) * 4;
    float m_all = NONE, l_all = 0.0f;
#pragma unroll
    for (int w = 0; w < KEY_WARPS; w++)
      m_all = fmaxf(m_all, all_m[w * SHAPE::TILE_M + row]);
    float4 sum = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll
    for (int w = 0; w < KEY_WARPS; w++) {
      const int at = w * SHAPE::TILE_M + row;
      const float rescale = exp2_approx(all_m[at] - m_all);
      const float4 part = *reinterpret_cast<const float4 *>(
          &all_out[at * SHAPE::LD_O + column]);
      l_all += rescale * all_l[at];
      sum.x += rescale * part.x;
      sum.y += rescale * part.y;
      sum.z += rescale * part.z;
      sum.w += rescale * part.w;
    }
    store_four(block_row + row, column, sum, v_scale / l_all);
  }
}
//< combine

//> launch-shape
template <typename SHAPE>
static cudaError_t launch(const attention_args &args, cudaStream_t stream) {
  const dim3 grid(
      static_cast<unsigned>((args.seq_len + SHAPE::TILE_M - 1) / SHAPE::TILE_M),
      static_cast<unsigned>(args.heads), static_cast<unsigned>(args.batch));
  const cudaError_t error = cudaFuncSetAttribute(
      reinterpret_cast<const void *>(attention_kernel<SHAPE>),
      cudaFuncAttributeMaxDynamicSharedMemorySize, SHAPE::SHARED_BYTES);
  if (error) return error;
  LAUNCH(attention_kernel<SHAPE>, grid, SHAPE::THREADS, SHAPE::SHARED_BYTES,
         stream, args);
  return cudaGetLastError();
}
//< launch-shape

//> launch
extern "C" const attention_support stage_support = {
    {64, 128}, TAKES_CAUSAL | TAKES_GROUPED, P_HALF};
extern "C" const char stage_toggles[] =
    TOGGLE(USE_LATE_ROWS_FIRST) " " TOGGLE(NUM_STAGES);

// HEAD_DIM, M_TILES, ROW_WARPS, KEY_WARPS, TILE_N, blocks on a multiprocessor
using wide_64 = block_shape<64, 2, 4, 1, 64, 2>;
using wide_128 = block_shape<128, 1, 4, 1, 64, 2>;
using split_64 = block_shape<64, 1, 2, 4, 64, 1>;
using split_128 = block_shape<128, 1, 2, 4, 32, 1>;

// Where half of the multiprocessors would have no block, the keys are split.
template <typename WIDE, typename SPLIT>
static cudaError_t choose(const attention_args &args, cudaStream_t stream) {
  int device = 0, multiprocessors = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (!error)
    error = cudaDeviceGetAttribute(&multiprocessors,
                                   cudaDevAttrMultiProcessorCount, device);
  if (error) return error;
  const int64_t blocks = (args.seq_len + WIDE::TILE_M - 1) / WIDE::TILE_M *
                         args.heads * args.batch;
  if (2 * blocks <= multiprocessors) return launch<SPLIT>(args, stream);
  return launch<WIDE>(args, stream);
}

extern "C" cudaError_t stage_launch(const attention_args *args,
                                    cudaStream_t stream) {
  if (!attention_supports(&stage_support, args)) return cudaErrorInvalidValue;
  if (args->head_dim == 64) return choose<wide_64, split_64>(*args, stream);
  return choose<wide_128, split_128>(*args, stream);
}
//< launch
