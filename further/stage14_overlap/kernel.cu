//> includes
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "common/device/interface/attention.h"
#include "common/device/ptx/exp2.cuh"
#include "common/device/interface/launch.cuh"
#include "common/device/ptx/ldmatrix.cuh"
#include "common/device/ptx/named_barrier.cuh"
#include "common/device/ptx/stmatrix.cuh"
#include "common/device/ptx/tma.cuh"
#include "common/device/ptx/wgmma.cuh"
//< includes

//> toggles
// architectures: 90a
// toggle USE_OVERLAP: 0 1
#ifndef USE_OVERLAP
#define USE_OVERLAP 1
#endif
// toggle KEEP_ORDER: 0 1 2
#ifndef KEEP_ORDER
#define KEEP_ORDER 1
#endif
// toggle USE_STALE_MAX: 0 1
#ifndef USE_STALE_MAX
#define USE_STALE_MAX 1
#endif
// toggle USE_PING_PONG: 0 1
#ifndef USE_PING_PONG
#define USE_PING_PONG 0
#endif
// toggle POLYNOMIAL_EIGHTHS: 0 1 2
#ifndef POLYNOMIAL_EIGHTHS
#define POLYNOMIAL_EIGHTHS 0
#endif
//< toggles

//> sizes
constexpr unsigned ALL_LANES = 0xffffffff;
constexpr float LOG2_E = 1.4426950408889634f;
constexpr int NUM_STAGES = 4;
enum named_barrier : unsigned { BEGINNING = 1, CONSUMERS = 2, TURN = 3 };
//< sizes
//> block-shape
constexpr float NONE = -1e30f;  // m of a warp that has seen no key
// Scores may pass m by this many powers of two; P comes times 2^P_SHIFT.
// Together they stay below 448, E4M3's largest number.
constexpr float SLACK = USE_STALE_MAX ? 4.0f : 0.0f;
constexpr float P_SHIFT = 8.0f - SLACK;

// A block: one warpgroup that brings tiles, and ROW_GROUPS times KEY_GROUPS
// that consume them. Each of those has 64 rows, and every KEY_GROUPSth tile.
template <int DIM, int ROWS, int KEYS, int N>
struct block_shape {
  static constexpr int HEAD_DIM = DIM, TILE_N = N;
  static constexpr int ROW_GROUPS = ROWS, KEY_GROUPS = KEYS;
  static constexpr int GROUPS = ROWS * KEYS, THREADS = 128 * (GROUPS + 1);
  static constexpr int TILE_M = 64 * ROWS;
  static constexpr int CHUNKS = HEAD_DIM / 16;         // of 16 codes, in a row
  static constexpr int PIECES = TILE_N / 32 * CHUNKS;  // of V, to be turned
  static constexpr int Q_BYTES = TILE_M * HEAD_DIM;
  static constexpr int TILE_BYTES = TILE_N * HEAD_DIM;
  static constexpr int TURNED_BYTES = 128 * HEAD_DIM;  // V^T: rows of 128 keys
  static constexpr int LD_O = HEAD_DIM + 16;           // floats from row to row
  static constexpr int COMBINE_ROWS = KEYS == 1 ? 0 : KEYS * TILE_M;
  // Registers of a thread that brings tiles, and of one that consumes them.
  static constexpr int FEWER = GROUPS == 2 ? 40 : 56;
  static constexpr int MORE = GROUPS == 2 ? 232 : 152;
  // Where HEAD_DIM is 128, exponentials stay in their place by themselves.
  static constexpr bool KEEPS_ORDER =
      KEEP_ORDER == 2 || (KEEP_ORDER && HEAD_DIM == 64);
  static_assert(FEWER + GROUPS * MORE ==
                    (GROUPS + 1) * (65536 / THREADS / 8 * 8),
                "together what the block was launched with");
};
//< block-shape

//> polynomial
#if POLYNOMIAL_EIGHTHS
// 2^x in the FMA units: 2^n by adding to the exponent, 2^f by a polynomial.
__device__ float exp2_polynomial(float x) {
  x = fmaxf(x, -120.0f);
  const float shifted = x + 12582912.0f;  // 1.5 * 2^23: n in the low bits
  const float f = x - (shifted - 12582912.0f);
  float y = fmaf(f, 0.0551713f, 0.2401522f);
  y = fmaf(y, f, 0.6931530f);
  y = fmaf(y, f, 1.0f);
  return __int_as_float(__float_as_int(y) + (__float_as_int(shifted) << 23));
}
#endif
//< polynomial

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

