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
// toggle USE_XOR_SWIZZLE: 0 1
#ifndef USE_XOR_SWIZZLE
#define USE_XOR_SWIZZLE 1
#endif
// toggle USE_FP8_MMA: 0 1
#ifndef USE_FP8_MMA
#define USE_FP8_MMA 0
#endif
// toggle NUM_STAGES: 2 3 4 (detail)
#ifndef NUM_STAGES
#define NUM_STAGES 2
#endif
//< toggles

//> sizes
constexpr int HEAD_DIM = 64;
constexpr int TILE_M = 64;  // query rows of one block, 16 of each warp
constexpr int TILE_N = 64;  // keys of one step
constexpr int THREADS = 128;
constexpr int PIECES = TILE_N * HEAD_DIM / 16 / THREADS;  // of 16 codes
constexpr int CHUNKS = HEAD_DIM / 16;                     // of a row
constexpr int TILE_BYTES = TILE_N * HEAD_DIM;
constexpr unsigned ALL_LANES = 0xffffffff;
constexpr float LOG2_E = 1.4426950408889634f;
//< sizes
//> p-shift
// E4M3 is finest, relatively, between 2^-6 and 448: P comes times 2^8.
constexpr float P_SHIFT = USE_FP8_MMA ? 8.0f : 0.0f;
//< p-shift

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

//> narrow-four
#if USE_FP8_MMA
// Four numbers become E4M3 codes, the first in the lowest byte.
__device__ unsigned narrow_four(float a, float b, float c, float d) {
  const unsigned low = __nv_cvt_float2_to_fp8x2(make_float2(a, b),
                                                __NV_SATFINITE, __NV_E4M3);
  const unsigned high = __nv_cvt_float2_to_fp8x2(make_float2(c, d),
                                                 __NV_SATFINITE, __NV_E4M3);
  return high << 16 | low;
}
#endif
//< narrow-four

//> place
// Where the 16 codes at row, chunk of a tile lie. Eight rows of one chunk,
// which ldmatrix reads at once, are on different banks.
__device__ int place(int row, int chunk) {
#if USE_XOR_SWIZZLE
  chunk ^= row / 2 % 4;
#endif
  return row * HEAD_DIM + chunk * 16;
}
//< place

//> copy-codes
// Starts the copy of the 16 codes at row, column; zeros for a row past the end.
__device__ void copy_codes(uint8_t *destination, const uint8_t *codes, int row,
                           int column, int64_t rows) {
  const bool inside = row < rows;
  __pipeline_memcpy_async(destination,
                          codes + (inside ? row * HEAD_DIM + column : 0), 16,
                          inside ? 0 : 16);
}
//< copy-codes

//> kernel-begin
__global__ void __launch_bounds__(THREADS)
attention_kernel(attention_args args) {
//< kernel-begin
//> staging
  __shared__ __align__(16) uint8_t raw_k[NUM_STAGES][TILE_BYTES];
  __shared__ __align__(16) uint8_t raw_v[NUM_STAGES][TILE_BYTES];
//< staging

//> who-am-i
  const int thread = threadIdx.x;
  const int warp = thread / 32;
  const int lane = thread % 32;
  const int group = lane / 4, pair = lane % 4;  // see the drawing of an mma
  const int length = static_cast<int>(args.seq_len);
  const int steps = (length + TILE_N - 1) / TILE_N;
  const int64_t head = blockIdx.z * args.heads + blockIdx.y;
  const int first_row = blockIdx.x * TILE_M + warp * 16;  // of this warp
  const int64_t head_start = head * args.seq_len * HEAD_DIM;
  // In powers of two: the exponential is one instruction then.
  const float score_scale = args.q_scale[head] * args.k_scale[head] *
                            args.softmax_scale * LOG2_E;
//< who-am-i

//> copy-tile
  const uint8_t *k = args.k + head_start, *v = args.v + head_start;
  const auto copy_tile = [&](int step) {
    const int slot = step % NUM_STAGES;
    const int64_t first_key = static_cast<int64_t>(step) * TILE_N;
    const int64_t keys = args.seq_len - first_key;
#pragma unroll
    for (int i = 0; i < PIECES; i++) {
      const int piece = thread + i * THREADS;
      const int row = piece / CHUNKS, chunk = piece % CHUNKS;
      copy_codes(&raw_k[slot][place(row, chunk)], k + first_key * HEAD_DIM, row,
                 chunk * 16, keys);
      copy_codes(&raw_v[slot][place(row, chunk)], v + first_key * HEAD_DIM, row,
                 chunk * 16, keys);
    }
  };
//< copy-tile

//> load-q
  // Four neighbours of a row, d = 4 * pair and on, are two halves for k = 2 *
  // pair and two for k + 8: K's come in the same order.
  const uint8_t *q = args.q + head_start + int64_t{first_row} * HEAD_DIM;
#if USE_FP8_MMA
  unsigned left_q[CHUNKS / 2][4];
#else
  unsigned left_q[CHUNKS][4];
#endif
#pragma unroll
  for (int c = 0; c < CHUNKS; c++)
#pragma unroll
    for (int r = 0; r < 2; r++) {
      const int row = group + 8 * r;
      unsigned codes = 0;
      if (first_row + row < length)
        codes = *reinterpret_cast<const unsigned *>(
            &q[row * HEAD_DIM + 16 * c + 4 * pair]);
#if USE_FP8_MMA
      left_q[c / 2][c % 2 * 2 + r] = codes;
#else
      left_q[c][r] = widen_low(codes);
      left_q[c][2 + r] = widen_high(codes);
#endif
    }
//< load-q

//> state
  float m[2] = {-INFINITY, -INFINITY}, l[2] = {};  // of two rows a lane
  float out[HEAD_DIM / 8][4] = {};
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
    const int keys = length - step * TILE_N;
    const int slot = step % NUM_STAGES;
    __pipeline_wait_prior(NUM_STAGES - 2);
    __syncthreads();  // the tile is here, and the slot before it is free
    if (step + NUM_STAGES - 1 < steps) copy_tile(step + NUM_STAGES - 1);
    __pipeline_commit();  // empty at the end: the count above stays right
//< load-kv

//> scores
    float score[TILE_N / 8][4] = {};
#pragma unroll
    for (int n = 0; n < TILE_N / 8; n++) {
      unsigned codes[CHUNKS];
      ldmatrix_x4(codes, &raw_k[slot][place(8 * n + lane % 8, lane / 8)]);
#if USE_FP8_MMA
#pragma unroll
      for (int c = 0; c < CHUNKS; c += 2)
        mma_m16n8k32(score[n], left_q[c / 2], codes[c], codes[c + 1]);
#else
#pragma unroll
      for (int c = 0; c < CHUNKS; c++)
        mma_m16n8k16(score[n], left_q[c], widen_low(codes[c]),
                     widen_high(codes[c]));
#endif
    }
//< scores

//> mask
    if (keys < TILE_N) {
#pragma unroll
      for (int n = 0; n < TILE_N / 8; n++)
#pragma unroll
        for (int i = 0; i < 4; i++)
          if (8 * n + 2 * pair + i % 2 >= keys) score[n][i] = -INFINITY;
    }
//< mask

//> softmax
#pragma unroll
    for (int r = 0; r < 2; r++) {
      float highest = -INFINITY;
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
          score[n][i] = exp2_approx(
              fmaf(score[n][i], score_scale, P_SHIFT - m_new));
          l[r] += score[n][i];
        }
#pragma unroll
      for (int n = 0; n < HEAD_DIM / 8; n++) {
        out[n][2 * r] *= rescale;
        out[n][2 * r + 1] *= rescale;
      }
    }
