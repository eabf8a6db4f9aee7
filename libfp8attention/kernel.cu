// The kernel of further/stage17_promotion, and beyond it: bf16 output, a mask
// over another number of keys than rows, rows without keys, a choice of
// multiprocessors and of the block. library.mk says how a change there comes
// here.

#include <cfloat>

#include <cuda_bf16.h>
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
#include "libfp8attention/kernel.h"

constexpr int PROMOTE_KEYS = 672;

constexpr unsigned ALL_LANES = 0xffffffff;
constexpr float LOG2_E = 1.4426950408889634f, LN_2 = 0.6931471805599453f;
enum named_barrier : unsigned { BEGINNING = 1, CONSUMERS = 2 };
constexpr float NONE = -1e38f;  // m of a warp that has seen no key
// Scores may pass m by this many powers of two; P comes times 2^P_SHIFT.
// Together they stay below 448, E4M3's largest number.
constexpr float SLACK = 4.0f;
constexpr float P_SHIFT = 8.0f - SLACK;

// A block: one warpgroup that brings tiles, and ROW_GROUPS times KEY_GROUPS
// that consume them. Each of those has 64 rows, and every KEY_GROUPSth tile.
// A chain of products sums SUM_KEYS keys at most; 0: all. Q waits in registers
// where they have room.
template <int DIM, int ROWS, int KEYS, int N, int SUM_KEYS,
          bool Q_WAITS = false>
struct block_shape {
  static constexpr bool Q_IN_REGISTERS = Q_WAITS;
  static constexpr int HEAD_DIM = DIM, TILE_N = N;
  static constexpr int ROW_GROUPS = ROWS, KEY_GROUPS = KEYS;
  static constexpr int GROUPS = ROWS * KEYS, THREADS = 128 * (GROUPS + 1);
  static constexpr int TILE_M = 64 * ROWS;
  static constexpr int CHUNKS = HEAD_DIM / 16;         // of 16 codes, in a row
  static constexpr int Q_BYTES = TILE_M * HEAD_DIM;
  static constexpr int TILE_BYTES = TILE_N * HEAD_DIM;
  static constexpr int TURNED_BYTES = 128 * HEAD_DIM;  // V^T: rows of 128 keys
  static constexpr bool PROMOTES = SUM_KEYS > 0;
  static constexpr int CHAIN = KEYS * (SUM_KEYS < N ? 1 : SUM_KEYS / N);
  // Up to this scale no score comes above 2^22, and what its product with the
  // scale loses leaves P below 448.
  static constexpr float STEEP = 0x1p22f / (448.0f * 448.0f * DIM);
  // What comes into shared memory of a thread's numbers of out, by fours.
  static constexpr int SUMS = PROMOTES || KEYS > 1 ? GROUPS * DIM / 8 : 1;
  // Slots of each ring: beside the sums of 128 columns there is less room.
  static constexpr bool CROWDED = PROMOTES && DIM == 128 && KEYS == 1;
  static constexpr int K_STAGES = CROWDED ? 3 : 4;
  static constexpr int V_STAGES = CROWDED ? (ROWS == 3 ? 3 : 2) : 4;
  static constexpr int TURNED_STAGES = CROWDED ? (ROWS == 3 ? 2 : 3) : 4;
  // Registers of a thread that brings tiles, and of one that consumes them.
  static constexpr int FEWER = GROUPS == 2 ? 40 : 32;
  static constexpr int MORE = GROUPS == 2 ? 232 : 160;
  static_assert(FEWER + GROUPS * MORE ==
                    (GROUPS + 1) * (65536 / THREADS / 8 * 8),
                "together what the block was launched with");
};

// The four lanes of a quad own one row of scores together.
__device__ float quad_max(float x) {
  x = fmaxf(x, __shfl_xor_sync(ALL_LANES, x, 1));
  return fmaxf(x, __shfl_xor_sync(ALL_LANES, x, 2));
}

__device__ float quad_sum(float x) {
  x += __shfl_xor_sync(ALL_LANES, x, 1);
  return x + __shfl_xor_sync(ALL_LANES, x, 2);
}

// As one 8-byte word, because nvcc stores a uint2 in two pieces here.
__device__ uint64_t four_halves(float4 x) {
  const __half2 low = __floats2half2_rn(x.x, x.y);
  const __half2 high = __floats2half2_rn(x.z, x.w);
  const uint64_t upper = *reinterpret_cast<const unsigned *>(&high);
  return upper << 32 | *reinterpret_cast<const unsigned *>(&low);
}