//> narrow-four
// Four numbers become E4M3 codes, the first in the lowest byte.
__device__ unsigned narrow_four(float a, float b, float c, float d) {
  const unsigned low =
      __nv_cvt_float2_to_fp8x2(make_float2(a, b), __NV_SATFINITE, __NV_E4M3);
  const unsigned high =
      __nv_cvt_float2_to_fp8x2(make_float2(c, d), __NV_SATFINITE, __NV_E4M3);
  return high << 16 | low;
}
//< narrow-four

//> place
// Where the 16 codes at row, chunk of a tile lie. Eight rows of one chunk,
// which ldmatrix reads at once, are on different banks.
template <int ROW_BYTES>
__device__ unsigned place(unsigned row, unsigned chunk) {
  chunk ^= ROW_BYTES == 64 ? row / 2 % 4 : row % 8;
  return row * ROW_BYTES + chunk * 16;
}
//< place

//> shared
// The n-th tile lies in slot n % NUM_STAGES of a ring, for the n /
// NUM_STAGES-th time.
struct ring_position {
  unsigned slot, parity;
};

__device__ ring_position position_of(unsigned n) {
  return {n % NUM_STAGES, n / NUM_STAGES % 2};
}

template <typename SHAPE>
struct alignas(1024) shared_memory {
  uint8_t q[SHAPE::Q_BYTES];
  uint8_t k[NUM_STAGES][SHAPE::TILE_BYTES], v[NUM_STAGES][SHAPE::TILE_BYTES];
  uint8_t turned[NUM_STAGES][SHAPE::TURNED_BYTES];
  float out[SHAPE::COMBINE_ROWS + 1][SHAPE::LD_O];  // C++ has no empty array
  float m[SHAPE::COMBINE_ROWS + 1], l[SHAPE::COMBINE_ROWS + 1];
  uint64_t q_full, k_full[NUM_STAGES], k_empty[NUM_STAGES];
  uint64_t v_full[NUM_STAGES], v_empty[NUM_STAGES];
  uint64_t turned_full[NUM_STAGES], turned_empty[NUM_STAGES];
};
//< shared

//> work
// A tile of rows of one head, and how many tiles of keys they need.
struct work {
  int tile, batch, head, kv_head, steps;
};

// Where later rows have more keys, they begin first.
template <typename SHAPE>
__device__ work my_work(const attention_args &args) {
  const int tile = args.causal ? gridDim.x - 1 - blockIdx.x : blockIdx.x;
  const int length = static_cast<int>(args.seq_len);
  const int end_key =
      args.causal ? min(length, (tile + 1) * SHAPE::TILE_M) : length;
  const int kv_head = blockIdx.y / (args.heads / args.kv_heads);
  return {tile, static_cast<int>(blockIdx.z), static_cast<int>(blockIdx.y),
          kv_head, (end_key + SHAPE::TILE_N - 1) / SHAPE::TILE_N};
}
//< work

//> load-tiles
// One thread: brings K and V tile by tile, Q with the first, the latest keys
// first, as slots become free.
template <typename SHAPE>
__device__ void load_tiles(shared_memory<SHAPE> &shared, const work &todo,
                           const CUtensorMap &q_map, const CUtensorMap &k_map,
                           const CUtensorMap &v_map) {
  for (int n = 0; n < todo.steps; n++) {
    const int step = todo.steps - 1 - n;
    const auto [slot, parity] = position_of(n);
    mbarrier_wait(&shared.k_empty[slot], parity ^ 1);
    mbarrier_arrive_expecting(&shared.k_full[slot], SHAPE::TILE_BYTES);
    tma_load(shared.k[slot], k_map, &shared.k_full[slot], step * SHAPE::TILE_N,
             todo.kv_head, todo.batch);
    if (n == 0) {
      mbarrier_arrive_expecting(&shared.q_full, SHAPE::Q_BYTES);
      tma_load(shared.q, q_map, &shared.q_full, todo.tile * SHAPE::TILE_M,
               todo.head, todo.batch);
    }
    mbarrier_wait(&shared.v_empty[slot], parity ^ 1);
    mbarrier_arrive_expecting(&shared.v_full[slot], SHAPE::TILE_BYTES);
    tma_load(shared.v[slot], v_map, &shared.v_full[slot], step * SHAPE::TILE_N,
             todo.kv_head, todo.batch);
  }
}
//< load-tiles

