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
// toggle PROMOTE_KEYS: 0 512 1024
#ifndef PROMOTE_KEYS
#define PROMOTE_KEYS 0
#endif
// toggle USE_SNAKE_ORDER: 0 1
#ifndef USE_SNAKE_ORDER
#define USE_SNAKE_ORDER 1
#endif
// toggle SKIP_MASKED: 0 1
#ifndef SKIP_MASKED
#define SKIP_MASKED 1
#endif
// toggle CHOOSE_BLOCK: 0 1
#ifndef CHOOSE_BLOCK
#define CHOOSE_BLOCK 1
#endif
//< toggles

//> sizes
constexpr unsigned ALL_LANES = 0xffffffff;
constexpr float LOG2_E = 1.4426950408889634f;
constexpr float NONE = -1e30f;  // no key seen yet
constexpr unsigned BEGINNING = 8;  // a named barrier; the others begin at 1
// Scores may pass the reference by this many powers of two; P comes times
// 2^P_SHIFT. Together they stay below 448, E4M3's largest number.
constexpr float SLACK = 4.0f;
constexpr float P_SHIFT = 8.0f - SLACK;

// A block: one warpgroup that brings tiles, and ROW_GROUPS times KEY_GROUPS
// that consume them. Each of those has 64 rows, and every KEY_GROUPSth tile.
// Sums over SUM_KEYS keys stay in the tensor cores; 0: over all.
template <int DIM, int ROWS, int KEYS, int N, int SLOTS, int SUM_KEYS>
struct block_shape {
  static constexpr int HEAD_DIM = DIM, ROW_GROUPS = ROWS, KEY_GROUPS = KEYS;
  static constexpr int GROUPS = ROWS * KEYS, THREADS = 128 * (GROUPS + 1);
  static constexpr int TILE_M = 64 * ROWS, TILE_N = N, STAGES = SLOTS;
  static constexpr int Q_BYTES = TILE_M * DIM, TILE_BYTES = TILE_N * DIM;
  static constexpr int TURNED_BYTES = 128 * DIM;  // V^T in rows of 128 keys
  // Sums of output as floats, and a maximum and a sum a row.
  static constexpr int LD_O = DIM + 16;           // floats from row to row
  static constexpr int SUM_BYTES =
      KEYS == 1 && !SUM_KEYS ? 0 : 64 * GROUPS * (LD_O + 2) * 4;
  static constexpr bool PROMOTES = SUM_KEYS > 0;
  static constexpr int PROMOTE_STEPS = SUM_KEYS < N ? 1 : SUM_KEYS / N;
  static constexpr int BARRIERS = 2 + 6 * STAGES;
  static constexpr int SHARED_BYTES =
      Q_BYTES + STAGES * (2 * TILE_BYTES + TURNED_BYTES) + SUM_BYTES +
      8 * BARRIERS;
  // Together what the block was launched with.
  static constexpr int FEWER = GROUPS == 2 ? 40 : GROUPS == 3 ? 56 : 64;
  static constexpr int MORE = GROUPS == 2 ? 232 : GROUPS == 3 ? 152 : 104;
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
// Where the 16 codes at row, chunk of a tile lie: TMA writes them so, and
// wgmma reads them so.
template <int ROW_BYTES>
__device__ unsigned place(unsigned row, unsigned chunk) {
  chunk ^= ROW_BYTES == 64 ? row / 2 % 4 : row % 8;
  return row * ROW_BYTES + chunk * 16;
}
//< place

//> divisor
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
  return static_cast<int>(
      (static_cast<unsigned>(product >> 32) + n) >> d.shift);
}

__device__ int operator%(int n, const divisor &d) {
  return n - n / d * static_cast<int>(d.by);
}

// round: tiles of a head; where masked, heads of all batches.
struct divisors {
  divisor heads, heads_per_kv, round;
};
//< divisor

//> work
// A tile of rows, and how many tiles of keys it takes. Heads are numbered
// through all batches.
struct work {
  int tile, head, steps;
};