__device__ uint64_t four_bfloats(float4 x) {
  const __nv_bfloat162 low = __floats2bfloat162_rn(x.x, x.y);
  const __nv_bfloat162 high = __floats2bfloat162_rn(x.z, x.w);
  const uint64_t upper = *reinterpret_cast<const unsigned *>(&high);
  return upper << 32 | *reinterpret_cast<const unsigned *>(&low);
}

// Four numbers become E4M3 codes, the first in the lowest byte.
__device__ unsigned narrow_four(float a, float b, float c, float d) {
  const unsigned low =
      __nv_cvt_float2_to_fp8x2(make_float2(a, b), __NV_SATFINITE, __NV_E4M3);
  const unsigned high =
      __nv_cvt_float2_to_fp8x2(make_float2(c, d), __NV_SATFINITE, __NV_E4M3);
  return high << 16 | low;
}

// Where the 16 codes at row, chunk of a tile lie. Eight rows of one chunk,
// which ldmatrix reads at once, are on different banks.
template <int ROW_BYTES>
__device__ unsigned place(unsigned row, unsigned chunk) {
  chunk ^= ROW_BYTES == 64 ? row / 2 % 4 : row % 8;
  return row * ROW_BYTES + chunk * 16;
}

// The n-th tile lies in slot n % SLOTS of a ring, for the n / SLOTS-th time.
struct ring_position {
  unsigned slot, parity;
};

template <int SLOTS>
__device__ ring_position position_of(unsigned n) {
  return {n % SLOTS, n / SLOTS % 2};
}

template <typename SHAPE>
struct alignas(1024) shared_memory {
  uint8_t q[SHAPE::Q_BYTES];
  uint8_t k[SHAPE::K_STAGES][SHAPE::TILE_BYTES];
  uint8_t v[SHAPE::V_STAGES][SHAPE::TILE_BYTES];
  uint8_t turned[SHAPE::TURNED_STAGES][SHAPE::TURNED_BYTES];
  // Each thread's numbers of out, and its rows' m and l.
  float4 sum[SHAPE::SUMS][128];
  float4 m_and_l[SHAPE::KEY_GROUPS > 1 ? SHAPE::GROUPS : 1][128];
  uint64_t q_full, q_empty;
  uint64_t k_full[SHAPE::K_STAGES], k_empty[SHAPE::K_STAGES];
  uint64_t v_full[SHAPE::V_STAGES], v_empty[SHAPE::V_STAGES];
  uint64_t turned_full[SHAPE::TURNED_STAGES];
  uint64_t turned_empty[SHAPE::TURNED_STAGES];
};

// Divides what is below 2^31 by a number that the host knows.
struct divisor {
  unsigned by, factor, shift;
};

static divisor divisor_of(int64_t by) {
  divisor d = {static_cast<unsigned>(by), 0, 0};
  while (int64_t{1} << d.shift < by) d.shift++;
  d.factor = static_cast<unsigned>(
      (((uint64_t{1} << d.shift) - d.by) << 32) / d.by + 1);
  return d;
}

__device__ int operator/(int n, const divisor &d) {
  const uint64_t product = static_cast<uint64_t>(d.factor) * n;
  return static_cast<int>((static_cast<unsigned>(product >> 32) + n) >>
                          d.shift);
}

__device__ int operator%(int n, const divisor &d) {
  return n - n / d * static_cast<int>(d.by);
}

// round: tiles of a head; where masked, heads of all batches.
struct divisors {
  divisor heads, heads_per_kv, round;
};

// A tile of rows of one head, and how many tiles of keys they need. The block's
// earlier work had first_tile of these, and q_tiles of Q.
struct work {
  int tile, batch, head, kv_head, steps;
  unsigned first_tile, q_tiles;
};

// With a mask, row i sees so many keys past key i; the last row sees all keys.
__device__ int further_keys(const attention_args &args) {
  return args.key_len - static_cast<int>(args.seq_len);
}