//> turn-v
// Three warps: V^T, 32 keys and 16 columns at a time.
template <typename SHAPE>
__device__ void turn_tiles(shared_memory<SHAPE> &shared, const work &todo) {
  const unsigned warp = threadIdx.x / 32 - 1, lane = threadIdx.x % 32;
  const unsigned my_row = lane / 16 * 8 + lane % 8, my_chunk = lane / 8 % 2;
  for (int step = 0; step < todo.steps; step++) {
    const auto [slot, parity] = position_of(step);
    mbarrier_wait(&shared.v_full[slot], parity);
    mbarrier_wait(&shared.turned_empty[slot], parity ^ 1);
#pragma unroll 2
    for (unsigned piece = warp; piece < SHAPE::PIECES; piece += 3) {
      const unsigned keys = piece % (SHAPE::TILE_N / 32);
      const unsigned c = piece / (SHAPE::TILE_N / 32);
      unsigned codes[4];
      ldmatrix_x4_trans(
          codes, &shared.v[slot][place<SHAPE::HEAD_DIM>(32 * keys + lane, c)]);
      const unsigned rows[4] = {__byte_perm(codes[0], codes[1], 0x6420),
                                __byte_perm(codes[2], codes[3], 0x6420),
                                __byte_perm(codes[0], codes[1], 0x7531),
                                __byte_perm(codes[2], codes[3], 0x7531)};
      stmatrix_x4(
          &shared
               .turned[slot][place<128>(16 * c + my_row, 2 * keys + my_chunk)],
          rows);
    }
    fence_async_proxy();
    __syncwarp();
    if (lane == 0) {
      mbarrier_arrive(&shared.v_empty[slot]);
      mbarrier_arrive(&shared.turned_full[slot]);
    }
  }
}
//< turn-v