// What this block does in its n-th turn; false once nothing is left. Where
// later rows have more keys, they begin first. Then who had the longest tile in
// one turn gets the shortest in the next.
template <typename SHAPE>
__device__ bool work_in(const attention_args &args, const divisors &by,
                        int turn, work &found) {
  const int blocks = static_cast<int>(gridDim.x);
  const int block = static_cast<int>(blockIdx.x);
  const bool back = USE_SNAKE_ORDER && turn % 2 == 1;
  const int i = turn * blocks + (back ? blocks - 1 - block : block);
  const int length = static_cast<int>(args.seq_len);
  const int tiles = (length + SHAPE::TILE_M - 1) / SHAPE::TILE_M;
  const int heads = static_cast<int>(args.heads * args.batch);
  if (i >= tiles * heads) return false;
  found.head = args.causal ? i % by.round : i / by.round;
  found.tile = args.causal ? tiles - 1 - i / by.round : i % by.round;
  const int keys =
      args.causal ? min(length, (found.tile + 1) * SHAPE::TILE_M) : length;
  found.steps = (keys + SHAPE::TILE_N - 1) / SHAPE::TILE_N;
  return true;
}
//< work

//> kernel-begin
template <typename SHAPE>
__global__ void __launch_bounds__(SHAPE::THREADS, 1)
    attention_kernel(attention_args args, divisors by, tensor_strides o_strides,
                     const __grid_constant__ CUtensorMap q_map,
                     const __grid_constant__ CUtensorMap k_map,
                     const __grid_constant__ CUtensorMap v_map) {
  constexpr int HEAD_DIM = SHAPE::HEAD_DIM, TILE_N = SHAPE::TILE_N;
  constexpr int KEY_GROUPS = SHAPE::KEY_GROUPS;
  DYNAMIC_SHARED(uint8_t, shared);
  uint8_t *tile_q = shared;
  uint8_t *tiles_k = tile_q + SHAPE::Q_BYTES;
  uint8_t *tiles_v = tiles_k + SHAPE::STAGES * SHAPE::TILE_BYTES;
  uint8_t *turned_v = tiles_v + SHAPE::STAGES * SHAPE::TILE_BYTES;
  uint8_t *sums = turned_v + SHAPE::STAGES * SHAPE::TURNED_BYTES;
  auto *q_full = reinterpret_cast<uint64_t *>(sums + SHAPE::SUM_BYTES);
  uint64_t *q_empty = q_full + 1;
  uint64_t *k_full = q_empty + 1, *k_empty = k_full + SHAPE::STAGES;
  uint64_t *v_full = k_empty + SHAPE::STAGES, *v_empty = v_full + SHAPE::STAGES;
  uint64_t *turned_full = v_empty + SHAPE::STAGES;
  uint64_t *turned_empty = turned_full + SHAPE::STAGES;
//< kernel-begin

//> ring
  // The n-th tile of a block lies in slot n % STAGES, for the n / STAGES-th
  // time.
  const auto slot_of = [](unsigned n) { return n % SHAPE::STAGES; };
  const auto parity_of = [](unsigned n) { return n / SHAPE::STAGES % 2; };
//< ring

//> load
  unsigned n = 0, q_tiles = 0;  // tiles so far, of K and V, and of Q
  const auto load = [&](const work &todo, int step) {
    const int batch = todo.head / by.heads, head = todo.head % by.heads;
    const int kv_head = head / by.heads_per_kv;
    const unsigned slot = slot_of(n), parity = parity_of(n);
    mbarrier_wait(k_empty + slot, parity ^ 1);
    mbarrier_arrive_expecting(k_full + slot, SHAPE::TILE_BYTES);
    tma_load(tiles_k + slot * SHAPE::TILE_BYTES, k_map, k_full + slot,
             step * TILE_N, kv_head, batch);
    if (step == todo.steps - 1) {
      mbarrier_wait(q_empty, q_tiles % 2 ^ 1);
      mbarrier_arrive_expecting(q_full, SHAPE::Q_BYTES);
      tma_load(tile_q, q_map, q_full, todo.tile * SHAPE::TILE_M, head, batch);
      q_tiles++;
    }
    mbarrier_wait(v_empty + slot, parity ^ 1);
    mbarrier_arrive_expecting(v_full + slot, SHAPE::TILE_BYTES);
    tma_load(tiles_v + slot * SHAPE::TILE_BYTES, v_map, v_full + slot,
             step * TILE_N, kv_head, batch);
  };
//< load

//> barriers
  work todo;
  const int thread = threadIdx.x, lane = thread % 32;
  // From one lane: so the compiler knows that all of the warp agree on it.
  const int warp = __shfl_sync(ALL_LANES, thread / 32, 0);
  if (thread == 0) {
    tma_prefetch(q_map);
    tma_prefetch(k_map);
    tma_prefetch(v_map);
    mbarrier_init(q_full, 1);
    mbarrier_init(q_empty, 4 * SHAPE::GROUPS);
    for (int i = 0; i < SHAPE::STAGES; i++) {
      mbarrier_init(k_full + i, 1);
      mbarrier_init(k_empty + i, 4 * SHAPE::ROW_GROUPS);
      mbarrier_init(v_full + i, 1);
      mbarrier_init(v_empty + i, 3);
      mbarrier_init(turned_full + i, 3);
      mbarrier_init(turned_empty + i, 4 * SHAPE::ROW_GROUPS);
    }
    fence_async_proxy();
  }
  if (warp == 0) {
    named_barrier_arrive(BEGINNING, SHAPE::THREADS);
    if (thread == 0 && work_in<SHAPE>(args, by, 0, todo))
      load(todo, todo.steps - 1);
    __syncwarp();
  } else {
    named_barrier_sync(BEGINNING, SHAPE::THREADS);
  }
//< barriers

//> loader
  if (warp < 4) {
    fewer_registers<SHAPE::FEWER>();
    if (thread == 0) {
      for (int turn = 0; work_in<SHAPE>(args, by, turn, todo); turn++)
        for (int step = todo.steps - 1; step >= 0; step--, n++)
          if (n > 0) load(todo, step);  // the first is under way
    }
//< loader

//> turn-v
    if (warp > 0) {
      // Unsigned, for which dividing by a power of two is a shift.
      const unsigned my_row = lane / 16 * 8 + lane % 8, my_chunk = lane / 8 % 2;
      for (int turn = 0; work_in<SHAPE>(args, by, turn, todo); turn++)
        for (int step = 0; step < todo.steps; step++, n++) {
          const unsigned slot = slot_of(n), parity = parity_of(n);
          const uint8_t *v = tiles_v + slot * SHAPE::TILE_BYTES;
          uint8_t *turned = turned_v + slot * SHAPE::TURNED_BYTES;
          mbarrier_wait(v_full + slot, parity);
          mbarrier_wait(turned_empty + slot, parity ^ 1);
          constexpr unsigned PIECES = TILE_N / 32 * (HEAD_DIM / 16);
#pragma unroll 2
          for (unsigned piece = warp - 1; piece < PIECES; piece += 3) {
            const unsigned keys = piece % (TILE_N / 32);
            const unsigned c = piece / (TILE_N / 32);
            unsigned codes[4];
            ldmatrix_x4_trans(codes, v + place<HEAD_DIM>(32 * keys + lane, c));
            const unsigned rows[4] = {__byte_perm(codes[0], codes[1], 0x6420),
                                      __byte_perm(codes[2], codes[3], 0x6420),
                                      __byte_perm(codes[0], codes[1], 0x7531),
                                      __byte_perm(codes[2], codes[3], 0x7531)};
            stmatrix_x4(
                turned + place<128>(16 * c + my_row, 2 * keys + my_chunk),
                rows);
          }
          fence_async_proxy();
          __syncwarp();
          if (lane == 0) {
            mbarrier_arrive(v_empty + slot);
            mbarrier_arrive(turned_full + slot);
          }
        }
    }
    return;
  }
//< turn-v

//> consumer
  more_registers<SHAPE::MORE>();
  const int group = warp / 4 - 1;
  const int row_group = group % SHAPE::ROW_GROUPS;
  const int key_group = KEY_GROUPS == 1 ? 0 : group / SHAPE::ROW_GROUPS;
  const int pair = lane % 4;
  const int length = static_cast<int>(args.seq_len);
  const wgmma_tile my_q =
      wgmma_tile_at<HEAD_DIM>(tile_q + row_group * 64 * HEAD_DIM, 0);
  const wgmma_tile all_k = wgmma_tile_at<HEAD_DIM>(tiles_k, 0);
  const wgmma_tile all_v = wgmma_tile_at<128>(turned_v, 0);
  unsigned tiles = 0;
//< consumer

//> tile-begin
  for (int turn = 0; work_in<SHAPE>(args, by, turn, todo); turn++) {
    const int kv_head = todo.head / by.heads_per_kv, steps = todo.steps;
    const float score_scale = args.q_scale[todo.head] *
                              args.k_scale[kv_head] *
                              args.softmax_scale * LOG2_E;
    const float v_scale = args.v_scale[kv_head];
    const int warp_row =
        todo.tile * SHAPE::TILE_M + 64 * row_group + warp % 4 * 16;
    float s[TILE_N / 2], o[HEAD_DIM / 2];
#pragma unroll
    for (int j = 0; j < HEAD_DIM / 2; j++) o[j] = 0.0f;
    unsigned p[TILE_N / 32][4];
    float reference[2] = {NONE, NONE}, row_sum[2] = {0.0f, 0.0f}, rescale[2];
    float kept[2] = {0.0f, 0.0f};  // what promoted sums count, once there are
//< tile-begin

//> products
    const auto start_scores = [&](unsigned slot) {
      wgmma_fence(s);
#pragma unroll
      for (int c = 0; c < HEAD_DIM / 32; c++)
        wgmma_m64k32(s, wgmma_further(my_q, 32 * c),
                     wgmma_further(all_k, slot * SHAPE::TILE_BYTES + 32 * c),
                     c > 0);
      wgmma_commit();
    };
    const auto start_values = [&](unsigned slot) {
      wgmma_fence(o);
#pragma unroll
      for (int j = 0; j < TILE_N / 32; j++)
        wgmma_m64k32(o, p[j],
                     wgmma_further(all_v, slot * SHAPE::TURNED_BYTES + 32 * j),
                     true);
      wgmma_commit();
    };
//< products

//> mask
    const auto mask = [&](int step) {
      const int last = (step + 1) * TILE_N;
      if (last <= length && !(args.causal && last > warp_row + 1)) return;
#pragma unroll
      for (int j = 0; j < TILE_N / 2; j++) {
        const int key = step * TILE_N + j / 4 * 8 + 2 * pair + j % 2;
        const int row = warp_row + lane / 4 + j / 2 % 2 * 8;
        if (key >= length || (args.causal && key > row)) s[j] = -INFINITY;
      }
    };
//< mask

//> reference
    // Brings the reference up to the maximum where that has grown too far
    // above it; true if so.
    const auto renew_reference = [&] {
      float highest[2] = {s[0], s[2]};
      float other[2] = {s[1], s[3]};
#pragma unroll
      for (int j = 4; j < TILE_N / 2; j += 2) {
        highest[j / 2 % 2] = fmaxf(highest[j / 2 % 2], s[j]);
        other[j / 2 % 2] = fmaxf(other[j / 2 % 2], s[j + 1]);
      }
      bool grown = false;
#pragma unroll
      for (int half = 0; half < 2; half++) {
        highest[half] = fmaxf(highest[half], other[half]) * score_scale;
        if (highest[half] - reference[half] > SLACK) grown = true;
      }
      if (!__any_sync(ALL_LANES, grown)) return false;
#pragma unroll
      for (int half = 0; half < 2; half++) {
        const float now = fmaxf(reference[half], quad_max(highest[half]));
        rescale[half] = exp2_approx(reference[half] - now);
        reference[half] = now;
        row_sum[half] *= rescale[half];
        kept[half] *= rescale[half];
      }
      return true;
    };
//< reference

//> exponentials
    const auto exponentials = [&] {
      const float shift[2] = {P_SHIFT - reference[0], P_SHIFT - reference[1]};
#pragma unroll
      for (int j = 0; j < TILE_N / 2; j++) {
        const float x = fmaf(s[j], score_scale, shift[j / 2 % 2]);
        s[j] = exp2_approx(x);
        row_sum[j / 2 % 2] += s[j];
      }
    };
    const auto narrow = [&] {
#pragma unroll
      for (int j = 0; j < TILE_N / 32; j++)
#pragma unroll
        for (int r = 0; r < 4; r++) {
          const int from = 16 * j + r / 2 * 8 + r % 2 * 2;
          p[j][r] = narrow_four(s[from], s[from + 1], s[from + 4], s[from + 5]);
        }
    };
    const auto rescale_o = [&] {
#pragma unroll
      for (int j = 0; j < HEAD_DIM / 2; j++) o[j] *= rescale[j / 2 % 2];
    };
//< exponentials

//> promote
    // Tensor cores drop bits of long sums. So o joins, before it is one, those
    // of earlier keys: floats in shared memory, each thread's its own.
    const auto my_sum = [&](int half, int c) -> float4 & {
      const int row = 64 * group + warp % 4 * 16 + lane / 4 + 8 * half;
      auto *all = reinterpret_cast<float4 *>(sums);
      return all[row * SHAPE::LD_O / 4 + 4 * c + pair];
    };
    const auto sum_of = [&](int half, int c) {
      const float *even = &o[8 * c + 2 * half], *odd = even + 4;
      float4 x = {even[0], odd[0], even[1], odd[1]};
      if (SHAPE::PROMOTES && kept[half] > 0.0f) {
        const float4 before = my_sum(half, c);
        x.x = fmaf(kept[half], before.x, x.x);
        x.y = fmaf(kept[half], before.y, x.y);
        x.z = fmaf(kept[half], before.z, x.z);
        x.w = fmaf(kept[half], before.w, x.w);
      }
      return x;
    };
    const auto promote_if_due = [&](int step) {
      constexpr int EVERY = SHAPE::PROMOTE_STEPS;
      if (!SHAPE::PROMOTES || step / KEY_GROUPS % EVERY < EVERY - 1) return;
#pragma unroll
      for (int half = 0; half < 2; half++) {
#pragma unroll
        for (int c = 0; c < HEAD_DIM / 16; c++)
          my_sum(half, c) = sum_of(half, c);
        kept[half] = 1.0f;
      }
#pragma unroll
      for (int j = 0; j < HEAD_DIM / 2; j++) o[j] = 0.0f;
    };
//< promote

//> first-step
    mbarrier_wait(q_full, tiles % 2);
    int step = steps - 1 - key_group;  // the latest keys first
    unsigned now = n + key_group;
    const auto release = [&](uint64_t *barrier) {
      if (lane == 0) mbarrier_arrive(barrier);
    };
//> skip-masked
    // With the mask, keys past this group's last row are nothing to it.
    const int last_row = warp_row - warp % 4 * 16 + 63;
    if (SKIP_MASKED && KEY_GROUPS == 1 && args.causal) {
      for (; step * TILE_N > last_row; step--, now++) {
        mbarrier_wait(k_full + slot_of(now), parity_of(now));
        release(k_empty + slot_of(now));
        mbarrier_wait(turned_full + slot_of(now), parity_of(now));
        release(turned_empty + slot_of(now));
      }
    }
    const bool only_one = step < KEY_GROUPS;
//< skip-masked
    if (step >= 0) {
      mbarrier_wait(k_full + slot_of(now), parity_of(now));
      start_scores(slot_of(now));
      wgmma_wait<0>(s);
      release(k_empty + slot_of(now));
      mask(step);
      renew_reference();
      exponentials();
      narrow();
      step -= KEY_GROUPS;
//< first-step

//> overlapped
      if (step >= 0)
        mbarrier_wait(k_full + slot_of(now + KEY_GROUPS),
                      parity_of(now + KEY_GROUPS));
      for (; step >= 0; step -= KEY_GROUPS) {
        const unsigned before = now;
        now += KEY_GROUPS;
        start_scores(slot_of(now));
        mbarrier_wait(turned_full + slot_of(before), parity_of(before));
        start_values(slot_of(before));
        wgmma_wait<1>(s);
        release(k_empty + slot_of(now));
        if (step < KEY_GROUPS) release(q_empty);
        mask(step);
        const bool renewed = renew_reference();
        exponentials();
        wgmma_keep(s);
        // The branch in this wait keeps the compiler from moving the wait for
        // the products up, above the exponentials.
        if (step >= KEY_GROUPS)
          mbarrier_wait(k_full + slot_of(now + KEY_GROUPS),
                        parity_of(now + KEY_GROUPS));
        wgmma_wait<0>(o);
        release(turned_empty + slot_of(before));
        if (renewed) rescale_o();
        narrow();
        promote_if_due(step);
      }
//< overlapped

//> last-values
      mbarrier_wait(turned_full + slot_of(now), parity_of(now));
      start_values(slot_of(now));
      wgmma_wait<0>(o);
      release(turned_empty + slot_of(now));
    }
    if (only_one) release(q_empty);
    n += steps;
    tiles++;
    row_sum[0] = quad_sum(row_sum[0]);
    row_sum[1] = quad_sum(row_sum[1]);
//< last-values

//> store-output
    uint16_t *output = args.o + todo.head / by.heads * o_strides.batch +
                       todo.head % by.heads * o_strides.head;
    const auto store_four = [&](int row, int column, float4 x, float factor) {
      if (row >= length) return;
      const uint2 halves = {
          bits_of(__floats2half2_rn(x.x * factor, x.y * factor)),
          bits_of(__floats2half2_rn(x.z * factor, x.w * factor))};
      *reinterpret_cast<uint2 *>(output + row * o_strides.row + column) =
          halves;
    };
    if (KEY_GROUPS == 1) {
#pragma unroll
      for (int half = 0; half < 2; half++)
#pragma unroll
        for (int c = 0; c < HEAD_DIM / 16; c++)
          store_four(warp_row + lane / 4 + 8 * half, 16 * c + 4 * pair,
                     sum_of(half, c), __fdividef(v_scale, row_sum[half]));
    }
//< store-output

//> combine
    if (KEY_GROUPS > 1) {
      auto *all_o = reinterpret_cast<float *>(sums);
      float *all_reference = all_o + 64 * SHAPE::GROUPS * SHAPE::LD_O;
      float *all_sum = all_reference + 64 * SHAPE::GROUPS;
#pragma unroll
      for (int half = 0; half < 2; half++) {
        const int row = 64 * group + warp % 4 * 16 + lane / 4 + 8 * half;
        if (pair == 0) {
          all_reference[row] = reference[half];
          all_sum[row] = row_sum[half];
        }
#pragma unroll
        for (int c = 0; c < HEAD_DIM / 16; c++)
          my_sum(half, c) = sum_of(half, c);
      }
      named_barrier_sync(1 + row_group, 128 * KEY_GROUPS);
#pragma unroll
      for (int part = 0; part < HEAD_DIM / 8 / KEY_GROUPS; part++) {
        const int j = (part * KEY_GROUPS + key_group) * 128 + thread % 128;
        const int row = j / (HEAD_DIM / 4), column = j % (HEAD_DIM / 4) * 4;
        float highest = NONE;
#pragma unroll
        for (int g = 0; g < KEY_GROUPS; g++)
          highest = fmaxf(
              highest,
              all_reference[64 * (g * SHAPE::ROW_GROUPS + row_group) + row]);
        float sum = 0.0f;
        float4 total = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll
        for (int g = 0; g < KEY_GROUPS; g++) {
          const int at = 64 * (g * SHAPE::ROW_GROUPS + row_group) + row;
          const float weight = exp2_approx(all_reference[at] - highest);
          const float4 part = *reinterpret_cast<const float4 *>(
              &all_o[at * SHAPE::LD_O + column]);
          sum += weight * all_sum[at];
          total.x += weight * part.x;
          total.y += weight * part.y;
          total.z += weight * part.z;
          total.w += weight * part.w;
        }
        store_four(todo.tile * SHAPE::TILE_M + 64 * row_group + row, column,
                   total, __fdividef(v_scale, sum));
      }
      named_barrier_sync(1 + row_group, 128 * KEY_GROUPS);
    }
  }
}
//< combine