// What this block does in its n-th turn; false once nothing is left. Where
// later rows have more keys, they begin first. Then who had the longest tile in
// one turn gets the shortest in the next.
template <typename SHAPE>
__device__ bool work_in(const attention_args &args, const divisors &by,
                        int turn, work &found) {
  const int blocks = static_cast<int>(gridDim.x);
  const int block = static_cast<int>(blockIdx.x);
  const bool back = turn % 2 == 1;
  const int i = turn * blocks + (back ? blocks - 1 - block : block);
  const int length = static_cast<int>(args.seq_len);
  const int tiles = (length + SHAPE::TILE_M - 1) / SHAPE::TILE_M;
  if (i >= tiles * static_cast<int>(args.heads * args.batch)) return false;
  const int head = args.causal ? i % by.round : i / by.round;
  const int tile = args.causal ? i / by.round : i % by.round;
  found.tile = args.causal ? tiles - 1 - tile : tile;
  found.batch = head / by.heads;
  found.head = head % by.heads;
  found.kv_head = found.head / by.heads_per_kv;
  const int past_row = (found.tile + 1) * SHAPE::TILE_M;
  const int end_key = args.causal
                          ? min(args.key_len, past_row + further_keys(args))
                          : args.key_len;
  // Rows that see no key have a tile, too, which is masked.
  found.steps = max(1, (end_key + SHAPE::TILE_N - 1) / SHAPE::TILE_N);
  return true;
}

// One thread: brings K and V tile by tile, Q with the first, the latest keys
// first, as slots become free.
template <typename SHAPE>
__device__ void load_tiles(shared_memory<SHAPE> &shared, const work &todo,
                           const CUtensorMap &q_map, const CUtensorMap &k_map,
                           const CUtensorMap &v_map) {
  for (int n = 0; n < todo.steps; n++) {
    const int step = todo.steps - 1 - n;
    const auto [slot, parity] =
        position_of<SHAPE::K_STAGES>(todo.first_tile + n);
    mbarrier_wait(&shared.k_empty[slot], parity ^ 1);
    mbarrier_arrive_expecting(&shared.k_full[slot], SHAPE::TILE_BYTES);
    tma_load(shared.k[slot], k_map, &shared.k_full[slot], step * SHAPE::TILE_N,
             todo.kv_head, todo.batch);
    if (n == 0) {
      mbarrier_wait(&shared.q_empty, todo.q_tiles % 2 ^ 1);
      mbarrier_arrive_expecting(&shared.q_full, SHAPE::Q_BYTES);
      tma_load(shared.q, q_map, &shared.q_full, todo.tile * SHAPE::TILE_M,
               todo.head, todo.batch);
    }
    const auto [v_slot, v_parity] =
        position_of<SHAPE::V_STAGES>(todo.first_tile + n);
    mbarrier_wait(&shared.v_empty[v_slot], v_parity ^ 1);
    mbarrier_arrive_expecting(&shared.v_full[v_slot], SHAPE::TILE_BYTES);
    tma_load(shared.v[v_slot], v_map, &shared.v_full[v_slot],
             step * SHAPE::TILE_N, todo.kv_head, todo.batch);
  }
}

// Three warps: V^T, 32 keys and 16 columns at a time.
template <typename SHAPE>
__device__ void turn_tiles(shared_memory<SHAPE> &shared, const work &todo) {
  constexpr unsigned CHUNKS = SHAPE::CHUNKS, BLOCKS = SHAPE::TILE_N / 32;
  constexpr unsigned ALONE = BLOCKS / 3 * 3;  // each has a warp of its own
  const unsigned warp = threadIdx.x / 32 - 1, lane = threadIdx.x % 32;
  const unsigned my_row = lane / 16 * 8 + lane % 8, my_chunk = lane / 8 % 2;
//> first-piece
  // As place has it, and for all pieces one XOR away from here.
  const unsigned from = place<SHAPE::HEAD_DIM>(lane, 0);
  const unsigned to = place<128>(my_row, my_chunk);
//< first-piece
  for (int step = 0; step < todo.steps; step++) {
    const auto [slot, parity] =
        position_of<SHAPE::TURNED_STAGES>(todo.first_tile + step);
    const auto [v_slot, v_parity] =
        position_of<SHAPE::V_STAGES>(todo.first_tile + step);
    const uint8_t *const v = shared.v[v_slot];
    uint8_t *const turned = shared.turned[slot];
//> other-pieces
    const auto fetch = [&](unsigned(&codes)[4], unsigned keys, unsigned c) {
      ldmatrix_x4_trans(codes,
                        v + 32 * keys * SHAPE::HEAD_DIM + (from ^ 16 * c));
    };
    const auto put = [&](const unsigned(&codes)[4], unsigned keys, unsigned c) {
      const unsigned rows[4] = {__byte_perm(codes[0], codes[1], 0x6420),
                                __byte_perm(codes[2], codes[3], 0x6420),
                                __byte_perm(codes[0], codes[1], 0x7531),
                                __byte_perm(codes[2], codes[3], 0x7531)};
      stmatrix_x4(turned + 16 * 128 * c + (to ^ 32 * keys), rows);
    };
//< other-pieces
    mbarrier_wait(&shared.v_full[v_slot], v_parity);
    mbarrier_wait(&shared.turned_empty[slot], parity ^ 1);
    unsigned codes[2][4];
    if (ALONE > 0) {
#pragma unroll
      for (unsigned c = 0; c < CHUNKS; c += 2) {
        fetch(codes[0], warp, c);
        fetch(codes[1], warp, c + 1);
        put(codes[0], warp, c);
        put(codes[1], warp, c + 1);
      }
    }
#pragma unroll
    for (unsigned keys = ALONE; keys < BLOCKS; keys++)
#pragma unroll
      for (unsigned c = warp; c < CHUNKS; c += 3) {
        fetch(codes[0], keys, c);
        put(codes[0], keys, c);
      }
    fence_async_proxy();
    __syncwarp();
    if (lane == 0) {
      mbarrier_arrive(&shared.v_empty[v_slot]);
      mbarrier_arrive(&shared.turned_full[slot]);
    }
  }
}

