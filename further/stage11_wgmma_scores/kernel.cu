//> includes
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "common/device/interface/attention.h"
#include "common/device/ptx/e4m3.cuh"
#include "common/device/ptx/exp2.cuh"
#include "common/device/interface/launch.cuh"
#include "common/device/ptx/ldmatrix.cuh"
#include "common/device/ptx/mma.cuh"
#include "common/device/ptx/tma.cuh"
#include "common/device/ptx/wgmma.cuh"
//< includes

//> toggles
// architectures: 90a
// toggle NUM_STAGES: 2 3 4 (detail)
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

// A block: ROW_GROUPS times KEY_GROUPS warpgroups of four warps. Each has 64
// rows, and TILE_N keys of each step.
template <int DIM, int ROWS, int KEYS, int N, int BLOCKS>
struct block_shape {
  static constexpr int HEAD_DIM = DIM, TILE_N = N;
  static constexpr int ROW_GROUPS = ROWS, KEY_GROUPS = KEYS;
  static constexpr int THREADS = 128 * ROWS * KEYS, BLOCKS_ON_SM = BLOCKS;
  static constexpr int TILE_M = 64 * ROWS;
  static constexpr int STEP_KEYS = TILE_N * KEYS;
  static constexpr int CHUNKS = HEAD_DIM / 16;  // of 16 codes, in a row
  static constexpr int Q_BYTES = TILE_M * HEAD_DIM;
  static constexpr int TILE_BYTES = STEP_KEYS * HEAD_DIM;
  static constexpr int RING_BYTES = NUM_STAGES * 2 * TILE_BYTES;  // K and V
  static constexpr int LD_O = HEAD_DIM + 16;  // floats from row to row
  static constexpr int COMBINE_BYTES =
      KEYS == 1 ? 0 : KEYS * TILE_M * (LD_O + 2) * 4;
  static constexpr int TILES_BYTES = Q_BYTES + RING_BYTES > COMBINE_BYTES
                                         ? Q_BYTES + RING_BYTES
                                         : COMBINE_BYTES;
  static constexpr int SHARED_BYTES = TILES_BYTES + 8 * (1 + NUM_STAGES);
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

//> kernel-begin
template <typename SHAPE>
__global__ void __launch_bounds__(SHAPE::THREADS, SHAPE::BLOCKS_ON_SM)
    attention_kernel(attention_args args, tensor_strides o_strides,
                     const __grid_constant__ CUtensorMap q_map,
                     const __grid_constant__ CUtensorMap k_map,
                     const __grid_constant__ CUtensorMap v_map) {
  constexpr int HEAD_DIM = SHAPE::HEAD_DIM, CHUNKS = SHAPE::CHUNKS;
  constexpr int TILE_N = SHAPE::TILE_N, KEY_GROUPS = SHAPE::KEY_GROUPS;
//< kernel-begin
//> staging
  DYNAMIC_SHARED(uint8_t, shared);
  uint8_t *tile_q = shared;
  uint8_t *raw_k = tile_q + SHAPE::Q_BYTES;
  uint8_t *raw_v = raw_k + NUM_STAGES * SHAPE::TILE_BYTES;
  auto *q_full = reinterpret_cast<uint64_t *>(shared + SHAPE::TILES_BYTES);
  uint64_t *full = q_full + 1;
//< staging

//> who-am-i
  const int thread = threadIdx.x;
  const int lane = thread % 32;
  // From one lane: so the compiler knows that all of the warp agree on it.
  const int warp = __shfl_sync(ALL_LANES, thread / 32, 0);
  const int group = lane / 4, pair = lane % 4;  // see the drawing of an mma
  const int row_group = warp / 4 % SHAPE::ROW_GROUPS;
  const int key_group = warp / 4 / SHAPE::ROW_GROUPS;
  // Where later rows have more keys, they begin first.
  const int tile = args.causal ? gridDim.x - 1 - blockIdx.x : blockIdx.x;
  const int block_row = tile * SHAPE::TILE_M;
  const int length = static_cast<int>(args.seq_len);
  const int end_key =
      args.causal ? min(length, block_row + SHAPE::TILE_M) : length;
  const int steps = (end_key + SHAPE::STEP_KEYS - 1) / SHAPE::STEP_KEYS;
  const int64_t head = blockIdx.z * args.heads + blockIdx.y;
  const int kv_head_of_batch = blockIdx.y / (args.heads / args.kv_heads);
  const int64_t kv_head = blockIdx.z * args.kv_heads + kv_head_of_batch;
  const int first_row = block_row + 64 * row_group + warp % 4 * 16;
  // In powers of two: the exponential is one instruction then.
  const float score_scale =
      args.q_scale[head] * args.k_scale[kv_head] * args.softmax_scale * LOG2_E;
//< who-am-i

//> copy-tile
  // One thread starts the copy of K and V; their bytes count at the barrier.
  const auto copy_tile = [&](int step) {
    const int slot = step % NUM_STAGES;
    mbarrier_arrive_expecting(&full[slot], 2 * SHAPE::TILE_BYTES);
    tma_load(raw_k + slot * SHAPE::TILE_BYTES, k_map, &full[slot],
             step * SHAPE::STEP_KEYS, kv_head_of_batch, blockIdx.z);
    tma_load(raw_v + slot * SHAPE::TILE_BYTES, v_map, &full[slot],
             step * SHAPE::STEP_KEYS, kv_head_of_batch, blockIdx.z);
  };
//< copy-tile

//> first-copy
  if (thread == 0) {
    for (int i = 0; i < 1 + NUM_STAGES; i++) mbarrier_init(&q_full[i], 1);
    fence_async_proxy();
    mbarrier_arrive_expecting(q_full, SHAPE::Q_BYTES);
    tma_load(tile_q, q_map, q_full, block_row, blockIdx.y, blockIdx.z);
    for (int step = 0; step < NUM_STAGES - 1 && step < steps; step++)
      copy_tile(step);
  }
  __syncthreads();  // the barriers are there for all
  mbarrier_wait(q_full, 0);
//< first-copy

//> load-q
  // What wgmma reads is in shared memory: a description of where is enough.
  const wgmma_tile my_q =
      wgmma_tile_at<HEAD_DIM>(tile_q + 64 * row_group * HEAD_DIM, 0);
  const wgmma_tile my_k =
      wgmma_tile_at<HEAD_DIM>(raw_k + key_group * TILE_N * HEAD_DIM, 0);
//< load-q

//> state
  float m[2] = {NONE, NONE}, l[2] = {};  // of two rows a lane
  float out[HEAD_DIM / 8][4] = {};
//< state

//> main-loop
  for (int step = 0; step < steps; step++) {
//< main-loop
//> load-kv
    const int first_key = step * SHAPE::STEP_KEYS + key_group * TILE_N;
    const int keys = length - first_key;
    const int slot = step % NUM_STAGES * SHAPE::TILE_BYTES;
    mbarrier_wait(&full[step % NUM_STAGES], step / NUM_STAGES % 2);
    __syncthreads();  // nobody reads the slot before it any more
    if (thread == 0 && step + NUM_STAGES - 1 < steps)
      copy_tile(step + NUM_STAGES - 1);
    if (KEY_GROUPS > 1 && first_key >= end_key) continue;
//< load-kv

//> scores
    float score[TILE_N / 8][4];
    wgmma_fence(score);
#pragma unroll
    for (int c = 0; c < HEAD_DIM / 32; c++)
      wgmma_m64k32(score, wgmma_further(my_q, 32 * c),
                   wgmma_further(my_k, slot + 32 * c), c > 0);
    wgmma_commit();
    wgmma_wait<0>(score);
//< scores

//> mask
    const bool on_diagonal = args.causal && first_key + TILE_N > first_row + 1;
    if (keys < TILE_N || on_diagonal) {
#pragma unroll
      for (int n = 0; n < TILE_N / 8; n++)
#pragma unroll
        for (int i = 0; i < 4; i++) {
          const int key = 8 * n + 2 * pair + i % 2;
          const int row = group + i / 2 * 8;
          if (key >= keys || (args.causal && first_key + key > first_row + row))
            score[n][i] = -INFINITY;
        }
    }
//< mask

//> softmax
#pragma unroll
    for (int r = 0; r < 2; r++) {
      float highest = NONE;
#pragma unroll
      for (int n = 0; n < TILE_N / 8; n++)
        highest = fmaxf(highest, fmaxf(score[n][2 * r], score[n][2 * r + 1]));
      const float m_new = fmaxf(m[r], quad_max(highest) * score_scale);
      const float rescale = exp2_approx(m[r] - m_new);
      m[r] = m_new;
      l[r] *= rescale;
#pragma unroll
      for (int n = 0; n < TILE_N / 8; n++)
#pragma unroll
        for (int i = 2 * r; i < 2 * r + 2; i++) {
          float &s = score[n][i];
          s = exp2_approx(fmaf(s, score_scale, -m_new));
          l[r] += s;
        }
#pragma unroll
      for (int n = 0; n < HEAD_DIM / 8; n++) {
        out[n][2 * r] *= rescale;
        out[n][2 * r + 1] *= rescale;
      }
    }
//< softmax

//> p-times-v
    const int tile_row = key_group * TILE_N;
#pragma unroll
    for (int j = 0; j < TILE_N / 16; j++) {
      unsigned left_p[4];
#pragma unroll
      for (int i = 0; i < 4; i++) {
        const float *two = &score[2 * j + i / 2][i % 2 * 2];
        left_p[i] = bits_of(__floats2half2_rn(two[0], two[1]));
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
          mma_m16n8k16(out[2 * (c + i)], left_p, even[0], even[1]);
          mma_m16n8k16(out[2 * (c + i) + 1], left_p, odd[0], odd[1]);
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
  for (int r = 0; r < 2; r++) l[r] = quad_sum(l[r]);
//< normalise
//> store-output
  // A lane holds d = 4 * pair to 4 * pair + 3 of each chunk: even, odd, even,
  // odd.
  uint16_t *o =
      args.o + blockIdx.z * o_strides.batch + blockIdx.y * o_strides.head;
  const auto four_of = [&](int r, int c) {
    const float *even = &out[2 * c][2 * r], *odd = &out[2 * c + 1][2 * r];
    return make_float4(even[0], odd[0], even[1], odd[1]);
  };
  const auto store_four = [&](int row, int column, float4 x, float factor) {
    if (row >= length) return;
    x = {x.x * factor, x.y * factor, x.z * factor, x.w * factor};
    *reinterpret_cast<uint64_t *>(&o[row * o_strides.row + column]) =
        four_halves(x);
  };
  if (KEY_GROUPS == 1) {
#pragma unroll
    for (int r = 0; r < 2; r++)
#pragma unroll
      for (int c = 0; c < CHUNKS; c++)
        store_four(first_row + group + 8 * r, 16 * c + 4 * pair, four_of(r, c),
                   v_scale / l[r]);
    return;
  }
//< store-output

//> put-down
  // Each warp has seen its own keys only. What it has of its rows takes the
  // place of K and V.
  __syncthreads();
  auto *all_out = reinterpret_cast<float *>(shared);
  float *all_m = all_out + KEY_GROUPS * SHAPE::TILE_M * SHAPE::LD_O;
  float *all_l = all_m + KEY_GROUPS * SHAPE::TILE_M;
#pragma unroll
  for (int r = 0; r < 2; r++) {
    const int row =
        key_group * SHAPE::TILE_M + first_row - block_row + group + 8 * r;
    if (pair == 0) {
      all_m[row] = m[r];
      all_l[row] = l[r];
    }
#pragma unroll
    for (int c = 0; c < CHUNKS; c++)
      *reinterpret_cast<float4 *>(
          &all_out[row * SHAPE::LD_O + 16 * c + 4 * pair]) = four_of(r, c);
  }
  __syncthreads();
//< put-down
//> combine
  for (int i = thread; i < SHAPE::TILE_M * HEAD_DIM / 4; i += SHAPE::THREADS) {
    const int row = i / (HEAD_DIM / 4), column = i % (HEAD_DIM / 4) * 4;
    float m_all = NONE, l_all = 0.0f;
#pragma unroll
    for (int w = 0; w < KEY_GROUPS; w++)
      m_all = fmaxf(m_all, all_m[w * SHAPE::TILE_M + row]);
    float4 sum = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll
    for (int w = 0; w < KEY_GROUPS; w++) {
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
  const attention_strides strides =
      args.strides ? *args.strides : contiguous_strides(&args);
  CUtensorMap q_map, k_map, v_map;
  cudaError_t error =
      tensor_map(&q_map, args.q, SHAPE::HEAD_DIM, args.seq_len, args.heads,
                 args.batch, strides.q, SHAPE::TILE_M);
  if (!error)
    error = tensor_map(&k_map, args.k, SHAPE::HEAD_DIM, args.seq_len,
                       args.kv_heads, args.batch, strides.k, SHAPE::STEP_KEYS);
  if (!error)
    error = tensor_map(&v_map, args.v, SHAPE::HEAD_DIM, args.seq_len,
                       args.kv_heads, args.batch, strides.v, SHAPE::STEP_KEYS);
  if (!error)
    error = cudaFuncSetAttribute(
        reinterpret_cast<const void *>(attention_kernel<SHAPE>),
        cudaFuncAttributeMaxDynamicSharedMemorySize, SHAPE::SHARED_BYTES);
  if (error) return error;
  LAUNCH(attention_kernel<SHAPE>, grid, SHAPE::THREADS, SHAPE::SHARED_BYTES,
         stream, args, strides.o, q_map, k_map, v_map);
  return cudaGetLastError();
}
//< launch-shape

//> launch
extern "C" const attention_support stage_support = {
    {64, 128}, TAKES_CAUSAL | TAKES_GROUPED | TAKES_STRIDES,
    P_HALF_SHORT_SCORES};
extern "C" const char stage_toggles[] = TOGGLE(NUM_STAGES);

// HEAD_DIM, ROW_GROUPS, KEY_GROUPS, TILE_N, blocks on a multiprocessor
using wide_64 = block_shape<64, 2, 1, 64, 2>;
using wide_128 = block_shape<128, 3, 1, 64, 1>;
using split_64 = block_shape<64, 1, 4, 64, 1>;
using split_128 = block_shape<128, 1, 2, 64, 1>;

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