//> consume-begin
// A warpgroup: 64 rows, and every KEY_GROUPSth tile of keys.
template <typename SHAPE>
__device__ void consume_tiles(shared_memory<SHAPE> &shared, const work &todo,
                              const attention_args &args,
                              const tensor_strides &o_strides, int warp) {
  constexpr int HEAD_DIM = SHAPE::HEAD_DIM, CHUNKS = SHAPE::CHUNKS;
  constexpr int TILE_N = SHAPE::TILE_N, KEY_GROUPS = SHAPE::KEY_GROUPS;
//< consume-begin
//> who-am-i
  const int thread = threadIdx.x, lane = thread % 32;
  const int group = lane / 4, pair = lane % 4;  // see the drawing of an mma
  const int row_group = (warp / 4 - 1) % SHAPE::ROW_GROUPS;
  const int key_group = (warp / 4 - 1) / SHAPE::ROW_GROUPS;
  const int block_row = todo.tile * SHAPE::TILE_M;
  const int first_row = block_row + 64 * row_group + warp % 4 * 16;
  const int length = static_cast<int>(args.seq_len);
  const int64_t head = todo.batch * args.heads + todo.head;
  const int64_t kv_head = todo.batch * args.kv_heads + todo.kv_head;
  // In powers of two: the exponential is one instruction then.
  const float score_scale =
      args.q_scale[head] * args.k_scale[kv_head] * args.softmax_scale * LOG2_E;
  const auto release = [&](uint64_t *barrier) {
    if (lane == 0) mbarrier_arrive(barrier);
  };
//< who-am-i

//> load-q
  // What wgmma reads is in shared memory: a description of where is enough.
  const wgmma_tile my_q =
      wgmma_tile_at<HEAD_DIM>(shared.q + 64 * row_group * HEAD_DIM, 0);
  const wgmma_tile all_k = wgmma_tile_at<HEAD_DIM>(shared.k, 0);
  const wgmma_tile all_v = wgmma_tile_at<128>(shared.turned, 0);
  mbarrier_wait(&shared.q_full, 0);
//< load-q

//> state
  float m[2] = {NONE, NONE}, l[2] = {};  // of two rows a lane
  float out[HEAD_DIM / 8][4] = {};
//< state

//> products
  float score[TILE_N / 8][4];
  unsigned left_p[TILE_N / 32][4];
  const auto start_scores = [&](unsigned slot) {
    wgmma_fence(score);
#pragma unroll
    for (int c = 0; c < HEAD_DIM / 32; c++)
      wgmma_m64k32(score, wgmma_further(my_q, 32 * c),
                   wgmma_further(all_k, slot * SHAPE::TILE_BYTES + 32 * c),
                   c > 0);
    wgmma_commit();
  };
  const auto start_values = [&](unsigned slot) {
    wgmma_fence(out);
#pragma unroll
    for (int j = 0; j < TILE_N / 32; j++)
      wgmma_m64k32(out, left_p[j],
                   wgmma_further(all_v, slot * SHAPE::TURNED_BYTES + 32 * j),
                   true);
    wgmma_commit();
  };
//< products

//> mask
  const auto mask = [&](int step) {
    const int first_key = step * TILE_N, keys = length - first_key;
    const bool on_diagonal = args.causal && first_key + TILE_N > first_row + 1;
    if (keys >= TILE_N && !on_diagonal) return;
#pragma unroll
    for (int n = 0; n < TILE_N / 8; n++)
#pragma unroll
      for (int i = 0; i < 4; i++) {
        const int key = 8 * n + 2 * pair + i % 2;
        const int row = group + i / 2 * 8;
        if (key >= keys || (args.causal && first_key + key > first_row + row))
          score[n][i] = -INFINITY;
      }
  };
//< mask

//> renew-m
  // Brings m up to the maximum where that has grown too far above it; true if
  // so.
  float rescale[2];
  const auto renew_m = [&] {
    float highest[2] = {NONE, NONE};
    bool grown = !USE_STALE_MAX;
#pragma unroll
    for (int r = 0; r < 2; r++) {
      float other = NONE;  // two chains of comparisons
#pragma unroll
      for (int n = 0; n < TILE_N / 8; n++) {
        highest[r] = fmaxf(highest[r], score[n][2 * r]);
        other = fmaxf(other, score[n][2 * r + 1]);
      }
      highest[r] = fmaxf(highest[r], other) * score_scale;
      if (highest[r] - m[r] > SLACK) grown = true;
    }
    if (!__any_sync(ALL_LANES, grown)) return false;
#pragma unroll
    for (int r = 0; r < 2; r++) {
      const float m_new = fmaxf(m[r], quad_max(highest[r]));
      rescale[r] = exp2_approx(m[r] - m_new);
      m[r] = m_new;
      l[r] *= rescale[r];
    }
    return true;
  };
  const auto rescale_out = [&] {
#pragma unroll
    for (int n = 0; n < HEAD_DIM / 8; n++)
#pragma unroll
      for (int i = 0; i < 4; i++) out[n][i] *= rescale[i / 2];
  };
//< renew-m

//> exponentials
  const auto exponentials = [&] {
    const float shift[2] = {P_SHIFT - m[0], P_SHIFT - m[1]};
#pragma unroll
    for (int n = 0; n < TILE_N / 8; n++)
#pragma unroll
      for (int i = 0; i < 4; i++) {
        float &s = score[n][i];
        s = fmaf(s, score_scale, shift[i / 2]);
#if POLYNOMIAL_EIGHTHS
        s = n % 8 < POLYNOMIAL_EIGHTHS ? exp2_polynomial(s) : exp2_approx(s);
#else
        s = exp2_approx(s);
#endif
        l[i / 2] += s;
      }
  };
  const auto narrow = [&] {
#pragma unroll
    for (int j = 0; j < TILE_N / 32; j++)
#pragma unroll
      for (int i = 0; i < 4; i++) {
        const int n = 4 * j + i / 2 * 2, first = i % 2 * 2;
        left_p[j][i] =
            narrow_four(score[n][first], score[n][first + 1],
                        score[n + 1][first], score[n + 1][first + 1]);
      }
  };
//< exponentials

//> turns
  const int me = warp / 4 - 1;
  const auto await_turn = [&] {
    if (USE_PING_PONG && KEY_GROUPS == 1) named_barrier_sync(TURN + me, 256);
  };
  const auto pass_turn = [&](int to) {
    if (USE_PING_PONG && KEY_GROUPS == 1)
      named_barrier_arrive(TURN + to % SHAPE::GROUPS, 256);
  };
  if (me == SHAPE::GROUPS - 1) pass_turn(0);
//< turns

//> first-step
  int n = key_group;  // a tile's number, in the order in which they come
  const auto step_of = [&](int n) { return todo.steps - 1 - n; };
  const auto await = [&](uint64_t(&full)[NUM_STAGES], int n, bool flip = 0) {
    mbarrier_wait(&full[position_of(n).slot], position_of(n).parity ^ flip);
  };
  if (n < todo.steps) {
    await(shared.k_full, n);
    await_turn();
    start_scores(position_of(n).slot);
    pass_turn(me + 1);
    wgmma_wait<0>(score);
    release(&shared.k_empty[position_of(n).slot]);
    mask(step_of(n));
    renew_m();
    exponentials();
    narrow();
//< first-step

//> overlapped
#if USE_OVERLAP
    if (n + KEY_GROUPS < todo.steps) await(shared.k_full, n + KEY_GROUPS);
    while (n + KEY_GROUPS < todo.steps) {
      const unsigned before = position_of(n).slot;
      n += KEY_GROUPS;
      await_turn();
      start_scores(position_of(n).slot);
      await(shared.turned_full, n - KEY_GROUPS);
      start_values(before);
      pass_turn(me + 1);
      wgmma_wait<1>(score);
      release(&shared.k_empty[position_of(n).slot]);
      mask(step_of(n));
      const bool renewed = renew_m();
      exponentials();
      wgmma_keep(score);
      // A sum of exponentials is never below zero, but no compiler knows that:
      // so all of them stand before this wait, and before the next.
      const bool below_zero = SHAPE::KEEPS_ORDER && l[0] + l[1] < 0.0f;
      if (n + KEY_GROUPS < todo.steps)
        await(shared.k_full, n + KEY_GROUPS, below_zero);
      wgmma_wait<0>(out);
      release(&shared.turned_empty[before]);
      if (renewed) rescale_out();
      narrow();
    }
//< overlapped

//> in-turn
#else
    while (n + KEY_GROUPS < todo.steps) {
      const unsigned before = position_of(n).slot;
      await(shared.turned_full, n);
      n += KEY_GROUPS;
      await(shared.k_full, n);
      await_turn();
      start_values(before);
      start_scores(position_of(n).slot);
      pass_turn(me + 1);
      wgmma_wait<0>(score);
      wgmma_wait<0>(out);
      release(&shared.k_empty[position_of(n).slot]);
      release(&shared.turned_empty[before]);
      mask(step_of(n));
      if (renew_m()) rescale_out();
      exponentials();
      narrow();
    }
#endif
//< in-turn

//> last-values
    await(shared.turned_full, n);
    start_values(position_of(n).slot);
    wgmma_wait<0>(out);
    release(&shared.turned_empty[position_of(n).slot]);
  }
  if (me == 0) await_turn();  // nobody leaves a turn behind
//< last-values

//> normalise
  const float v_scale = args.v_scale[kv_head];
#pragma unroll
  for (int r = 0; r < 2; r++) l[r] = quad_sum(l[r]);
//< normalise
//> store-output
  // A lane holds d = 4 * pair to 4 * pair + 3 of each chunk: even, odd, even,
  // odd.
  uint16_t *o =
      args.o + todo.batch * o_strides.batch + todo.head * o_strides.head;
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
  // Each warpgroup has seen its own keys only.
#pragma unroll
  for (int r = 0; r < 2; r++) {
    const int row =
        key_group * SHAPE::TILE_M + first_row - block_row + group + 8 * r;
    if (pair == 0) {
      shared.m[row] = m[r];
      shared.l[row] = l[r];
    }
#pragma unroll
    for (int c = 0; c < CHUNKS; c++)
      *reinterpret_cast<float4 *>(&shared.out[row][16 * c + 4 * pair]) =
          four_of(r, c);
  }
  named_barrier_sync(CONSUMERS, 128 * SHAPE::GROUPS);
//< put-down
//> combine
  for (int i = thread - 128; i < SHAPE::TILE_M * HEAD_DIM / 4;
       i += 128 * SHAPE::GROUPS) {
    const int row = i / (HEAD_DIM / 4), column = i % (HEAD_DIM / 4) * 4;
    float m_all = NONE, l_all = 0.0f;
#pragma unroll
    for (int w = 0; w < KEY_GROUPS; w++)
      m_all = fmaxf(m_all, shared.m[w * SHAPE::TILE_M + row]);
    float4 sum = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll
    for (int w = 0; w < KEY_GROUPS; w++) {
      const int at = w * SHAPE::TILE_M + row;
      const float rescale = exp2_approx(shared.m[at] - m_all);
      const float4 part =
          *reinterpret_cast<const float4 *>(&shared.out[at][column]);
      l_all += rescale * shared.l[at];
      sum.x += rescale * part.x;
      sum.y += rescale * part.y;
      sum.z += rescale * part.z;
      sum.w += rescale * part.w;
    }
    store_four(block_row + row, column, sum, v_scale / l_all);
  }
}
//< combine