// A warpgroup: 64 rows, and every KEY_GROUPSth tile of keys.
template <typename SHAPE>
__device__ void consume_tiles(shared_memory<SHAPE> &shared, const work &todo,
                              const attention_args &args,
                              const tensor_strides &o_strides, bool to_bf16,
                              int warp) {
  constexpr int HEAD_DIM = SHAPE::HEAD_DIM, CHUNKS = SHAPE::CHUNKS;
  constexpr int TILE_N = SHAPE::TILE_N, KEY_GROUPS = SHAPE::KEY_GROUPS;
  const int thread = threadIdx.x, lane = thread % 32;
  const int group = lane / 4, pair = lane % 4;  // see the drawing of an mma
  const int row_group = (warp / 4 - 1) % SHAPE::ROW_GROUPS;
  const int key_group = (warp / 4 - 1) / SHAPE::ROW_GROUPS;
  const int block_row = todo.tile * SHAPE::TILE_M;
  const int first_row = block_row + 64 * row_group + warp % 4 * 16;
  const int length = static_cast<int>(args.seq_len);
  const int further = further_keys(args);
  const int64_t head = todo.batch * args.heads + todo.head;
  const int64_t kv_head = todo.batch * args.kv_heads + todo.kv_head;
  float score_scale, steep_scale;
  const float v_scale = args.v_scale[kv_head];  // needed last, asked for now
  const auto release = [&](uint64_t *barrier) {
    if (lane == 0) mbarrier_arrive(barrier);
  };

  // In powers of two: the exponential is one instruction then. Never 0, or a
  // masked score were NaN: times the smallest normal number, others are 0, too.
  // If scores may be large, they are multiplied by steep_scale beforehand.
  // From one lane: so the compiler keeps it where all lanes share a register.
  const auto set_scale = [&] {
    const float product = static_cast<float>(
        static_cast<double>(args.q_scale[head]) * args.k_scale[kv_head] *
        args.softmax_scale * LOG2_E);
    const float scale =
        __shfl_sync(ALL_LANES, product < FLT_MIN ? FLT_MIN : product, 0);
    const bool steep = scale > SHAPE::STEEP;
    score_scale = steep ? 1.0f : scale;
    steep_scale = steep ? scale : 1.0f;
  };

  // What wgmma reads is in shared memory: a description of where is enough.
  const wgmma_tile my_q =
      wgmma_tile_at<HEAD_DIM>(shared.q + 64 * row_group * HEAD_DIM, 0);
  const wgmma_tile all_k = wgmma_tile_at<HEAD_DIM>(shared.k, 0);
  const wgmma_tile all_v = wgmma_tile_at<128>(shared.turned, 0);
  mbarrier_wait(&shared.q_full, todo.q_tiles % 2);
  unsigned left_q[HEAD_DIM / 32][4];
  if (SHAPE::Q_IN_REGISTERS) {
#pragma unroll
    for (int c = 0; c < HEAD_DIM / 32; c++)
      ldmatrix_x4(left_q[c],
                  &shared.q[place<HEAD_DIM>(
                      64 * row_group + warp % 4 * 16 + lane % 16,
                      2 * c + lane / 16)]);
    __syncwarp();
    release(&shared.q_empty);
  }

  float m[2] = {NONE, NONE}, l[2] = {};  // of two rows a lane
  float out[HEAD_DIM / 8][4] = {};
  float kept[2] = {};  // what to multiply the sums by, once there are any
  bool has_sums = false;

  float score[TILE_N / 8][4];
  unsigned left_p[TILE_N / 32][4];
  const auto start_scores = [&](unsigned slot) {
    const wgmma_tile k = wgmma_further(all_k, slot * SHAPE::TILE_BYTES);
    wgmma_fence(score);
#pragma unroll
    for (int c = 0; c < HEAD_DIM / 32; c++)
      if constexpr (SHAPE::Q_IN_REGISTERS)
        wgmma_m64k32(score, left_q[c], wgmma_further(k, 32 * c), c > 0);
      else
        wgmma_m64k32(score, wgmma_further(my_q, 32 * c),
                     wgmma_further(k, 32 * c), c > 0);
    wgmma_commit();
  };
  const auto start_values = [&](unsigned slot, bool first_of_chain) {
    const wgmma_tile v = wgmma_further(all_v, slot * SHAPE::TURNED_BYTES);
    wgmma_fence(out);
#pragma unroll
    for (int j = 0; j < TILE_N / 32; j++)
      wgmma_m64k32(out, left_p[j], wgmma_further(v, 32 * j),
                   !SHAPE::PROMOTES || !first_of_chain || j > 0);
    wgmma_commit();
  };

  const auto mask = [&](int step) {
    const int first_key = step * TILE_N, keys = args.key_len - first_key;
    const int diagonal = first_row + further;  // the key that row 0 sees last
    const bool on_diagonal = args.causal && first_key + TILE_N > diagonal + 1;
    if (keys >= TILE_N && !on_diagonal && steep_scale == 1.0f) return;
#pragma unroll
    for (int n = 0; n < TILE_N / 8; n++)
#pragma unroll
      for (int i = 0; i < 4; i++) {
        const int key = 8 * n + 2 * pair + i % 2;
        const int row = group + i / 2 * 8;
        if (key >= keys || (args.causal && first_key + key > diagonal + row))
          score[n][i] = -INFINITY;
        else
          score[n][i] *= steep_scale;
      }
  };

  // Brings m up to the maximum where that has grown too far above it; true if
  // so.
  float rescale[2];
  const auto renew_m = [&] {
    float highest[2] = {NONE, NONE};
    bool grown = false;
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
      kept[r] *= rescale[r];
    }
    return true;
  };
  const auto rescale_out = [&] {
#pragma unroll
    for (int n = 0; n < HEAD_DIM / 8; n++)
#pragma unroll
      for (int i = 0; i < 4; i++) out[n][i] *= rescale[i / 2];
  };

  const auto exponentials = [&] {
    const float shift[2] = {P_SHIFT - m[0], P_SHIFT - m[1]};
#pragma unroll
    for (int n = 0; n < TILE_N / 8; n++)
#pragma unroll
      for (int i = 0; i < 4; i++) {
        float &s = score[n][i];
        s = exp2_approx(fmaf(s, score_scale, shift[i / 2]));
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

  // Each thread has a place of its own for every four numbers of out. It keeps
  // in a register which that is, or the compiler asks who it is each time.
  unsigned column = threadIdx.x % 128;
#ifndef SIMT
  asm volatile("" : "+r"(column));
#endif
  const auto sum_at = [&](int group, int n) {
    return &shared.sum[group * (HEAD_DIM / 8) + n][column];
  };
  const int me = warp / 4 - 1;
  const auto put_down = [&] {
#pragma unroll
    for (int n = 0; n < HEAD_DIM / 8; n++)
      *sum_at(me, n) = {out[n][0], out[n][1], out[n][2], out[n][3]};
  };
  const auto add = [&](int group, int n, const float(&factor)[2]) {
    const float4 sum = *sum_at(group, n);
    out[n][0] = fmaf(factor[0], sum.x, out[n][0]);
    out[n][1] = fmaf(factor[0], sum.y, out[n][1]);
    out[n][2] = fmaf(factor[1], sum.z, out[n][2]);
    out[n][3] = fmaf(factor[1], sum.w, out[n][3]);
  };

  const auto add_kept = [&] {
    if (!SHAPE::PROMOTES || !has_sums) return;
#pragma unroll
    for (int n = 0; n < HEAD_DIM / 8; n++) add(me, n, kept);
  };
  const auto promote = [&] {
    add_kept();
    put_down();
    kept[0] = kept[1] = 1.0f;
    has_sums = true;
  };

  int n = key_group;  // a tile's number, in the order in which they come
  const auto step_of = [&](int n) { return todo.steps - 1 - n; };
  const auto k_at = [&](int n) {
    return position_of<SHAPE::K_STAGES>(todo.first_tile + n);
  };
  const auto v_at = [&](int n) {
    return position_of<SHAPE::TURNED_STAGES>(todo.first_tile + n);
  };
  const auto await_k = [&](int n) {
    mbarrier_wait(&shared.k_full[k_at(n).slot], k_at(n).parity);
  };
  const auto await_v = [&](int n) {
    mbarrier_wait(&shared.turned_full[v_at(n).slot], v_at(n).parity);
  };

  // With the mask, keys past this group's last row are nothing to it.
  if (KEY_GROUPS == 1 && args.causal)
    for (const int end = first_row - warp % 4 * 16 + 63 + further;
         n < todo.steps && step_of(n) * TILE_N > end; n++) {
      await_k(n);
      __syncwarp();  // all lanes have seen the phase before it can go on
      release(&shared.k_empty[k_at(n).slot]);
      await_v(n);
      __syncwarp();
      release(&shared.turned_empty[v_at(n).slot]);
    }
  const bool only_one = n + KEY_GROUPS >= todo.steps;

  int chain = n;  // its first tile
  if (n < todo.steps) {
    await_k(n);
    start_scores(k_at(n).slot);
    set_scale();
    wgmma_wait<0>(score);
    release(&shared.k_empty[k_at(n).slot]);
    mask(step_of(n));
    renew_m();
    exponentials();
    narrow();

    if (n + KEY_GROUPS < todo.steps) await_k(n + KEY_GROUPS);
    while (n + KEY_GROUPS < todo.steps) {
      const unsigned before = v_at(n).slot;
      n += KEY_GROUPS;
      start_scores(k_at(n).slot);
      await_v(n - KEY_GROUPS);
      start_values(before, n - KEY_GROUPS == chain);
      wgmma_wait<1>(score);
      release(&shared.k_empty[k_at(n).slot]);
      if (!SHAPE::Q_IN_REGISTERS && n + KEY_GROUPS >= todo.steps)
        release(&shared.q_empty);
      mask(step_of(n));
      const bool renewed = renew_m();
      exponentials();
      wgmma_keep(score);
      // The branch in this wait keeps the compiler from moving the wait for
      // the products up, above the exponentials.
      if (n + KEY_GROUPS < todo.steps) await_k(n + KEY_GROUPS);
      wgmma_wait<0>(out);
      release(&shared.turned_empty[before]);
      if (renewed) rescale_out();
      if (SHAPE::PROMOTES && n - chain >= SHAPE::CHAIN) {
        promote();
        chain = n;
      }
      narrow();
    }

    await_v(n);
    start_values(v_at(n).slot, n == chain);
    wgmma_wait<0>(out);
    release(&shared.turned_empty[v_at(n).slot]);
  }
  if (!SHAPE::Q_IN_REGISTERS && only_one) release(&shared.q_empty);

#pragma unroll
  for (int r = 0; r < 2; r++) l[r] = quad_sum(l[r]);
  uint16_t *o =
      args.o + todo.batch * o_strides.batch + todo.head * o_strides.head;
  // A lane holds d = 4 * pair to 4 * pair + 3 of each chunk: even, odd, even,
  // odd.
  const auto store = [&](int first_chunk, int end_chunk) {
#pragma unroll
    for (int r = 0; r < 2; r++) {
      const int row = first_row + group + 8 * r;
      if (row >= length) continue;
      // l is the sum of exp(score) times 2^(P_SHIFT - m).
      if (args.lse && pair == 0 && first_chunk == 0)
        args.lse[head * length + row] = (log2f(l[r]) + m[r] - P_SHIFT) * LN_2;
      const bool sees_none = args.causal && row + further < 0;
      const float factor = __fdividef(v_scale, l[r]);
#pragma unroll
      for (int c = first_chunk; c < end_chunk; c++) {
        const float *even = &out[2 * c][2 * r], *odd = &out[2 * c + 1][2 * r];
        const float4 four = {even[0] * factor, odd[0] * factor,
                             even[1] * factor, odd[1] * factor};
        uint64_t bits = to_bf16 ? four_bfloats(four) : four_halves(four);
        if (sees_none) bits = 0;
        *reinterpret_cast<uint64_t *>(
            &o[row * o_strides.row + 16 * c + 4 * pair]) = bits;
      }
    }
  };
  add_kept();
  if (KEY_GROUPS == 1) {
    store(0, CHUNKS);
    return;
  }

  // The other warpgroup has seen the other keys of the same rows. Each of the
  // two adds what both have for half of the columns.
  const int other = (me + SHAPE::ROW_GROUPS) % SHAPE::GROUPS;
  put_down();
  shared.m_and_l[me][threadIdx.x % 128] = {m[0], m[1], l[0], l[1]};
  named_barrier_sync(CONSUMERS, 128 * SHAPE::GROUPS);
  const float4 its = shared.m_and_l[other][threadIdx.x % 128];
  const float its_m[2] = {its.x, its.y}, its_l[2] = {its.z, its.w};
  float factor[2];
#pragma unroll
  for (int r = 0; r < 2; r++) {
    const float m_all = fmaxf(m[r], its_m[r]);
    rescale[r] = exp2_approx(m[r] - m_all);
    factor[r] = exp2_approx(its_m[r] - m_all);
    l[r] = rescale[r] * l[r] + factor[r] * its_l[r];
    m[r] = m_all;
  }
  rescale_out();
  const auto finish = [&](int first_chunk, int end_chunk) {
#pragma unroll
    for (int n = 2 * first_chunk; n < 2 * end_chunk; n++) add(other, n, factor);
    store(first_chunk, end_chunk);
  };
  if (key_group == 0)
    finish(0, CHUNKS / 2);
  else
    finish(CHUNKS / 2, CHUNKS);
  named_barrier_sync(CONSUMERS, 128 * SHAPE::GROUPS);  // all have read
}

template <typename SHAPE>
__global__ void __launch_bounds__(SHAPE::THREADS, 1)
    attention_kernel(attention_args args, divisors by, tensor_strides o_strides,
                     bool to_bf16,
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
    mbarrier_init(&shared.q_empty, 4 * SHAPE::GROUPS);
    for (int i = 0; i < SHAPE::K_STAGES; i++) {
      mbarrier_init(&shared.k_full[i], 1);
      mbarrier_init(&shared.k_empty[i], 4 * SHAPE::ROW_GROUPS);
    }
    for (int i = 0; i < SHAPE::V_STAGES; i++) {
      mbarrier_init(&shared.v_full[i], 1);
      mbarrier_init(&shared.v_empty[i], 3);
    }
    for (int i = 0; i < SHAPE::TURNED_STAGES; i++) {
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

  // Each role goes through all of the block's work, in the same order.
  const auto for_all_work = [&](const auto &role) {
    work todo = {};
    for (int turn = 0; work_in<SHAPE>(args, by, turn, todo); turn++) {
      role(todo);
      todo.first_tile += todo.steps;
      todo.q_tiles++;
    }
  };
  if (warp >= 4) {
    more_registers<SHAPE::MORE>();
    for_all_work([&](const work &todo) {
      consume_tiles(shared, todo, args, o_strides, to_bf16, warp);
    });
    return;
  }
  fewer_registers<SHAPE::FEWER>();
  if (warp > 0)
    for_all_work([&](const work &todo) { turn_tiles(shared, todo); });
  else if (threadIdx.x == 0)
    for_all_work([&](const work &todo) {
      load_tiles(shared, todo, q_map, k_map, v_map);
    });
}

template <typename SHAPE>
static int64_t blocks_of(const attention_args &args) {
  return (args.seq_len + SHAPE::TILE_M - 1) / SHAPE::TILE_M * args.heads *
         args.batch;
}

template <typename SHAPE>
static cudaError_t launch(const attention_args &args,
                          const kernel_options &options,
                          cudaStream_t stream) {
  const int64_t heads = args.heads * args.batch;
  const int64_t blocks = blocks_of<SHAPE>(args), tiles = blocks / heads;
  const dim3 grid(static_cast<unsigned>(
      blocks < options.multiprocessors ? blocks : options.multiprocessors));
  const divisors by = {divisor_of(args.heads),
                       divisor_of(args.heads / args.kv_heads),
                       divisor_of(args.causal ? heads : tiles)};
  const attention_strides strides =
      args.strides ? *args.strides : contiguous_strides(&args);
  CUtensorMap q_map, k_map, v_map;
  // First, since it gives this thread the context that the maps need.
  cudaError_t error = cudaFuncSetAttribute(
      reinterpret_cast<const void *>(attention_kernel<SHAPE>),
      cudaFuncAttributeMaxDynamicSharedMemorySize,
      sizeof(shared_memory<SHAPE>));
  if (!error)
    error = tensor_map(&q_map, args.q, SHAPE::HEAD_DIM, args.seq_len,
                       args.heads, args.batch, strides.q, SHAPE::TILE_M);
  if (!error)
    error = tensor_map(&k_map, args.k, SHAPE::HEAD_DIM, args.key_len,
                       args.kv_heads, args.batch, strides.k, SHAPE::TILE_N);
  if (!error)
    error = tensor_map(&v_map, args.v, SHAPE::HEAD_DIM, args.key_len,
                       args.kv_heads, args.batch, strides.v, SHAPE::TILE_N);
  if (error) return error;
  LAUNCH(attention_kernel<SHAPE>, grid, SHAPE::THREADS,
         sizeof(shared_memory<SHAPE>), stream, args, by, strides.o,
         options.to_bf16, q_map, k_map, v_map);
  return cudaGetLastError();
}

// HEAD_DIM, ROW_GROUPS, KEY_GROUPS, TILE_N. A step of a wide block takes
// WIDE_STEP, with a mask MASKED_WIDE_STEP, and one of a low block LOW_STEP, in
// the same unit.
template <int SUM_KEYS>
struct blocks_64 {
  using wide = block_shape<64, 3, 1, 128, SUM_KEYS>;
  using low = block_shape<64, 2, 1, 128, SUM_KEYS>;
  using split = block_shape<64, 1, 2, 128, SUM_KEYS>;
  static constexpr int WIDE_STEP = 4, MASKED_WIDE_STEP = 4, LOW_STEP = 3;
};
template <int SUM_KEYS>
struct blocks_128 {
  using wide = block_shape<128, 3, 1, 96, SUM_KEYS>;
  using low = block_shape<128, 2, 1, 128, SUM_KEYS, true>;
  using split = block_shape<128, 1, 2, 64, SUM_KEYS>;
  static constexpr int WIDE_STEP = 41, MASKED_WIDE_STEP = 42, LOW_STEP = 40;
};

// How many tiles of keys the busier of the first and the last block goes
// through. Without a mask none has more, and with one seldom much more. Turns
// come in pairs, forth and back; many pairs in a row, where all their tiles
// need as many, cost one step here.
template <typename SHAPE>
static int64_t steps_of_busiest(const attention_args &args, int64_t blocks) {
  const int64_t heads = args.heads * args.batch, all = blocks_of<SHAPE>(args);
  const int64_t alike = args.causal ? heads : all, pair = 2 * blocks;
  const auto steps_of = [&](int64_t i) -> int64_t {
    if (i >= all) return 0;
    const int64_t tile = all / heads - 1 - i / heads;  // where masked
    const int64_t last_row =
        (tile + 1) * SHAPE::TILE_M + args.key_len - args.seq_len;
    const int64_t keys =
        args.causal && last_row < args.key_len ? last_row : args.key_len;
    return keys < 1 ? 1 : (keys + SHAPE::TILE_N - 1) / SHAPE::TILE_N;
  };
  int64_t first = 0, last = 0;
  for (int64_t i = 0, pairs; i < all; i += pairs * pair) {
    pairs = (alike - i % alike) / pair;
    if (pairs == 0) pairs = 1;
    first += pairs * (steps_of(i) + steps_of(i + pair - 1));
    last += pairs * (steps_of(i + blocks - 1) + steps_of(i + blocks));
  }
  return first > last ? first : last;
}

// Where low blocks would leave half of the multiprocessors without work, the
// keys are split. Else that block is taken whose busiest is done first. Bits
// depend on the block.
template <typename BLOCKS>
static cudaError_t choose(const attention_args &args,
                          const kernel_options &options, cudaStream_t stream) {
  using wide = typename BLOCKS::wide;
  using low = typename BLOCKS::low;
  const int multiprocessors = options.multiprocessors;
  if (options.same_block) return launch<wide>(args, options, stream);
  if (2 * blocks_of<low>(args) <= multiprocessors)
    return launch<typename BLOCKS::split>(args, options, stream);
  const int64_t wide_step =
      args.causal ? BLOCKS::MASKED_WIDE_STEP : BLOCKS::WIDE_STEP;
  if (BLOCKS::LOW_STEP * steps_of_busiest<low>(args, multiprocessors) <
      wide_step * steps_of_busiest<wide>(args, multiprocessors))
    return launch<low>(args, options, stream);
  return launch<wide>(args, options, stream);
}

template <int SUM_KEYS>
static cudaError_t start(const attention_args &args,
                         const kernel_options &options, cudaStream_t stream) {
  if (args.head_dim == 64)
    return choose<blocks_64<SUM_KEYS>>(args, options, stream);
  return choose<blocks_128<SUM_KEYS>>(args, options, stream);
}

//> launch
extern "C" cudaError_t kernel_launch(const attention_args *args,
                                     const kernel_options *options,
                                     cudaStream_t stream) {
  return options->drift ? start<0>(*args, *options, stream)
                        : start<PROMOTE_KEYS>(*args, *options, stream);
}
//< launch