//< softmax

//> p-times-v
#if !USE_FP8_MMA
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
            codes, &raw_v[slot][place(16 * j + lane % 16, c + lane / 16)]);
#pragma unroll
        for (int i = 0; i < 4; i++)  // two keys of d, then two of d + 1
          codes[i] = __byte_perm(codes[i], 0, 0x3120);
#pragma unroll
        for (int i = 0; i < 2; i++) {
          mma_m16n8k16(out[2 * (c + i)], left_p, widen_low(codes[2 * i]),
                       widen_low(codes[2 * i + 1]));
          mma_m16n8k16(out[2 * (c + i) + 1], left_p, widen_high(codes[2 * i]),
                       widen_high(codes[2 * i + 1]));
        }
      }
    }
#endif
//< p-times-v
//> p-times-v-fp8
#if USE_FP8_MMA
    // The 32 keys of a product, in the order in which a lane has them in P: two
    // of each of four groups of eight.
#pragma unroll
    for (int j = 0; j < TILE_N / 32; j++) {
      unsigned left_p[4];
#pragma unroll
      for (int i = 0; i < 4; i++) {
        const int n = 4 * j + i / 2 * 2, first = i % 2 * 2;
        left_p[i] = narrow_four(score[n][first], score[n][first + 1],
                                score[n + 1][first], score[n + 1][first + 1]);
      }
#pragma unroll
      for (int c = 0; c < CHUNKS; c++) {
        unsigned codes[4];  // chunk c, keys 0 to 7, 8 to 15, ...
        ldmatrix_x4_trans(codes, &raw_v[slot][place(32 * j + lane, c)]);
#pragma unroll
        for (int odd = 0; odd < 2; odd++) {
          const unsigned select = odd ? 0x7531 : 0x6420;
          mma_m16n8k32(out[2 * c + odd], left_p,
                       __byte_perm(codes[0], codes[1], select),
                       __byte_perm(codes[2], codes[3], select));
        }
      }
    }
#endif
//< p-times-v-fp8
//> end-of-step
  }
//< end-of-step

//> normalise
  float factor[2];
#pragma unroll
  for (int r = 0; r < 2; r++)
    factor[r] = args.v_scale[head] / quad_sum(l[r]);
//< normalise
//> store-output
  // A lane holds d = 4 * pair to 4 * pair + 3 of each chunk: even, odd, even,
  // odd.
  uint16_t *o = args.o + head_start + int64_t{first_row} * HEAD_DIM;
#pragma unroll
  for (int r = 0; r < 2; r++) {
    const int row = group + 8 * r;
    if (first_row + row >= length) continue;
#pragma unroll
    for (int c = 0; c < CHUNKS; c++) {
      const float *even = &out[2 * c][2 * r], *odd = &out[2 * c + 1][2 * r];
      const float4 x = {even[0] * factor[r], odd[0] * factor[r],
                        even[1] * factor[r], odd[1] * factor[r]};
      *reinterpret_cast<uint64_t *>(&o[row * HEAD_DIM + 16 * c + 4 * pair]) =
          four_halves(x);
    }
  }
}
//< store-output

//> launch
extern "C" const attention_support stage_support = {
    {HEAD_DIM}, 0, USE_FP8_MMA ? P_E4M3 : P_HALF};
extern "C" const char stage_toggles[] =
    TOGGLE(USE_XOR_SWIZZLE) " " TOGGLE(USE_FP8_MMA) " " TOGGLE(NUM_STAGES);

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
