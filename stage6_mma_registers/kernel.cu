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
// toggle USE_FP8_MMA: 0 1
#ifndef USE_FP8_MMA
#define USE_FP8_MMA 0
#endif
// toggle USE_SPLIT_KEYS: 0 1 2
#ifndef USE_SPLIT_KEYS
#define USE_SPLIT_KEYS 1
#endif
// toggle USE_XOR_SWIZZLE: 0 1
#ifndef USE_XOR_SWIZZLE
#define USE_XOR_SWIZZLE 1
#endif
// toggle USE_BYTE_LOADS: 0 1 (detail)
#ifndef USE_BYTE_LOADS
#define USE_BYTE_LOADS 0
#endif
// toggle USE_BIT_WIDENING: 0 1 (detail)
#ifndef USE_BIT_WIDENING
#define USE_BIT_WIDENING 0
#endif
#if USE_FP8_MMA && (USE_BYTE_LOADS || USE_BIT_WIDENING)
#error "USE_FP8_MMA=1 needs USE_BYTE_LOADS=0 and USE_BIT_WIDENING=0"
#endif
// toggle WARP_TILES: 1 2 (detail)
#ifndef WARP_TILES
#define WARP_TILES 2
#endif
// toggle NUM_STAGES: 2 3 (detail)
#ifndef NUM_STAGES
#define NUM_STAGES 2
#endif
//< toggles

//> sizes
constexpr unsigned ALL_LANES = 0xffffffff;
constexpr float LOG2_E = 1.4426950408889634f;
constexpr float NONE = -1e30f;  // a score that counts for nothing
// What widening by bits leaves out of each factor: see widen_by_bits.
constexpr float LEFT_OUT = USE_BIT_WIDENING ? 256.0f : 1.0f;
// E4M3 is finest, relatively, between 2^-6 and 448: P comes times 2^8.
constexpr float P_SHIFT = USE_FP8_MMA ? 8.0f : 0.0f;

// A block: ROW_WARPS times KEY_WARPS warps. Each has M_TILES times 16 rows, and
// TILE_N keys of each step.
template <int DIM, int TILES, int ROWS, int KEYS, int N, int BLOCKS>
struct block_shape {
  static constexpr int HEAD_DIM = DIM, M_TILES = TILES, ROW_WARPS = ROWS,
                       KEY_WARPS = KEYS, TILE_N = N;
  static constexpr int THREADS = 32 * ROW_WARPS * KEY_WARPS;
  static constexpr int BLOCKS_ON_SM = BLOCKS;
  static constexpr int TILE_M = 16 * M_TILES * ROW_WARPS;
  static constexpr int STEP_KEYS = TILE_N * KEY_WARPS;
  static constexpr int CHUNKS = HEAD_DIM / 16;  // of 16 codes, in a row
  static constexpr int STAGE_BYTES = 2 * STEP_KEYS * HEAD_DIM;  // K and V
  static constexpr int LD_O = HEAD_DIM + 4;  // floats from row to row
  static constexpr int COMBINE_BYTES =
      KEY_WARPS == 1 ? 0 : KEY_WARPS * TILE_M * (LD_O + 2) * 4;
  static constexpr int SHARED_BYTES = NUM_STAGES * STAGE_BYTES > COMBINE_BYTES
                                          ? NUM_STAGES * STAGE_BYTES
                                          : COMBINE_BYTES;
};
//< sizes

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

//> bits
__device__ unsigned bits_of(__half2 x) {
  return *reinterpret_cast<unsigned *>(&x);
}
//< bits

//> widen-two
#if USE_BIT_WIDENING
// Sign to sign, the rest one bit to the right: 2^-8 of the value, since the
// exponents' biases are 7 and 15.
__device__ unsigned widen_by_bits(unsigned codes, unsigned select) {
  const unsigned apart = __byte_perm(codes, 0, select);
  return (apart & 0x80008000) | (apart >> 1 & 0x3f803f80);
}
__device__ unsigned widen_first(unsigned x) { return widen_by_bits(x, 0x1404); }
__device__ unsigned widen_last(unsigned x) { return widen_by_bits(x, 0x3424); }
#else
__device__ unsigned widen_first(unsigned x) { return widen_low(x); }
__device__ unsigned widen_last(unsigned x) { return widen_high(x); }
#endif
//< widen-two

