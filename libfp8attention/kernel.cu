// The kernel of further/stage17_promotion, made faster and right at more edges:
// chapter 27 tells how. It gives bf16, too, takes a mask over another number of
// keys than rows and rows without keys, and lets its caller choose the number
// of multiprocessors and the block.

#include <cfloat>
#include <climits>

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

// What of a cache of 50 MB K and V may fill.
constexpr int64_t CACHED_BYTES = 24 << 20;

// Of one tile's keys, and how many steps it takes to put them together.
constexpr int64_t MOST_PARTS = 64, MERGE_STEPS = 5;

constexpr unsigned ALL_LANES = 0xffffffff;
constexpr float LOG2_E = 1.4426950408889634f, LN_2 = 0.6931471805599453f;
enum named_barrier : unsigned { BEGINNING = 1, CONSUMERS = 2 };
constexpr float NONE = -1e38f;  // m of a warp that has seen no key
// Scores may pass m by this many powers of two; P comes times 2^P_SHIFT.
// Together they stay below 448, E4M3's largest number.
constexpr float SLACK = 4.0f;
constexpr float P_SHIFT = 8.0f - SLACK;
// Weights of a chain, times 2^P_SHIFT: with less in sum, m falls.
constexpr float FEW = 2.0f * (1 << static_cast<int>(P_SHIFT));

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

