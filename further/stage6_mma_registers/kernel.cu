//> includes
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_pipeline.h>

#include "common/device/interface/attention.h"
#include "common/device/ptx/e4m3.cuh"
#include "common/device/ptx/exp2.cuh"
#include "common/device/interface/launch.cuh"
#include "common/device/ptx/mma.cuh"
//< includes

//> toggles
// toggle USE_BIT_WIDENING: 0 1
#ifndef USE_BIT_WIDENING
#define USE_BIT_WIDENING 0
#endif
// toggle USE_PADDED_ROWS: 0 1
#ifndef USE_PADDED_ROWS
#define USE_PADDED_ROWS 1
#endif
// toggle NUM_STAGES: 2 3 4 (detail)
#ifndef NUM_STAGES
#define NUM_STAGES 2
#endif
// Six changes against stage 5, each of which can be taken back alone:
// toggle USE_P_REGISTERS: 0 1
#ifndef USE_P_REGISTERS
#define USE_P_REGISTERS 1
#endif
// toggle USE_Q_REGISTERS: 0 1 (detail)
#ifndef USE_Q_REGISTERS
#define USE_Q_REGISTERS 1
#endif
// toggle USE_REGISTER_WIDENING: 0 1 (detail)
#ifndef USE_REGISTER_WIDENING
#define USE_REGISTER_WIDENING 1
#endif
// toggle USE_LATE_SCALE: 0 1 (detail)
#ifndef USE_LATE_SCALE
#define USE_LATE_SCALE 1
#endif
// toggle USE_EXP2: 0 1 (detail)
#ifndef USE_EXP2
#define USE_EXP2 1
#endif
// toggle KEYS_PER_STEP: 32 64 (detail)
#ifndef KEYS_PER_STEP
#define KEYS_PER_STEP 64
#endif
//< toggles

//> sizes
constexpr int HEAD_DIM = 64;
constexpr int TILE_M = 64;  // query rows of one block, 16 of each warp
#if KEYS_PER_STEP == 64
constexpr int TILE_N = 64;  // keys of one step
#else
constexpr int TILE_N = KEYS_PER_STEP;
#endif
constexpr int THREADS = 128;
constexpr int PIECES = TILE_N * HEAD_DIM / 16 / THREADS;  // of 16 codes
constexpr int CHUNKS = HEAD_DIM / 16;                     // of a row
constexpr int LD_RAW =  // codes from row to row of K and V
    HEAD_DIM + (USE_PADDED_ROWS ? 16 : 0);
#if !USE_P_REGISTERS || !USE_Q_REGISTERS || !USE_REGISTER_WIDENING
#include "common/device/ptx/ldmatrix.cuh"
constexpr int LD_HALF = HEAD_DIM + 8;  // halves from row to row
#endif
constexpr unsigned ALL_LANES = 0xffffffff;
constexpr float LOG2_E = 1.4426950408889634f;
//< sizes
//> left-out
// What widening by bits leaves out of each factor.
constexpr float LEFT_OUT = USE_BIT_WIDENING ? 256.0f : 1.0f;
//< left-out

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
  __shared__ __align__(16) uint8_t raw_k[NUM_STAGES][TILE_N][LD_RAW];
  __shared__ __align__(16) uint8_t raw_v[NUM_STAGES][TILE_N][LD_RAW];
#if !USE_P_REGISTERS
  __shared__ __align__(16) __half tile_p[TILE_M][LD_HALF];
#endif
#if !USE_Q_REGISTERS
  __shared__ __align__(16) __half tile_q[TILE_M][LD_HALF];
#endif
#if !USE_REGISTER_WIDENING
  __shared__ __align__(16) __half tile_k[TILE_N][LD_HALF];
  __shared__ __align__(16) __half tile_v[TILE_N][LD_HALF];
#endif
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
#if USE_EXP2
  // In powers of two: the exponential is one instruction then.
  const float score_scale = args.q_scale[head] * args.k_scale[head] *
                            args.softmax_scale * LOG2_E * LEFT_OUT * LEFT_OUT;
#else
  const float score_scale = args.q_scale[head] * args.k_scale[head] *
                            args.softmax_scale * LEFT_OUT * LEFT_OUT;
#endif
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
      const int row = piece / CHUNKS, column = piece % CHUNKS * 16;
      copy_codes(&raw_k[slot][row][column], k + first_key * HEAD_DIM, row,
                 column, keys);
      copy_codes(&raw_v[slot][row][column], v + first_key * HEAD_DIM, row,
                 column, keys);
    }
  };