//> narrow-four
// Four numbers become E4M3 codes, the first in the lowest byte.
__device__ unsigned narrow_four(float a, float b, float c, float d) {
  const unsigned low = __nv_cvt_float2_to_fp8x2(make_float2(a, b),
                                                __NV_SATFINITE, __NV_E4M3);
  const unsigned high = __nv_cvt_float2_to_fp8x2(make_float2(c, d),
                                                 __NV_SATFINITE, __NV_E4M3);
  return high << 16 | low;
}
//< narrow-four

//> place
// Where the 16 codes at row, chunk of a tile lie. Eight rows of one chunk,
// which ldmatrix reads at once, are on different banks.
template <int HEAD_DIM>
__device__ int place(int row, int chunk) {
#if USE_XOR_SWIZZLE
  chunk ^= HEAD_DIM == 64 ? row / 2 % 4 : row % 8;
#endif
  return row * HEAD_DIM + chunk * 16;
}
//< place

//> kernel-begin
template <typename SHAPE>
__global__ void __launch_bounds__(SHAPE::THREADS, SHAPE::BLOCKS_ON_SM)
    attention_kernel(attention_args args) {
  constexpr int HEAD_DIM = SHAPE::HEAD_DIM, M_TILES = SHAPE::M_TILES;
  constexpr int TILE_N = SHAPE::TILE_N, CHUNKS = SHAPE::CHUNKS;
  DYNAMIC_SHARED(uint8_t, shared);
//< kernel-begin

//> who-am-i
  const int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
  const int group = lane / 4, pair = lane % 4;  // rows and columns of an mma
  const int row_warp = warp % SHAPE::ROW_WARPS;
  const int key_warp = warp / SHAPE::ROW_WARPS;
  const int length = static_cast<int>(args.seq_len);
  const bool causal = args.causal;
  // Where later rows have more keys, they begin first.
  const int tile = causal ? gridDim.x - 1 - blockIdx.x : blockIdx.x;
  const int first_row = (tile * SHAPE::ROW_WARPS + row_warp) * 16 * M_TILES;
  const int64_t head = blockIdx.z * args.heads + blockIdx.y;
  const int64_t kv_head = blockIdx.z * args.kv_heads +
                          blockIdx.y / (args.heads / args.kv_heads);
  const uint8_t *q = args.q + head * length * HEAD_DIM;
  const uint8_t *k = args.k + kv_head * length * HEAD_DIM;
  const uint8_t *v = args.v + kv_head * length * HEAD_DIM;
  // Scores come in powers of two: one multiplication for four scales.
  const float score_scale = args.q_scale[head] * args.k_scale[kv_head] *
                            args.softmax_scale * LOG2_E * LEFT_OUT * LEFT_OUT;
  const int keys = causal ? min(length, (tile + 1) * SHAPE::TILE_M) : length;
  const int steps = (keys + SHAPE::STEP_KEYS - 1) / SHAPE::STEP_KEYS;
//< who-am-i

//> copy-step
  // Starts the copy of a step's keys; zeros for keys past the end.
  const auto copy_step = [&](int step) {
    if (step < steps) {
      uint8_t *stage = shared + step % NUM_STAGES * SHAPE::STAGE_BYTES;
#pragma unroll
      for (int i = 0; i < SHAPE::STEP_KEYS * CHUNKS / SHAPE::THREADS; i++) {
        const int piece = thread + i * SHAPE::THREADS;
        const int row = piece / CHUNKS, chunk = piece % CHUNKS;
        const int key = step * SHAPE::STEP_KEYS + row;
        const int past = key < length ? 0 : 16;
        const int64_t from =
            static_cast<int64_t>(past ? 0 : key) * HEAD_DIM + chunk * 16;
        uint8_t *to = stage + place<HEAD_DIM>(row, chunk);
        __pipeline_memcpy_async(to, k + from, 16, past);
        __pipeline_memcpy_async(to + SHAPE::STAGE_BYTES / 2, v + from, 16,
                                past);
      }
    }
    __pipeline_commit();
  };
#pragma unroll
  for (int i = 0; i < NUM_STAGES - 1; i++) copy_step(i);
//< copy-step

//> load-q
  // Four neighbours of a row, d = 4 * pair and on, are two halves for k = 2 *
  // pair and two for k + 8: K's registers come in the same order.
#if USE_FP8_MMA
  unsigned left_q[M_TILES][CHUNKS / 2][4];
#else
  unsigned left_q[M_TILES][CHUNKS][4];
#endif
#pragma unroll
  for (int m = 0; m < M_TILES; m++)
#pragma unroll
    for (int half = 0; half < 2; half++) {
      const int row = first_row + 16 * m + group + 8 * half;
      const uint8_t *from = q + static_cast<int64_t>(row) * HEAD_DIM + 4 * pair;
#pragma unroll
      for (int c = 0; c < CHUNKS; c++) {
        unsigned codes = 0;
        if (row < length)
          codes = *reinterpret_cast<const unsigned *>(from + 16 * c);
#if USE_FP8_MMA
        left_q[m][c / 2][c % 2 * 2 + half] = codes;
#else
        left_q[m][c][half] = widen_first(codes);
        left_q[m][c][2 + half] = widen_last(codes);
#endif
      }
    }
//< load-q

//> state
  float o[M_TILES][HEAD_DIM / 8][4] = {};
  float row_max[M_TILES][2], row_sum[M_TILES][2];
#pragma unroll
  for (int m = 0; m < M_TILES; m++)
#pragma unroll
    for (int half = 0; half < 2; half++) {
      row_max[m][half] = NONE;
      row_sum[m][half] = 0.0f;
    }
//< state

//> step-begin
  for (int step = 0; step < steps; step++) {
    __pipeline_wait_prior(NUM_STAGES - 2);
    __syncthreads();  // the copies of all, and the slot to copy into is free
    copy_step(step + NUM_STAGES - 1);
    const int first_key = step * SHAPE::STEP_KEYS + key_warp * TILE_N;
    if (SHAPE::KEY_WARPS > 1 && first_key >= keys) continue;
    const uint8_t *tile_k = shared + step % NUM_STAGES * SHAPE::STAGE_BYTES;
    const uint8_t *tile_v = tile_k + SHAPE::STAGE_BYTES / 2;
    const int tile_row = key_warp * TILE_N;
//< step-begin

//> scores
    float s[M_TILES][TILE_N / 8][4] = {};
#pragma unroll
    for (int n = 0; n < TILE_N / 8; n++)
#pragma unroll
      for (int c = 0; c < CHUNKS; c += 4) {
        unsigned codes[4];
        ldmatrix_x4(codes, tile_k + place<HEAD_DIM>(tile_row + 8 * n + lane % 8,
                                                    c + lane / 8));
#if USE_FP8_MMA
#pragma unroll
        for (int i = 0; i < 4; i += 2)
#pragma unroll
          for (int m = 0; m < M_TILES; m++)
            mma_m16n8k32(s[m][n], left_q[m][(c + i) / 2], codes[i],
                         codes[i + 1]);
#else
#pragma unroll
        for (int i = 0; i < 4; i++) {
          const unsigned low = widen_first(codes[i]);
          const unsigned high = widen_last(codes[i]);
#pragma unroll
          for (int m = 0; m < M_TILES; m++)
            mma_m16n8k16(s[m][n], left_q[m][c + i], low, high);
        }
#endif
      }
//< scores

//> mask
    if (first_key + TILE_N > length ||
        (causal && first_key + TILE_N > first_row + 1)) {
#pragma unroll
      for (int m = 0; m < M_TILES; m++)
#pragma unroll
        for (int n = 0; n < TILE_N / 8; n++)
#pragma unroll
          for (int i = 0; i < 4; i++) {
            const int key = first_key + 8 * n + 2 * pair + i % 2;
            const int row = first_row + 16 * m + group + i / 2 * 8;
            if (key >= length || (causal && key > row)) s[m][n][i] = NONE;
          }
    }
//< mask

//> softmax
    // P takes the place of the scores, in the order of a left operand.
#pragma unroll
    for (int m = 0; m < M_TILES; m++)
#pragma unroll
      for (int half = 0; half < 2; half++) {
        float highest = s[m][0][2 * half];
#pragma unroll
        for (int n = 0; n < TILE_N / 8; n++)
          highest = fmaxf(highest,
                          fmaxf(s[m][n][2 * half], s[m][n][2 * half + 1]));
        const float before = row_max[m][half];
        const float now = fmaxf(before, quad_max(highest) * score_scale);
        const float rescale = exp2_approx(before - now);
        float sum = 0.0f;
#pragma unroll
        for (int n = 0; n < TILE_N / 8; n++)
#pragma unroll
          for (int i = 2 * half; i < 2 * half + 2; i++) {
            s[m][n][i] =
                exp2_approx(fmaf(s[m][n][i], score_scale, P_SHIFT - now));
            sum += s[m][n][i];
          }
        row_max[m][half] = now;
        row_sum[m][half] = row_sum[m][half] * rescale + sum;
#pragma unroll
        for (int n = 0; n < HEAD_DIM / 8; n++) {
          o[m][n][2 * half] *= rescale;
          o[m][n][2 * half + 1] *= rescale;
        }
      }
//< softmax

//> pv
#if !USE_FP8_MMA
#pragma unroll
    for (int j = 0; j < TILE_N / 16; j++) {
      unsigned left_p[M_TILES][4];
#pragma unroll
      for (int m = 0; m < M_TILES; m++)
#pragma unroll
        for (int i = 0; i < 4; i++) {
          const float *two = &s[m][2 * j + i / 2][i % 2 * 2];
          left_p[m][i] = bits_of(__floats2half2_rn(two[0], two[1]));
        }
#pragma unroll
      for (int c = 0; c < CHUNKS; c += 2) {
        unsigned codes[4];  // chunk c: keys 0 to 7, 8 to 15; chunk c + 1
#if USE_BYTE_LOADS
#pragma unroll
        for (int i = 0; i < 4; i++) {
          const int key = tile_row + 16 * j + i % 2 * 8 + 2 * pair;
          const uint8_t *one =
              tile_v + place<HEAD_DIM>(key, c + i / 2) + 2 * group;
          const uint8_t *next =
              tile_v + place<HEAD_DIM>(key + 1, c + i / 2) + 2 * group;
          codes[i] = one[0] | next[0] << 8 | one[1] << 16 |
                     static_cast<unsigned>(next[1]) << 24;
        }
#else
        ldmatrix_x4_trans(
            codes, tile_v + place<HEAD_DIM>(tile_row + 16 * j + lane % 16,
                                            c + lane / 16));
#pragma unroll
        for (int i = 0; i < 4; i++)  // two keys of d, then two of d + 1
          codes[i] = __byte_perm(codes[i], 0, 0x3120);
#endif
#pragma unroll
        for (int i = 0; i < 2; i++) {
          const unsigned even[2] = {widen_first(codes[2 * i]),
                                    widen_first(codes[2 * i + 1])};
          const unsigned odd[2] = {widen_last(codes[2 * i]),
                                   widen_last(codes[2 * i + 1])};
#pragma unroll
          for (int m = 0; m < M_TILES; m++) {
            mma_m16n8k16(o[m][2 * (c + i)], left_p[m], even[0], even[1]);
            mma_m16n8k16(o[m][2 * (c + i) + 1], left_p[m], odd[0], odd[1]);
          }
        }
      }
    }
#endif
//< pv
//> pv-fp8
#if USE_FP8_MMA
    // The 32 keys of a product, in the order in which a lane has them in P: two
    // of each of four groups of eight.
#pragma unroll
    for (int j = 0; j < TILE_N / 32; j++) {
      unsigned left_p[M_TILES][4];
#pragma unroll
      for (int m = 0; m < M_TILES; m++)
#pragma unroll
        for (int i = 0; i < 4; i++) {
          const int n = 4 * j + i / 2 * 2, c = i % 2 * 2;
          left_p[m][i] = narrow_four(s[m][n][c], s[m][n][c + 1],
                                     s[m][n + 1][c], s[m][n + 1][c + 1]);
        }
#pragma unroll
      for (int c = 0; c < CHUNKS; c++) {
        unsigned codes[4];  // chunk c, keys 0 to 7, 8 to 15, ...
        ldmatrix_x4_trans(
            codes, tile_v + place<HEAD_DIM>(tile_row + 32 * j + lane, c));
#pragma unroll
        for (int odd = 0; odd < 2; odd++) {
          const unsigned select = odd ? 0x7531 : 0x6420;
          const unsigned low = __byte_perm(codes[0], codes[1], select);
          const unsigned high = __byte_perm(codes[2], codes[3], select);
#pragma unroll
          for (int m = 0; m < M_TILES; m++)
            mma_m16n8k32(o[m][2 * c + odd], left_p[m], low, high);
        }
      }
    }
#endif
  }
//< pv-fp8

//> row-sums
  const float v_scale = args.v_scale[kv_head] * LEFT_OUT;
#pragma unroll
  for (int m = 0; m < M_TILES; m++)
#pragma unroll
    for (int half = 0; half < 2; half++)
      row_sum[m][half] = quad_sum(row_sum[m][half]);
//< row-sums

//> store-output
  // A lane holds d = 4 * pair to 4 * pair + 3 of each chunk: even, odd, even,
  // odd.
  uint16_t *output = args.o + head * length * HEAD_DIM;
  const auto store_four = [&](int row, int column, float4 x, float factor) {
    if (row >= length) return;
    const uint2 halves = {
        bits_of(__floats2half2_rn(x.x * factor, x.y * factor)),
        bits_of(__floats2half2_rn(x.z * factor, x.w * factor))};
    *reinterpret_cast<uint2 *>(
        output + static_cast<int64_t>(row) * HEAD_DIM + column) = halves;
  };
  const auto four_of = [&](int m, int half, int c) {
    const float *even = &o[m][2 * c][2 * half];
    const float *odd = &o[m][2 * c + 1][2 * half];
    return make_float4(even[0], odd[0], even[1], odd[1]);
  };
  if (SHAPE::KEY_WARPS == 1) {
#pragma unroll
    for (int m = 0; m < M_TILES; m++)
#pragma unroll
      for (int half = 0; half < 2; half++)
#pragma unroll
        for (int c = 0; c < CHUNKS; c++)
          store_four(first_row + 16 * m + group + 8 * half, 16 * c + 4 * pair,
                     four_of(m, half, c), v_scale / row_sum[m][half]);
    return;
  }
//< store-output

//> combine
  // Each warp has seen its own keys only: sums over the warps, each brought to
  // the largest maximum.
  __pipeline_wait_prior(0);
  __syncthreads();  // nobody reads K or V any more
  auto *all_o = reinterpret_cast<float *>(shared);
  float *all_max = all_o + SHAPE::KEY_WARPS * SHAPE::TILE_M * SHAPE::LD_O;
  float *all_sum = all_max + SHAPE::KEY_WARPS * SHAPE::TILE_M;
#pragma unroll
  for (int m = 0; m < M_TILES; m++)
#pragma unroll
    for (int half = 0; half < 2; half++) {
      const int row = key_warp * SHAPE::TILE_M + row_warp * 16 * M_TILES +
                      16 * m + group + 8 * half;
      if (pair == 0) {
        all_max[row] = row_max[m][half];
        all_sum[row] = row_sum[m][half];
      }
#pragma unroll
      for (int c = 0; c < CHUNKS; c++)
        *reinterpret_cast<float4 *>(
            &all_o[row * SHAPE::LD_O + 16 * c + 4 * pair]) =
            four_of(m, half, c);
    }
  __syncthreads();
  for (int i = thread; i < SHAPE::TILE_M * HEAD_DIM / 4; i += SHAPE::THREADS) {
    const int row = i / (HEAD_DIM / 4), column = i % (HEAD_DIM / 4) * 4;
    float highest = NONE;
#pragma unroll
    for (int w = 0; w < SHAPE::KEY_WARPS; w++)
      highest = fmaxf(highest, all_max[w * SHAPE::TILE_M + row]);
    float sum = 0.0f;
    float4 total = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll
    for (int w = 0; w < SHAPE::KEY_WARPS; w++) {
      const int at = w * SHAPE::TILE_M + row;
      const float weight = exp2_approx(all_max[at] - highest);
      const float4 part = *reinterpret_cast<const float4 *>(
          &all_o[at * SHAPE::LD_O + column]);
      sum += weight * all_sum[at];
      total.x += weight * part.x;
      total.y += weight * part.y;
      total.z += weight * part.z;
      total.w += weight * part.w;
    }
    store_four(tile * SHAPE::TILE_M + row, column, total, v_scale / sum);
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
    {64, 128}, TAKES_CAUSAL | TAKES_GROUPED, USE_FP8_MMA ? P_E4M3 : P_HALF};
extern "C" const char stage_toggles[] =
    TOGGLE(USE_FP8_MMA) " " TOGGLE(USE_SPLIT_KEYS) " " TOGGLE(
        USE_XOR_SWIZZLE) " " TOGGLE(USE_BYTE_LOADS) " " TOGGLE(
        USE_BIT_WIDENING) " " TOGGLE(WARP_TILES) " " TOGGLE(NUM_STAGES);

// HEAD_DIM, M_TILES, ROW_WARPS, KEY_WARPS, TILE_N, blocks on an SM
using wide_64 = block_shape<64, WARP_TILES, 4, 1, 64, WARP_TILES == 2 ? 2 : 3>;
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
  const bool few = 2 * blocks <= multiprocessors;
  if (USE_SPLIT_KEYS == 2 || (USE_SPLIT_KEYS == 1 && few))
    return launch<SPLIT>(args, stream);
  return launch<WIDE>(args, stream);
}

extern "C" cudaError_t stage_launch(const attention_args *args,
                                    cudaStream_t stream) {
  if (!attention_supports(&stage_support, args)) return cudaErrorInvalidValue;
  if (args->head_dim == 64) return choose<wide_64, split_64>(*args, stream);
  return choose<wide_128, split_128>(*args, stream);
}
//< launch