// A block where rows see keys up to their own, or where the last tiles' keys
// are shared out. Neither costs anything where it is not wanted.
template <typename BLOCK, bool IS_CAUSAL, bool SHARES>
struct block_for : BLOCK {
  static constexpr bool CAUSAL = IS_CAUSAL, SHARES_KEYS = SHARES;
  // More than lie between the work whose V is turned and that which is stored.
  static constexpr unsigned WORKS = CAUSAL ? 8 : 1;
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

template <typename PAIR>
__device__ uint64_t as_word(PAIR low, PAIR high) {
  const uint64_t upper = *reinterpret_cast<const unsigned *>(&high);
  return upper << 32 | *reinterpret_cast<const unsigned *>(&low);
}

// As one 8-byte word, because nvcc stores a uint2 in two pieces here.
__device__ uint64_t four_numbers(float4 x, bool to_bf16) {
  return to_bf16 ? as_word(__floats2bfloat162_rn(x.x, x.y),
                           __floats2bfloat162_rn(x.z, x.w))
                 : as_word(__floats2half2_rn(x.x, x.y),
                           __floats2half2_rn(x.z, x.w));
}

// Four numbers become E4M3 codes, the first in the lowest byte.
__device__ unsigned narrow_four(float a, float b, float c, float d) {
  const unsigned low =
      __nv_cvt_float2_to_fp8x2(make_float2(a, b), __NV_SATFINITE, __NV_E4M3);
  const unsigned high =
      __nv_cvt_float2_to_fp8x2(make_float2(c, d), __NV_SATFINITE, __NV_E4M3);
  return high << 16 | low;
}

// Has the top bit set in each of four codes that is NaN, others anywhere else.
__device__ unsigned nan_bits(unsigned four) {
  return (four & 0x7f7f7f7f) + 0x01010101;
}

// Makes zeros of NaN in 16 codes.
__device__ void drop_nan(uint4 *codes) {
  uint4 x = *codes;
  unsigned *const words[4] = {&x.x, &x.y, &x.z, &x.w};
#pragma unroll
  for (unsigned *four : words) {
    const unsigned nan = nan_bits(*four) & 0x80808080;
    *four &= ~(nan | (nan - (nan >> 7)));
  }
  *codes = x;
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
  bool dropped[SHAPE::WORKS][3];  // NaN of V, by which warp
  // Each thread's numbers of out, and m and l of two rows of a quad.
  float4 sum[SHAPE::SUMS][128];
  float4 rows[SHAPE::KEY_GROUPS > 1 ? SHAPE::GROUPS : 1][32];
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

// With a mask, heads come in sections, whose K and V stay in the L2 cache. The
// last one may have fewer heads.
struct all_sections {
  int count;
  divisor tiles, heads, last_heads;  // of one
};

// tiles: of a head. parts: of a tile whose keys are shared out.
struct divisors {
  divisor heads, heads_per_kv, tiles, parts;
  all_sections sections;
};

// Of all tiles of rows those from `whole` on are shared out, each among `parts`
// blocks.
struct shared_out {
  int whole, parts;
};

// Where results go.
struct output {
  tensor_strides strides;
  bool to_bf16;
  float4 *sums;  // of parts
};

// A tile of rows of one head, and how many tiles of keys they need, from which
// one on. Of a tile that is shared out this may be a part; -1: it is none. The
// block's earlier work had first_tile of these, and q_tiles of Q.
struct work {
  int tile, batch, head, kv_head, first_step, steps, part;
  unsigned first_tile, q_tiles;
};

// With a mask, row i sees so many keys past key i; the last row sees all keys.
__device__ int further_keys(const attention_args &args) {
  return args.key_len - static_cast<int>(args.seq_len);
}

// Finds the i-th tile of rows. With a mask later rows have more keys: they come
// first in the last section, last in the one before, and so on. So neighbours
// are alike everywhere, and the very last tiles are short.
template <typename SHAPE>
__device__ void find_tile(const attention_args &args, const divisors &by, int i,
                          work &found) {
  int head;
  if (SHAPE::CAUSAL) {
    const all_sections &all = by.sections;
    const int section = i / all.tiles, within = i % all.tiles;
    const int left = all.count - 1 - section;
    const divisor &heads = left ? all.heads : all.last_heads;
    head = section * static_cast<int>(all.heads.by) + within % heads;
    found.tile = within / heads;
    if (left % 2 == 0)
      found.tile = static_cast<int>(by.tiles.by) - 1 - found.tile;
  } else {
    head = i / by.tiles;
    found.tile = i % by.tiles;
  }
  found.batch = head / by.heads;
  found.head = head % by.heads;
  found.kv_head = found.head / by.heads_per_kv;
}

// The first key that is hidden from some row of this tile.
template <typename SHAPE>
__device__ int first_hidden_key(const attention_args &args, int tile) {
  return SHAPE::CAUSAL ? max(0, tile * SHAPE::TILE_M + further_keys(args) + 1)
                       : INT_MAX;
}

// What this block does in its n-th turn; false once nothing is left. Who had
// the longest tile in one turn gets the shortest in the next.
template <typename SHAPE>
__device__ bool work_in(const attention_args &args, const divisors &by,
                        const shared_out &out, int turn, work &found) {
  const int blocks = static_cast<int>(gridDim.x);
  const int block = static_cast<int>(blockIdx.x);
  const bool back = turn % 2 == 1;
  const int i = turn * blocks + (back ? blocks - 1 - block : block);
  const int tiles = static_cast<int>(by.tiles.by * args.heads * args.batch);
  const int part = SHAPE::SHARES_KEYS ? i - out.whole : -1;
  if (SHAPE::SHARES_KEYS ? part >= (tiles - out.whole) * out.parts : i >= tiles)
    return false;
  find_tile<SHAPE>(args, by, part < 0 ? i : out.whole + part / by.parts, found);
  const int past_row = (found.tile + 1) * SHAPE::TILE_M;
  const int end_key = SHAPE::CAUSAL
                          ? min(args.key_len, past_row + further_keys(args))
                          : args.key_len;
  // Rows that see no key have a tile, too, which is masked.
  found.first_step = 0;
  found.steps = max(1, (end_key + SHAPE::TILE_N - 1) / SHAPE::TILE_N);
  found.part = part;
  if (part < 0) return true;
  const int nth = part % by.parts;
  found.first_step = nth * found.steps / by.parts;
  found.steps = (nth + 1) * found.steps / by.parts - found.first_step;
  return true;
}

// One thread: brings K and V tile by tile, Q with the first, the latest keys
// first, as slots become free.
template <typename SHAPE>
__device__ void load_tiles(shared_memory<SHAPE> &shared, const work &todo,
                           const CUtensorMap &q_map, const CUtensorMap &k_map,
                           const CUtensorMap &v_map) {
  for (int n = 0; n < todo.steps; n++) {
    const int step = todo.first_step + todo.steps - 1 - n;
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

// Three warps: V^T, 32 keys and 16 columns at a time. Where a key is hidden
// from some rows, its NaN must not reach them, and 0 times NaN is NaN: there
// they are left out, and consumers are told.
template <typename SHAPE>
__device__ void turn_tiles(shared_memory<SHAPE> &shared, const work &todo,
                           const attention_args &args) {
  constexpr int CHUNKS = SHAPE::CHUNKS, BLOCKS = SHAPE::TILE_N / 32;
  constexpr int ALONE = BLOCKS / 3 * 3;  // each has a warp of its own
  const int warp = threadIdx.x / 32 - 1, lane = threadIdx.x % 32;
  const unsigned my_row = lane / 16 * 8 + lane % 8, my_chunk = lane / 8 % 2;
//> first-piece
  // As place has it, and for all pieces one XOR away from here.
  const unsigned from = place<SHAPE::HEAD_DIM>(lane, 0);
  const unsigned to = place<128>(my_row, my_chunk);
//< first-piece
  const int masked = todo.first_step + todo.steps -
                     first_hidden_key<SHAPE>(args, todo.tile) / SHAPE::TILE_N;
  for (int step = 0; step < todo.steps; step++) {
    const auto [slot, parity] =
        position_of<SHAPE::TURNED_STAGES>(todo.first_tile + step);
    const auto [v_slot, v_parity] =
        position_of<SHAPE::V_STAGES>(todo.first_tile + step);
    uint8_t *const v = shared.v[v_slot];
    uint8_t *const turned = shared.turned[slot];
//> other-pieces
    const auto place_of = [&](int keys, int c) {
      return v + 32 * keys * SHAPE::HEAD_DIM + (from ^ 16 * c);
    };
    const auto put = [&](const unsigned(&codes)[4], int keys, int c) {
      const unsigned rows[4] = {__byte_perm(codes[0], codes[1], 0x6420),
                                __byte_perm(codes[2], codes[3], 0x6420),
                                __byte_perm(codes[0], codes[1], 0x7531),
                                __byte_perm(codes[2], codes[3], 0x7531)};
      stmatrix_x4(turned + 16 * 128 * c + (to ^ 32 * keys), rows);
    };
//< other-pieces
    mbarrier_wait(&shared.v_full[v_slot], v_parity);
    bool found = false;
    if (SHAPE::CAUSAL && step < masked) {
      unsigned any = 0;
      const auto look = [&](int keys, int c) {
        const uint4 x = *reinterpret_cast<const uint4 *>(place_of(keys, c));
        any |= nan_bits(x.x) | nan_bits(x.y) | nan_bits(x.z) | nan_bits(x.w);
      };
      if (ALONE > 0)
#pragma unroll 4
        for (int c = 0; c < CHUNKS; c++) look(warp, c);
      for (int keys = ALONE; keys < BLOCKS; keys++)
        for (int c = warp; c < CHUNKS; c += 3) look(keys, c);
      found = __any_sync(ALL_LANES, any & 0x80808080);
      if (found) {
        __syncwarp();  // all have read what is written now
#pragma unroll 1
        for (int keys = ALONE > 0 ? warp : 0; keys < BLOCKS;
             keys = max(keys + 1, ALONE))
#pragma unroll 1
          for (int c = keys >= ALONE ? warp : 0; c < CHUNKS;
               c += keys >= ALONE ? 3 : 1)
            drop_nan(reinterpret_cast<uint4 *>(place_of(keys, c)));
        __syncwarp();
      }
    }
    if (SHAPE::CAUSAL && lane == 0 && (step == 0 || found))
      shared.dropped[todo.q_tiles % SHAPE::WORKS][warp] = found;
    mbarrier_wait(&shared.turned_empty[slot], parity ^ 1);
    unsigned codes[2][4];
    if (ALONE > 0) {
#pragma unroll
      for (int c = 0; c < CHUNKS; c += 2) {
        ldmatrix_x4_trans(codes[0], place_of(warp, c));
        ldmatrix_x4_trans(codes[1], place_of(warp, c + 1));
        put(codes[0], warp, c);
        put(codes[1], warp, c + 1);
      }
    }
#pragma unroll
    for (int keys = ALONE; keys < BLOCKS; keys++)
#pragma unroll
      for (int c = warp; c < CHUNKS; c += 3) {
        ldmatrix_x4_trans(codes[0], place_of(keys, c));
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

// A lane's share of a row: in each chunk of 16 numbers four. l is the sum of
// exp(score) times 2^(P_SHIFT - m).
template <typename SHAPE, typename FOUR>
__device__ void store_row(const attention_args &args, const output &to,
                          const work &todo, int row, int first_chunk,
                          int end_chunk, float m, float l, float v_scale,
                          const FOUR &four_of) {
  if (row >= args.seq_len) return;
  const int64_t head = todo.batch * args.heads + todo.head;
  const int pair = threadIdx.x % 4;
  if (args.lse && pair == 0 && first_chunk == 0)
    args.lse[head * args.seq_len + row] = (log2f(l) + m - P_SHIFT) * LN_2;
  const bool sees_none = SHAPE::CAUSAL && row + further_keys(args) < 0;
  const float factor = __fdividef(v_scale, l);
  uint16_t *const o = args.o + todo.batch * to.strides.batch +
                      todo.head * to.strides.head + row * to.strides.row +
                      4 * pair;
#pragma unroll
  for (int c = first_chunk; c < end_chunk; c++) {
    const float4 x = four_of(c);
    const uint64_t bits = four_numbers(
        {x.x * factor, x.y * factor, x.z * factor, x.w * factor}, to.to_bf16);
    *reinterpret_cast<uint64_t *>(&o[16 * c]) = sees_none ? 0 : bits;
  }
}

template <typename SHAPE>
__host__ __device__ constexpr int64_t part_numbers() {  // float4s
  return SHAPE::ROW_GROUPS * (SHAPE::HEAD_DIM / 8 + 1) * 128;
}

// Where this thread of a group puts its sums of a part, one float4 in 128, and
// m and l of its rows after them.
template <typename SHAPE>
__device__ float4 *part_at(float4 *sums, int part, int group) {
  return sums + part * part_numbers<SHAPE>() +
         group * (part_numbers<SHAPE>() / SHAPE::ROW_GROUPS) +
         threadIdx.x % 128;
}

// A warpgroup: 64 rows, and every KEY_GROUPSth tile of keys.
template <typename SHAPE>
__device__ void consume_tiles(shared_memory<SHAPE> &shared, const work &todo,
                              const attention_args &args, const output &to,
                              const tensor_strides &v_strides, int warp) {
  constexpr int HEAD_DIM = SHAPE::HEAD_DIM, CHUNKS = SHAPE::CHUNKS;
  constexpr int TILE_N = SHAPE::TILE_N, KEY_GROUPS = SHAPE::KEY_GROUPS;
  const int lane = threadIdx.x % 32;
  const int group = lane / 4, pair = lane % 4;  // see the drawing of an mma
  const int row_group = (warp / 4 - 1) % SHAPE::ROW_GROUPS;
  const int key_group = (warp / 4 - 1) / SHAPE::ROW_GROUPS;
  const int block_row = todo.tile * SHAPE::TILE_M;
  const int first_row = block_row + 64 * row_group + warp % 4 * 16;
  const int further = further_keys(args);
  const int64_t head = todo.batch * args.heads + todo.head;
  const int64_t kv_head = todo.batch * args.kv_heads + todo.kv_head;
  float score_scale, steep_scale;
  // Asked for now, needed later.
  const float q_scale = args.q_scale[head], k_scale = args.k_scale[kv_head];
  const float v_scale = args.v_scale[kv_head];
  const auto release = [&](uint64_t *barrier) {
    if (lane == 0) mbarrier_arrive(barrier);
  };

  // In powers of two: the exponential is one instruction then. Never 0, or a
  // masked score were NaN: times the smallest normal number, others are 0, too.
  // If scores may be large, they are multiplied by steep_scale beforehand.
  // From one lane: so the compiler keeps it where all lanes share a register.
  const auto set_scale = [&] {
    const float product = static_cast<float>(
        static_cast<double>(q_scale) * k_scale * args.softmax_scale * LOG2_E);
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
      ldmatrix_x4(
          left_q[c],
          &shared.q[place<HEAD_DIM>(64 * row_group + warp % 4 * 16 + lane % 16,
                                    2 * c + lane / 16)]);
    __syncwarp();
    release(&shared.q_empty);
  }

  float m[2] = {NONE, NONE}, l[2] = {};  // of two rows a lane, in this chain
  float out[HEAD_DIM / 8][4] = {};
  float l_before[2] = {};  // without this chain

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
    const bool on_diagonal = SHAPE::CAUSAL && first_key + TILE_N > diagonal + 1;
    if (keys >= TILE_N && !on_diagonal && steep_scale == 1.0f) return;
#pragma unroll
    for (int n = 0; n < TILE_N / 8; n++)
#pragma unroll
      for (int i = 0; i < 4; i++) {
        const int key = 8 * n + 2 * pair + i % 2;
        const int row = group + i / 2 * 8;
        if (key >= keys || (SHAPE::CAUSAL && first_key + key > diagonal + row))
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
      l_before[r] *= rescale[r];
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

  const auto add_sums = [&] {
    if constexpr (SHAPE::PROMOTES) {
      const float whole[2] = {1.0f, 1.0f};
      if (!has_sums) return;
#pragma unroll
      for (int n = 0; n < HEAD_DIM / 8; n++) add(me, n, whole);
    }
  };
  const auto scale_sums = [&](const float(&factor)[2]) {
    if constexpr (SHAPE::PROMOTES) {
      if (!has_sums) return;
#pragma unroll
      for (int n = 0; n < HEAD_DIM / 8; n++) {
        float4 &sum = *sum_at(me, n);
        sum = {sum.x * factor[0], sum.y * factor[0], sum.z * factor[1],
               sum.w * factor[1]};
      }
    }
  };
  const auto promote = [&] {
    add_sums();
    put_down();
    has_sums = true;
  };
//> lower-m
  // Where a chain's weights were small, so that many may have become 0, m falls
  // for the next one, by a power of two. The tile that is on its way goes with
  // it. Bounds: P below 448, and floats. Lanes look at their own keys first: a
  // shuffle waits long while products read shared memory.
  const auto lower_m = [&] {
    float weights[2];
#pragma unroll
    for (int r = 0; r < 2; r++) {
      weights[r] = l[r] - l_before[r];
      l_before[r] = l[r];
    }
    const bool few = fminf(weights[0], weights[1]) < FEW / 4.0f;
    if (!__any_sync(ALL_LANES, few)) return;
    float factor[2];
#pragma unroll
    for (int r = 0; r < 2; r++) {
      float highest = 0.0f;
#pragma unroll
      for (int n = 0; n < TILE_N / 8; n++)
        highest = fmaxf(highest, fmaxf(score[n][2 * r], score[n][2 * r + 1]));
      const float all = quad_sum(weights[r]);
      const float up =
          fminf(fminf(8.0f * FEW / all, 0x1p64f),
                fminf(0x1p8f / quad_max(highest), 0x1p80f / quad_sum(l[r])));
      const int power = all < FEW && up >= 2.0f ? ilogbf(up) : 0;
      factor[r] = exp2_approx(static_cast<float>(power));
      m[r] -= static_cast<float>(power);
      l[r] *= factor[r];
      l_before[r] *= factor[r];
#pragma unroll
      for (int n = 0; n < TILE_N / 8; n++) {
        score[n][2 * r] *= factor[r];
        score[n][2 * r + 1] *= factor[r];
      }
    }
    scale_sums(factor);
  };
//< lower-m

  int n = key_group;  // a tile's number, in the order in which they come
  const auto step_of = [&](int n) {
    return todo.first_step + todo.steps - 1 - n;
  };
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
  if (KEY_GROUPS == 1 && SHAPE::CAUSAL)
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
      if (renewed) {
        rescale_out();
        scale_sums(rescale);
      }
      if (SHAPE::PROMOTES && n - chain >= SHAPE::CHAIN) {
        promote();
        lower_m();
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
  add_sums();
  // NaN of V that was left out comes back to the rows that see it.
  const auto restore_nan = [&] {
    const bool(&dropped)[3] = shared.dropped[todo.q_tiles % SHAPE::WORKS];
    if (!SHAPE::CAUSAL || !(dropped[0] || dropped[1] || dropped[2])) return;
    const uint8_t *const v = args.v + todo.batch * v_strides.batch +
                             todo.kv_head * v_strides.head + 4 * pair;
#pragma unroll
    for (int r = 0; r < 2; r++) {
      const int last_key = first_row + further + group + 8 * r;
      for (int key = first_hidden_key<SHAPE>(args, todo.tile) / TILE_N * TILE_N;
           key <= min(last_key, args.key_len - 1); key++)
#pragma unroll
        for (int n = 0; n < HEAD_DIM / 8; n++) {
          const uint8_t *const even =
              v + key * v_strides.row + 16 * (n / 2) + n % 2;
          if ((even[0] & 0x7f) == 0x7f) out[n][2 * r] = NAN;
          if ((even[2] & 0x7f) == 0x7f) out[n][2 * r + 1] = NAN;
        }
    }
  };
  // A lane holds d = 4 * pair to 4 * pair + 3 of each chunk: even, odd, even,
  // odd.
  const auto store = [&](int first_chunk, int end_chunk) {
#pragma unroll
    for (int r = 0; r < 2; r++)
      store_row<SHAPE>(args, to, todo, first_row + group + 8 * r, first_chunk,
                       end_chunk, m[r], l[r], v_scale, [&](int c) {
                         const float *even = &out[2 * c][2 * r];
                         const float *odd = &out[2 * c + 1][2 * r];
                         return float4{even[0], odd[0], even[1], odd[1]};
                       });
  };
  if (SHAPE::SHARES_KEYS && todo.part >= 0) {
    float4 *const place = part_at<SHAPE>(to.sums, todo.part, me);
#pragma unroll
    for (int n = 0; n < HEAD_DIM / 8; n++)
      place[128 * n] = {out[n][0], out[n][1], out[n][2], out[n][3]};
    place[128 * (HEAD_DIM / 8)] = {m[0], m[1], l[0], l[1]};
    return;
  }
  if (KEY_GROUPS == 1) {
    restore_nan();
    store(0, CHUNKS);
    return;
  }

  // The other warpgroup has seen the other keys of the same rows. Each of the
  // two adds what both have for half of the columns.
  const int other = (me + SHAPE::ROW_GROUPS) % SHAPE::GROUPS;
  const auto rows_of = [&](int group_of_rows) {
    return &shared.rows[group_of_rows][warp % 4 * 8 + group];
  };
  put_down();
  if (pair == 0) *rows_of(me) = {m[0], m[1], l[0], l[1]};
  named_barrier_sync(CONSUMERS, 128 * SHAPE::GROUPS);
  const float4 its = *rows_of(other);
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
  restore_nan();
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
    attention_kernel(attention_args args, divisors by, shared_out out,
                     output to, tensor_strides v_strides,
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
    for (int turn = 0; work_in<SHAPE>(args, by, out, turn, todo); turn++) {
      role(todo);
      todo.first_tile += todo.steps;
      todo.q_tiles++;
    }
  };
  if (warp >= 4) {
    more_registers<SHAPE::MORE>();
    for_all_work([&](const work &todo) {
      consume_tiles(shared, todo, args, to, v_strides, warp);
    });
    return;
  }
  fewer_registers<SHAPE::FEWER>();
  if (warp > 0)
    for_all_work([&](const work &todo) { turn_tiles(shared, todo, args); });
  else if (threadIdx.x == 0)
    for_all_work([&](const work &todo) {
      load_tiles(shared, todo, q_map, k_map, v_map);
    });
}

// Puts the parts of a tile together: a block does one chunk of 64 rows.
template <typename SHAPE>
__global__ void __launch_bounds__(128)
    merge_kernel(attention_args args, divisors by, shared_out out, output to) {
  constexpr int NUMBERS = SHAPE::HEAD_DIM / 8;
  const int group = blockIdx.y, chunk = blockIdx.z;
  const int first_part = blockIdx.x * out.parts;
  work todo;
  find_tile<SHAPE>(args, by, out.whole + blockIdx.x, todo);
  const auto m_and_l = [&](int part) {
    return part_at<SHAPE>(to.sums, first_part + part, group)[128 * NUMBERS];
  };
  float m[2] = {NONE, NONE}, l[2] = {}, sum[2][4] = {};
  for (int part = 0; part < out.parts; part++) {
    const float4 its = m_and_l(part);
    m[0] = fmaxf(m[0], its.x);
    m[1] = fmaxf(m[1], its.y);
  }
  for (int part = 0; part < out.parts; part++) {
    const float4 its = m_and_l(part);
    const float4 *const place =
        part_at<SHAPE>(to.sums, first_part + part, group) + 256 * chunk;
    const float4 even = place[0], odd = place[128];
    const float weight[2] = {exp2_approx(its.x - m[0]),
                             exp2_approx(its.y - m[1])};
    const float numbers[2][4] = {{even.x, odd.x, even.y, odd.y},
                                 {even.z, odd.z, even.w, odd.w}};
    l[0] = fmaf(weight[0], its.z, l[0]);
    l[1] = fmaf(weight[1], its.w, l[1]);
#pragma unroll
    for (int r = 0; r < 2; r++)
#pragma unroll
      for (int i = 0; i < 4; i++)
        sum[r][i] = fmaf(weight[r], numbers[r][i], sum[r][i]);
  }
  const int row = todo.tile * SHAPE::TILE_M + 64 * group +
                  threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4;
  const float v_scale = args.v_scale[todo.batch * args.kv_heads + todo.kv_head];
#pragma unroll
  for (int r = 0; r < 2; r++)
    store_row<SHAPE>(
        args, to, todo, row + 8 * r, chunk, chunk + 1, m[r], l[r], v_scale,
        [&](int) {
          return float4{sum[r][0], sum[r][1], sum[r][2], sum[r][3]};
        });
}

template <typename SHAPE>
static int64_t tiles_of(const attention_args &args) {
  return (args.seq_len + SHAPE::TILE_M - 1) / SHAPE::TILE_M * args.heads *
         args.batch;
}

// As many heads a section as fit, where those that share K and V stay together,
// and as few sections, all alike.
static all_sections sections_of(const attention_args &args, int64_t tiles) {
  const int64_t per_kv = args.heads / args.kv_heads;
  const int64_t kv_heads = args.kv_heads * args.batch;
  const int64_t fit = CACHED_BYTES / (2 * args.head_dim * args.key_len);
  const int64_t count = fit > 0 ? (kv_heads + fit - 1) / fit : kv_heads;
  const int64_t its_kv_heads = (kv_heads + count - 1) / count;
  const int64_t used = (kv_heads + its_kv_heads - 1) / its_kv_heads;
  const int64_t heads = its_kv_heads * per_kv;
  return {static_cast<int>(used), divisor_of(heads * tiles), divisor_of(heads),
          divisor_of(kv_heads * per_kv - (used - 1) * heads)};
}

template <typename SHAPE>
static cudaError_t launch(const attention_args &args,
                          const kernel_options &options, const shared_out &out,
                          cudaStream_t stream) {
  const int64_t all = tiles_of<SHAPE>(args);
  const int64_t blocks = out.whole + (all - out.whole) * out.parts;
  const int64_t tiles = all / (args.heads * args.batch);  // of a head
  const dim3 grid(static_cast<unsigned>(
      blocks < options.multiprocessors ? blocks : options.multiprocessors));
  const divisors by = {
      divisor_of(args.heads), divisor_of(args.heads / args.kv_heads),
      divisor_of(tiles), divisor_of(out.parts), sections_of(args, tiles)};
  const attention_strides strides =
      args.strides ? *args.strides : contiguous_strides(&args);
  const output to = {strides.o, options.to_bf16,
                     static_cast<float4 *>(options.workspace)};
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
         sizeof(shared_memory<SHAPE>), stream, args, by, out, to, strides.v,
         q_map, k_map, v_map);
  error = cudaGetLastError();
  if (error || !SHAPE::SHARES_KEYS) return error;
  const dim3 pieces(static_cast<unsigned>(all - out.whole), SHAPE::ROW_GROUPS,
                    SHAPE::CHUNKS);
  LAUNCH(merge_kernel<SHAPE>, pieces, 128, 0, stream, args, by, out, to);
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
  const int64_t heads = args.heads * args.batch, all = tiles_of<SHAPE>(args);
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

// Without a mask, where the last turn has work for less than half of the
// blocks, more of them share its tiles, if that saves more than it takes to
// put them together, MERGE_STEPS.
struct plan {
  shared_out out;
  int64_t steps;
};

template <typename SHAPE>
static plan plan_of(const attention_args &args, const kernel_options &options) {
  const int64_t blocks = options.multiprocessors, all = tiles_of<SHAPE>(args);
  plan found = {{static_cast<int>(all), 1},
                steps_of_busiest<SHAPE>(args, blocks)};
  const int64_t rest = all % blocks;
  if (args.causal || rest == 0 || !options.may_share) return found;
  const int64_t tile = (args.key_len + SHAPE::TILE_N - 1) / SHAPE::TILE_N;
  int64_t parts = blocks / rest;
  if (parts > MOST_PARTS) parts = MOST_PARTS;
  if (parts > tile) parts = tile;
  const int64_t steps =
      all / blocks * tile + (tile + parts - 1) / parts + MERGE_STEPS;
  if (steps >= found.steps) return found;
  return {{static_cast<int>(all - rest), static_cast<int>(parts)}, steps};
}

// `act` gets the block's shape and what is shared out.
template <typename BLOCK, typename ACT>
static auto with(const attention_args &args, const shared_out &out,
                 const ACT &act) {
  if (args.causal) return act(block_for<BLOCK, true, false>(), out);
  if constexpr (BLOCK::KEY_GROUPS == 1)
    if (out.parts > 1) return act(block_for<BLOCK, false, true>(), out);
  return act(block_for<BLOCK, false, false>(), out);
}

// Where low blocks would leave half of the multiprocessors without work, the
// keys are split. Else that block is taken whose busiest is done first. Bits
// depend on the block.
template <typename BLOCKS, typename ACT>
static auto choose(const attention_args &args, const kernel_options &options,
                   const ACT &act) {
  using wide = typename BLOCKS::wide;
  using low = typename BLOCKS::low;
  using split = typename BLOCKS::split;
  const auto whole = [](int64_t tiles) {
    return shared_out{static_cast<int>(tiles), 1};
  };
  if (options.same_block)
    return with<wide>(args, whole(tiles_of<wide>(args)), act);
  if (2 * tiles_of<low>(args) <= options.multiprocessors)
    return with<split>(args, whole(tiles_of<split>(args)), act);
  const int64_t wide_step =
      args.causal ? BLOCKS::MASKED_WIDE_STEP : BLOCKS::WIDE_STEP;
  const plan low_plan = plan_of<low>(args, options);
  const plan wide_plan = plan_of<wide>(args, options);
  if (BLOCKS::LOW_STEP * low_plan.steps < wide_step * wide_plan.steps)
    return with<low>(args, low_plan.out, act);
  return with<wide>(args, wide_plan.out, act);
}

template <typename ACT>
static auto choose_of_all(const attention_args &args,
                          const kernel_options &options, const ACT &act) {
  if (args.head_dim == 64)
    return options.drift ? choose<blocks_64<0>>(args, options, act)
                         : choose<blocks_64<PROMOTE_KEYS>>(args, options, act);
  return options.drift ? choose<blocks_128<0>>(args, options, act)
                       : choose<blocks_128<PROMOTE_KEYS>>(args, options, act);
}

//> launch
extern "C" cudaError_t kernel_launch(const attention_args *args,
                                     const kernel_options *options,
                                     cudaStream_t stream) {
  return choose_of_all(*args, *options, [&](auto shape, const shared_out &out) {
    return launch<decltype(shape)>(*args, *options, out, stream);
  });
}
//< launch

extern "C" int64_t kernel_workspace(const attention_args *args,
                                    const kernel_options *options) {
  kernel_options with = *options;
  with.may_share = true;
  return choose_of_all(*args, with, [&](auto shape, const shared_out &out) {
    using SHAPE = decltype(shape);
    return (tiles_of<SHAPE>(*args) - out.whole) * out.parts *
           part_numbers<SHAPE>() * static_cast<int64_t>(sizeof(float4));
  });
}