//> launch-shape
template <typename SHAPE>
static int64_t blocks_of(const attention_args &args) {
  return (args.seq_len + SHAPE::TILE_M - 1) / SHAPE::TILE_M * args.heads *
         args.batch;
}

template <typename SHAPE>
static cudaError_t launch(const attention_args &args, int64_t multiprocessors,
                          cudaStream_t stream) {
  const attention_strides strides =
      args.strides ? *args.strides : contiguous_strides(&args);
  const auto map_of = [&](CUtensorMap *map, const uint8_t *codes, int64_t heads,
                          const tensor_strides &apart, int tile_rows) {
    return tensor_map(map, codes, args.head_dim, args.seq_len, heads,
                      args.batch, apart, tile_rows);
  };
  CUtensorMap q, k, v;
  cudaError_t error = map_of(&q, args.q, args.heads, strides.q, SHAPE::TILE_M);
  if (!error)
    error = map_of(&k, args.k, args.kv_heads, strides.k, SHAPE::TILE_N);
  if (!error)
    error = map_of(&v, args.v, args.kv_heads, strides.v, SHAPE::TILE_N);
  if (!error)
    error = cudaFuncSetAttribute(
        reinterpret_cast<const void *>(attention_kernel<SHAPE>),
        cudaFuncAttributeMaxDynamicSharedMemorySize, SHAPE::SHARED_BYTES);
  if (error) return error;
  const int64_t blocks = blocks_of<SHAPE>(args);
  const dim3 grid(static_cast<unsigned>(
      blocks < multiprocessors ? blocks : multiprocessors));
  const int64_t heads = args.heads * args.batch;
  const divisors by = {
      divisor_of(args.heads), divisor_of(args.heads / args.kv_heads),
      divisor_of(args.causal ? heads : blocks_of<SHAPE>(args) / heads)};
  LAUNCH(attention_kernel<SHAPE>, grid, SHAPE::THREADS, SHAPE::SHARED_BYTES,
         stream, args, by, strides.o, q, k, v);
  return cudaGetLastError();
}
//< launch-shape