//< copy-tile

//> load-q
  // Four neighbours of a row, d = 4 * pair and on, are two halves for k = 2 *
  // pair and two for k + 8: K's come in the same order.
  const uint8_t *q = args.q + head_start + int64_t{first_row} * HEAD_DIM;
#if USE_Q_REGISTERS
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
#if USE_Q_REGISTERS
      left_q[c][r] = widen_first(codes);
      left_q[c][2 + r] = widen_last(codes);
#else
      auto *two = reinterpret_cast<unsigned *>(
          &tile_q[warp * 16 + row][16 * c + 2 * pair]);
      two[0] = widen_first(codes), two[4] = widen_last(codes);
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

//> widen-tile
#if !USE_REGISTER_WIDENING
#pragma unroll
    for (int i = 0; i < PIECES; i++) {
      const int piece = thread + i * THREADS;
      const int row = piece / CHUNKS, column = piece % CHUNKS * 16;
      const auto k16 =
          *reinterpret_cast<const uint4 *>(&raw_k[slot][row][column]);
      const auto v16 =
          *reinterpret_cast<const uint4 *>(&raw_v[slot][row][column]);
      auto *k8 = reinterpret_cast<uint4 *>(&tile_k[row][column]);
      auto *v8 = reinterpret_cast<uint4 *>(&tile_v[row][column]);
      // K in Q's order, V as it comes.
      k8[0] = make_uint4(widen_first(k16.x), widen_first(k16.y),
                         widen_first(k16.z), widen_first(k16.w));
      k8[1] = make_uint4(widen_last(k16.x), widen_last(k16.y),
                         widen_last(k16.z), widen_last(k16.w));
      v8[0] = make_uint4(widen_first(v16.x), widen_last(v16.x),
                         widen_first(v16.y), widen_last(v16.y));
      v8[1] = make_uint4(widen_first(v16.z), widen_last(v16.z),
                         widen_first(v16.w), widen_last(v16.w));
    }
    __syncthreads();
#endif
//< widen-tile
//> scores
#if !USE_Q_REGISTERS
    unsigned left_q[CHUNKS][4];
#pragma unroll
    for (int c = 0; c < CHUNKS; c++)
      ldmatrix_x4(left_q[c],
                  &tile_q[warp * 16 + lane % 16][16 * c + lane / 16 * 8]);
#endif
    float score[TILE_N / 8][4] = {};
#pragma unroll
    for (int n = 0; n < TILE_N / 8; n++)
#if USE_REGISTER_WIDENING
#pragma unroll
      for (int c = 0; c < CHUNKS; c++) {
        const unsigned codes = *reinterpret_cast<const unsigned *>(
            &raw_k[slot][8 * n + group][16 * c + 4 * pair]);
        mma_m16n8k16(score[n], left_q[c], widen_first(codes),
                     widen_last(codes));
      }
#else
#pragma unroll
      for (int c = 0; c < CHUNKS; c += 2) {
        unsigned right_k[4];
        ldmatrix_x4(right_k, &tile_k[8 * n + lane % 8][16 * c + lane / 8 * 8]);
        mma_m16n8k16(score[n], left_q[c], right_k[0], right_k[1]);
        mma_m16n8k16(score[n], left_q[c + 1], right_k[2], right_k[3]);
      }
#endif
//< scores

//> mask
#if USE_LATE_SCALE
    if (keys < TILE_N) {
#pragma unroll
      for (int n = 0; n < TILE_N / 8; n++)
#pragma unroll
        for (int i = 0; i < 4; i++)
          if (8 * n + 2 * pair + i % 2 >= keys) score[n][i] = -INFINITY;
    }
#else
#pragma unroll
    for (int n = 0; n < TILE_N / 8; n++)
#pragma unroll
      for (int i = 0; i < 4; i++)
        score[n][i] = 8 * n + 2 * pair + i % 2 < keys
                          ? score[n][i] * score_scale
                          : -INFINITY;
    constexpr float score_scale = 1;  // for the softmax nothing is left
#endif
//< mask