//> kernel
template <typename SHAPE>
__global__ void __launch_bounds__(SHAPE::THREADS, 1)
    attention_kernel(attention_args args, tensor_strides o_strides,
                     const __grid_constant__ CUtensorMap q_map,
                     const __grid_constant__ CUtensorMap k_map,
                     const __grid_constant__ CUtensorMap v_map) {
  DYNAMIC_SHARED(uint8_t, bytes);
  auto &shared = *reinterpret_cast<shared_memory<SHAPE> *>(bytes);
  // From one lane: so the compiler knows that all of the warp agree on it.
  const int warp = __shfl_sync(ALL_LANES, threadIdx.x / 32, 0);
  if (threadIdx.x == 0) {
    tma_prefetch(q_map);
    tma_prefetch(k_map);
    tma_prefetch(v_map);
    mbarrier_init(&shared.q_full, 1);
    for (int i = 0; i < NUM_STAGES; i++) {
      mbarrier_init(&shared.k_full[i], 1);
      mbarrier_init(&shared.k_empty[i], 4 * SHAPE::ROW_GROUPS);
      mbarrier_init(&shared.v_full[i], 1);
      mbarrier_init(&shared.v_empty[i], 3);
      mbarrier_init(&shared.turned_full[i], 3);
      mbarrier_init(&shared.turned_empty[i], 4 * SHAPE::ROW_GROUPS);
    }
    fence_async_proxy();
  }
  // Who made the barriers need not wait for the others.
  if (warp == 0)
    named_barrier_arrive(BEGINNING, SHAPE::THREADS);
  else
    named_barrier_sync(BEGINNING, SHAPE::THREADS);

  const work todo = my_work<SHAPE>(args);
  if (warp >= 4) {
    more_registers<SHAPE::MORE>();
    consume_tiles(shared, todo, args, o_strides, warp);
    return;
  }
  fewer_registers<SHAPE::FEWER>();
  if (warp > 0)
    turn_tiles(shared, todo);
  else if (threadIdx.x == 0)
    load_tiles(shared, todo, q_map, k_map, v_map);
}
//< kernel

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
                       args.kv_heads, args.batch, strides.k, SHAPE::TILE_N);
  if (!error)
    error = tensor_map(&v_map, args.v, SHAPE::HEAD_DIM, args.seq_len,
                       args.kv_heads, args.batch, strides.v, SHAPE::TILE_N);
  if (!error)
    error = cudaFuncSetAttribute(
        reinterpret_cast<const void *>(attention_kernel<SHAPE>),
        cudaFuncAttributeMaxDynamicSharedMemorySize,
        sizeof(shared_memory<SHAPE>));
  if (error) return error;
  LAUNCH(attention_kernel<SHAPE>, grid, SHAPE::THREADS,
         sizeof(shared_memory<SHAPE>), stream, args, strides.o, q_map, k_map,
         v_map);
  return cudaGetLastError();
}
//< launch-shape

//> launch
extern "C" const attention_support stage_support = {
    {64, 128}, TAKES_CAUSAL | TAKES_GROUPED | TAKES_STRIDES, P_E4M3, DRIFTS};
extern "C" const char stage_toggles[] =
    TOGGLE(USE_OVERLAP) " " TOGGLE(KEEP_ORDER) " " TOGGLE(
        USE_STALE_MAX) " " TOGGLE(USE_PING_PONG) " " TOGGLE(POLYNOMIAL_EIGHTHS);

// HEAD_DIM, ROW_GROUPS, KEY_GROUPS, TILE_N
using wide_64 = block_shape<64, 3, 1, 128>;
using wide_128 = block_shape<128, 3, 1, 96>;
using split_64 = block_shape<64, 1, 2, 128>;
using split_128 = block_shape<128, 1, 2, 64>;

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