//> block-shapes
extern "C" const attention_support stage_support = {
    {64, 128}, TAKES_CAUSAL | TAKES_GROUPED | TAKES_STRIDES, P_E4M3};
extern "C" const char stage_toggles[] =
    TOGGLE(PROMOTE_KEYS) " " TOGGLE(USE_SNAKE_ORDER) " " TOGGLE(
        SKIP_MASKED) " " TOGGLE(CHOOSE_BLOCK);

// HEAD_DIM, ROW_GROUPS, KEY_GROUPS, TILE_N, slots, keys a sum. A step of a wide
// block takes WIDE_STEP, one of a low block LOW_STEP, in the same unit.
template <int SUM_KEYS>
struct blocks_64 {
  using wide = block_shape<64, 3, 1, 128, 4, SUM_KEYS>;
  using low = block_shape<64, 2, 1, 128, 4, SUM_KEYS>;
  using split = block_shape<64, 2, 2, 64, 4, SUM_KEYS>;
  using narrow = block_shape<64, 1, 2, 128, 4, SUM_KEYS>;
  static constexpr int WIDE_STEP = 4, LOW_STEP = 3;
};
template <int SUM_KEYS>
struct blocks_128 {
  using wide = block_shape<128, 3, 1, 96, SUM_KEYS ? 2 : 4, SUM_KEYS>;
  using low = block_shape<128, 2, 1, 128, SUM_KEYS ? 2 : 4, SUM_KEYS>;
  using split = block_shape<128, 1, 2, 64, 4, SUM_KEYS>;
  using narrow = split;
  static constexpr int WIDE_STEP = 1, LOW_STEP = 1;
};
//< block-shapes