//> softmax
#pragma unroll
    for (int r = 0; r < 2; r++) {
      float highest = -INFINITY;
#pragma unroll
      for (int n = 0; n < TILE_N / 8; n++)
        highest = fmaxf(highest, fmaxf(score[n][2 * r], score[n][2 * r + 1]));
      const float m_new = fmaxf(m[r], quad_max(highest) * score_scale);
#if USE_EXP2
      const float rescale = exp2_approx(m[r] - m_new);
#else
      const float rescale = __expf(m[r] - m_new);
#endif
      m[r] = m_new;
      l[r] *= rescale;
#pragma unroll
      for (int n = 0; n < TILE_N / 8; n++)
#pragma unroll
        for (int i = 2 * r; i < 2 * r + 2; i++) {
#if USE_EXP2
          score[n][i] = exp2_approx(fmaf(score[n][i], score_scale, -m_new));
#else
          score[n][i] = __expf(fmaf(score[n][i], score_scale, -m_new));
#endif
          l[r] += score[n][i];
        }
#pragma unroll
      for (int n = 0; n < HEAD_DIM / 8; n++) {
        out[n][2 * r] *= rescale;
        out[n][2 * r + 1] *= rescale;
      }
    }
//< softmax

//> store-p
#if !USE_P_REGISTERS
#pragma unroll
    for (int n = 0; n < TILE_N / 8; n++)
#pragma unroll
      for (int r = 0; r < 2; r++)
        *reinterpret_cast<__half2 *>(
            &tile_p[warp * 16 + group + 8 * r][8 * n + 2 * pair]) =
            __floats2half2_rn(score[n][2 * r], score[n][2 * r + 1]);
    __syncwarp();
#endif
//< store-p

//> p-times-v
#pragma unroll
    for (int j = 0; j < TILE_N / 16; j++) {
      unsigned left_p[4];
#if USE_P_REGISTERS
#pragma unroll
      for (int i = 0; i < 4; i++) {
        const float *two = &score[2 * j + i / 2][i % 2 * 2];
        left_p[i] = bits_of(__floats2half2_rn(two[0], two[1]));
      }
#else
      ldmatrix_x4(left_p,
                  &tile_p[warp * 16 + lane % 16][16 * j + lane / 16 * 8]);
#endif
#if USE_REGISTER_WIDENING
#pragma unroll
      for (int n = 0; n < HEAD_DIM / 8; n++) {
        const uint8_t *column = &raw_v[slot][16 * j + 2 * pair][8 * n + group];
        const unsigned codes =
            column[0] | column[LD_RAW] << 8 | column[8 * LD_RAW] << 16 |
            static_cast<unsigned>(column[9 * LD_RAW]) << 24;
        mma_m16n8k16(out[n], left_p, widen_first(codes), widen_last(codes));
      }
#else
#pragma unroll
      for (int n = 0; n < HEAD_DIM / 8; n += 2) {
        unsigned right_v[4];
        ldmatrix_x4_trans(
            right_v, &tile_v[16 * j + lane % 16][8 * n + lane / 16 * 8]);
        mma_m16n8k16(out[n], left_p, right_v[0], right_v[1]);
        mma_m16n8k16(out[n + 1], left_p, right_v[2], right_v[3]);
      }
#endif
    }
//< p-times-v
//> end-of-step
  }
//< end-of-step

//> normalise
  float factor[2];
#pragma unroll
  for (int r = 0; r < 2; r++)
    factor[r] = args.v_scale[head] * LEFT_OUT / quad_sum(l[r]);
//< normalise
//> store-output
  uint16_t *o = args.o + head_start + int64_t{first_row} * HEAD_DIM;
#pragma unroll
  for (int r = 0; r < 2; r++) {
    const int row = group + 8 * r;
    if (first_row + row >= length) continue;
#pragma unroll
    for (int n = 0; n < HEAD_DIM / 8; n++)
      *reinterpret_cast<unsigned *>(&o[row * HEAD_DIM + 8 * n + 2 * pair]) =
          bits_of(__floats2half2_rn(out[n][2 * r] * factor[r],
                                    out[n][2 * r + 1] * factor[r]));
  }
}
//< store-output

//> launch
extern "C" const attention_support stage_support = {{HEAD_DIM}, 0, P_HALF};
extern "C" const char stage_toggles[] =
    TOGGLE(USE_BIT_WIDENING) " " TOGGLE(USE_PADDED_ROWS) " " TOGGLE(
        NUM_STAGES) " " TOGGLE(USE_P_REGISTERS) " " TOGGLE(
        USE_Q_REGISTERS) " " TOGGLE(USE_REGISTER_WIDENING) " " TOGGLE(
        USE_LATE_SCALE) " " TOGGLE(USE_EXP2) " " TOGGLE(KEYS_PER_STEP);

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