//> busiest
// How many tiles of keys the busier of the first and the last block goes
// through. Without a mask none has more, and with one seldom much more.
template <typename SHAPE>
static int64_t steps_of_busiest(const attention_args &args, int64_t blocks) {
  const int64_t heads = args.heads * args.batch, all = blocks_of<SHAPE>(args);
  const auto steps_of = [&](int64_t i) -> int64_t {
    if (i >= all) return 0;
    const int64_t tile = all / heads - 1 - i / heads;  // where masked
    const int64_t last_row = (tile + 1) * SHAPE::TILE_M;
    const int64_t keys = args.causal && last_row < args.seq_len
                             ? last_row : args.seq_len;
    return (keys + SHAPE::TILE_N - 1) / SHAPE::TILE_N;
  };
  int64_t first = 0, last = 0;
  for (int64_t turn = 0; turn * blocks < all; turn++) {
    const int64_t begin = turn * blocks, end = begin + blocks - 1;
    const bool back = USE_SNAKE_ORDER && turn % 2 == 1;
    first += steps_of(back ? end : begin);
    last += steps_of(back ? begin : end);
  }
  return first > last ? first : last;
}
//< busiest

//> choose
// Where the multiprocessors would not all have a block, the keys are split.
// Else that block is taken whose busiest is done first.
template <typename BLOCKS>
static cudaError_t choose(const attention_args &args, cudaStream_t stream) {
  using wide = typename BLOCKS::wide;
  using low = typename BLOCKS::low;
  int device = 0, multiprocessors = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (!error)
    error = cudaDeviceGetAttribute(&multiprocessors,
                                   cudaDevAttrMultiProcessorCount, device);
  if (error) return error;
  if (2 * blocks_of<typename BLOCKS::split>(args) <= multiprocessors)
    return launch<typename BLOCKS::narrow>(args, multiprocessors, stream);
  if (blocks_of<wide>(args) < multiprocessors)
    return launch<typename BLOCKS::split>(args, multiprocessors, stream);
  if (CHOOSE_BLOCK &&
      BLOCKS::LOW_STEP * steps_of_busiest<low>(args, multiprocessors) <
          BLOCKS::WIDE_STEP * steps_of_busiest<wide>(args, multiprocessors))
    return launch<low>(args, multiprocessors, stream);
  return launch<wide>(args, multiprocessors, stream);
}
//< choose

//> launch
template <int SUM_KEYS>
static cudaError_t start(const attention_args &args, cudaStream_t stream) {
  if (!attention_supports(&stage_support, &args)) return cudaErrorInvalidValue;
  if (args.head_dim == 64) return choose<blocks_64<SUM_KEYS>>(args, stream);
  return choose<blocks_128<SUM_KEYS>>(args, stream);
}

extern "C" cudaError_t stage_launch(const attention_args *args,
                                    cudaStream_t stream) {
  return start<PROMOTE_KEYS>(*args, stream);
}
//< launch
