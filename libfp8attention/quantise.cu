/* Codes and scales of fp16 and bf16 tensors. Each value is needed twice: for
 * the largest of its head, and then for its code. But it is read from memory
 * once: it stays in shared memory until all of its head has been looked at.
 *
 * While there are items that nobody has taken, a block waits for no other one:
 * if its slots are full, it leaves its oldest item, to read it again later.
 * Behind that each item is in the hands of a block that runs and looks at it
 * before it waits. So every wait ends, however few blocks run at once. */

#include "common/device/interface/launch.cuh"
#include "libfp8attention/quantise.h"

#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_pipeline.h>

constexpr int BLOCKS_A_MULTIPROCESSOR = 1;
constexpr int WORKERS = 256; // threads with values
constexpr int WORKER_WARPS = WORKERS / 32;
constexpr int THREADS = WORKERS + 64; // and two warps, clerk and fetcher
constexpr int CHUNK = 8;              // values in 16 bytes
constexpr int SWEEPS = QUANTISE_ITEM / (WORKERS * CHUNK);
constexpr uint32_t SLOTS = 7, AHEAD = 2;
constexpr uint32_t KEPT = SLOTS - AHEAD - 1; // after a round
constexpr uint32_t PLACES = SLOTS + 2; // slow warps need the last one, the
                                       // fetcher fills the next one
constexpr uint32_t LOOKED = 0x80000000, NO_ITEM = 0xffffffff;
constexpr int WORDS = 8; // of a lane of the clerk
constexpr size_t RING_BYTES = SLOTS * QUANTISE_ITEM * sizeof(uint16_t);
static_assert(SWEEPS * WORKERS * CHUNK == QUANTISE_ITEM);
static_assert(SLOTS > AHEAD + 1 && AHEAD <= 32 && WORKER_WARPS <= 32);

// ---- what is where

// What of a tensor an item is: rows of one head, which begin here.
struct item_place {
  const uint16_t *values;
  uint8_t *codes;
  float *scale; // of its head, where it is the head's first item
  int64_t values_row, codes_row;
  uint32_t item, chunks, bf16;
  uint32_t shift;        // a row has 1 << shift chunks
  uint32_t first, parts; // the items of its head
};

__device__ static item_place place_of(const quantise_args &a, uint32_t item) {
  uint32_t i = 0;
  while (i + 1 < a.count && item >= a.tensor[i + 1].first_item) i++;
  const quantise_tensor &t = a.tensor[i];
  const uint32_t within = item - t.first_item, of_all = within / t.parts;
  const uint32_t part = within % t.parts;
  const uint32_t batch = of_all / t.heads, head = of_all % t.heads;
  const int64_t row = static_cast<int64_t>(part) * t.part_rows;
  const int64_t rows = t.rows - row;
  item_place p;
  p.values =
      t.values + batch * t.from.batch + head * t.from.head + row * t.from.row;
  p.codes = t.codes + batch * t.to.batch + head * t.to.head + row * t.to.row;
  p.scale = part == 0 ? t.scale + of_all : nullptr;
  p.values_row = t.from.row;
  p.codes_row = t.to.row;
  p.item = item;
  p.shift = t.head_dim == 128 ? 4 : 3;
  p.chunks = (rows < t.part_rows ? static_cast<uint32_t>(rows) : t.part_rows)
             << p.shift;
  p.bf16 = t.bf16;
  p.first = item - part;
  p.parts = t.parts;
  return p;
}

// A sweep takes one chunk for each worker, as many as there are.
__device__ static bool has_chunk(const item_place &p, int sweep) {
  return sweep * WORKERS + threadIdx.x < p.chunks;
}

// Where this thread's first chunk lies, counted from the item's first value,
// and how far the one of the next sweep is from it.
__device__ static int64_t offset_of(const item_place &p, int64_t row_stride) {
  const uint32_t column = threadIdx.x & ((1u << p.shift) - 1);
  return (threadIdx.x >> p.shift) * row_stride + column * CHUNK;
}

__device__ static int64_t step_of(const item_place &p, int64_t row_stride) {
  return (WORKERS >> p.shift) * row_stride;
}

__device__ static uint4 *chunk_of(uint4 *ring, uint32_t number, int sweep) {
  return ring + number % SLOTS * (QUANTISE_ITEM / CHUNK) + sweep * WORKERS +
         threadIdx.x;
}

//> window
// The block's items are numbered as they come. Those below `encoded` are done
// with, those below `looked` kept, and the others on their way. A bit of
// `under_way` is a round: the item that was taken AHEAD rounds ago has come.
struct window {
  uint32_t taken, looked, encoded, under_way;
};

// What the clerk wants done in a round, the same for all threads.
struct command {
  uint32_t take, finish; // items: to load, and to be done with
  uint32_t encode, end;  // else those of `finish` are left; the last round
  float scale, inverse;
};

struct block_state {
  item_place place[PLACES];
  command to[2];    // of even and odd rounds
  uint32_t next[2]; // the items to take in them
  uint32_t largest[2][WORKER_WARPS];
};

__device__ static bool has_come(const window &w) {
  return w.under_way >> (AHEAD - 1) & 1;
}

__device__ static void advance(window &w, const command &to) {
  w.looked += has_come(w);
  w.under_way = w.under_way << 1 | to.take;
  w.taken += to.take;
  w.encoded += to.finish;
}
//< window

// ---- workers

// Each thread copies for itself: what it loads, only it reads.
__device__ static void load(item_place p, uint4 *ring, uint32_t number) {
  const uint16_t *from = p.values + offset_of(p, p.values_row);
#pragma unroll
  for (int s = 0; s < SWEEPS; s++) {
    if (has_chunk(p, s))
      __pipeline_memcpy_async(chunk_of(ring, number, s), from, sizeof(uint4));
    from += step_of(p, p.values_row);
  }
}

// Zeros where there is no chunk.
__device__ static void read(const item_place &p, uint4 *ring, uint32_t number,
                            uint4 (&values)[SWEEPS]) {
#pragma unroll
  for (int s = 0; s < SWEEPS; s++) {
    values[s] = {};
    if (has_chunk(p, s)) values[s] = *chunk_of(ring, number, s);
  }
}

//> look
// The largest magnitude in the upper half and in the lower half of the words.
// Below the upper half may stand anything, it decides nothing.
struct halves {
  unsigned upper, lower;
};

__device__ static void look_at(unsigned two, halves &largest) {
  largest.upper = max(largest.upper, two & 0x7fffffff);
  largest.lower = max(largest.lower, two & 0x7fff);
}

__device__ static unsigned largest_of(const uint4 (&values)[SWEEPS]) {
  halves largest = {};
#pragma unroll
  for (const uint4 &v : values) {
    look_at(v.x, largest);
    look_at(v.y, largest);
    look_at(v.z, largest);
    look_at(v.w, largest);
  }
  return max(largest.upper >> 16, largest.lower);
}
//< look

// The same where some are no finite numbers: these do not count.
__device__ static unsigned magnitude(unsigned bits, unsigned infinity) {
  const unsigned size = bits & 0x7fff;
  return size < infinity ? size : 0;
}

__device__ static unsigned largest_finite_of(const uint4 (&values)[SWEEPS],
                                             unsigned infinity) {
  unsigned largest = 0;
  for (const uint4 &v : values)
    for (const unsigned two : {v.x, v.y, v.z, v.w})
      largest = max(largest, max(magnitude(two, infinity),
                                 magnitude(two >> 16, infinity)));
  return largest;
}

__device__ static void look(block_state &s, uint4 *ring, uint32_t number,
                            uint32_t round) {
  const item_place p = s.place[number % PLACES];
  const unsigned infinity = p.bf16 ? 0x7f80 : 0x7c00;
  uint4 values[SWEEPS];
  read(p, ring, number, values);
  unsigned largest = largest_of(values);
  if (largest >= infinity) largest = largest_finite_of(values, infinity);
  largest = __reduce_max_sync(0xffffffff, largest);
  if (threadIdx.x % 32 == 0) s.largest[round % 2][threadIdx.x / 32] = largest;
}

template <bool BF16> __device__ static float2 as_floats(unsigned two) {
  if (BF16)
    return {__uint_as_float(two << 16), __uint_as_float(two & 0xffff0000)};
  const __half2_raw halves = {static_cast<unsigned short>(two & 0xffff),
                              static_cast<unsigned short>(two >> 16)};
  return __half22float2(halves);
}

//> encode
// A quotient to the last bit in three instructions: the product with the
// inverse, and by how much that is too large. That holds while nothing
// underflows. An infinity leaves NaN; less itself, it is NaN, too.
template <bool FAST>
__device__ static float quotient(float x, const command &by) {
  if (!FAST) return x - x == 0.0f ? x / by.scale : x - x;
  const float near = x * by.inverse;
  const float over = fmaf(near, by.scale, -x);
  return fmaf(-over, by.inverse, near);
}

template <bool BF16, bool FAST>
__device__ static unsigned two_codes(unsigned two, const command &by) {
  float2 x = as_floats<BF16>(two);
  x.x = quotient<FAST>(x.x, by);
  x.y = quotient<FAST>(x.y, by);
  return __nv_cvt_float2_to_fp8x2(x, __NV_SATFINITE, __NV_E4M3);
}

template <bool BF16, bool FAST>
__device__ static uint2 eight_codes(const uint4 &v, const command &by) {
  return {
      two_codes<BF16, FAST>(v.x, by) | two_codes<BF16, FAST>(v.y, by) << 16,
      two_codes<BF16, FAST>(v.z, by) | two_codes<BF16, FAST>(v.w, by) << 16};
}
//< encode

template <bool BF16, bool FAST>
__device__ static void encode_item(const item_place &p, uint4 *ring,
                                   uint32_t number, const command &by) {
  uint4 values[SWEEPS];
  read(p, ring, number, values);
  uint8_t *to = p.codes + offset_of(p, p.codes_row);
#pragma unroll
  for (int s = 0; s < SWEEPS; s++) {
    if (has_chunk(p, s))
      *reinterpret_cast<uint2 *>(to) = eight_codes<BF16, FAST>(values[s], by);
    to += step_of(p, p.codes_row);
  }
  if (p.scale && threadIdx.x == 0) *p.scale = by.scale;
}

// Halves are never so small that they would need the slow way.
__device__ static void encode(item_place p, uint4 *ring, uint32_t number,
                              const command &by) {
  if (!p.bf16)
    encode_item<false, true>(p, ring, number, by);
  else if (by.scale > 0x1p-60f)
    encode_item<true, true>(p, ring, number, by);
  else
    encode_item<true, false>(p, ring, number, by);
}

__device__ static void work(block_state &s, uint4 *ring, const window &w,
                            const command &to) {
  if (to.take) load(s.place[w.taken % PLACES], ring, w.taken);
  __pipeline_commit(); // of every round one, be it empty
  if (!to.encode) return;
  for (uint32_t i = w.encoded; i < w.encoded + to.finish; i++)
    encode(s.place[i % PLACES], ring, i, to);
}

// ---- the clerk

// What the lanes of the clerk's warp know; all the same but for `words`.
struct clerk {
  uint32_t left;         // the latest item that was left
  bool exhausted;        // all have been taken
  uint32_t head, seen;   // of the oldest kept: its first item; how many of
  uint32_t largest;      // its items have been looked at; their largest
  uint32_t words[WORDS]; // of the next ones, on their way
};

__device__ static uint32_t lane() { return threadIdx.x % 32; }

// Asks for the words of the oldest kept item's head. The answers are needed in
// the next round only.
__device__ static void ask(const quantise_args &a, const item_place &oldest,
                           clerk &c) {
  if (oldest.first != c.head) {
    c.head = oldest.first;
    c.seen = c.largest = 0;
  }
  const volatile uint32_t *words = a.state->word + oldest.first;
#pragma unroll
  for (int i = 0; i < WORDS; i++) {
    const uint32_t part = c.seen + 32 * i + lane();
    c.words[i] = part < oldest.parts ? words[part] : LOOKED;
  }
}

// Has all of that head been looked at? Then c.largest is final.
__device__ static bool is_known(const item_place &oldest, clerk &c) {
  uint32_t all = LOOKED, largest = 0;
#pragma unroll
  for (int i = 0; i < WORDS; i++) {
    all &= c.words[i];
    largest = max(largest, c.words[i] & ~LOOKED);
  }
  if (!__all_sync(0xffffffff, all)) return false;
  c.largest = max(c.largest, __reduce_max_sync(0xffffffff, largest));
  c.seen += 32 * WORDS;
  return c.seen >= oldest.parts;
}

__device__ static void set_scale(command &to, uint32_t bits, bool bf16) {
  const float2 largest = bf16 ? as_floats<true>(bits) : as_floats<false>(bits);
  to.scale = largest.x > 0.0f ? largest.x / 448.0f : 1.0f;
  to.inverse = 1.0f / to.scale;
}

//> finish
// The oldest kept item and those behind it of the same head are encoded when
// its largest value is known. Else it is left where it takes the room of
// another one. A chain of words leads from each item that was left to the one
// before it.
__device__ static void finish(const quantise_args &a, const block_state &s,
                              const window &w, clerk &c, command &to) {
  if (w.encoded == w.looked) return;
  const item_place &oldest = s.place[w.encoded % PLACES];
  if (is_known(oldest, c)) {
    to.encode = 1;
    set_scale(to, c.largest, oldest.bf16);
    while (w.encoded + to.finish < w.looked &&
           s.place[(w.encoded + to.finish) % PLACES].first == c.head)
      to.finish++;
  } else if (!c.exhausted && w.looked + has_come(w) - w.encoded > KEPT) {
    to.finish = 1;
    if (lane() == 0) a.state->word[a.items + oldest.item] = c.left;
    c.left = oldest.item;
  }
}
//< finish

//> take
// The next item that nobody has; when there is none, one that was left.
__device__ static uint32_t take(const quantise_args &a, const block_state &s,
                                const window &w, clerk &c, uint32_t round) {
  const uint32_t next = s.next[round % 2];
  c.exhausted = next >= a.items;
  if (!c.exhausted) return next;
  const uint32_t left = c.left;
  if (left == NO_ITEM || w.taken - w.encoded == SLOTS) return NO_ITEM;
  __syncwarp(); // it may have been left in this round
  c.left = a.state->word[a.items + left];
  return left;
}
//< take

//> decide
// Before the round's barrier, while the workers look.
__device__ static void decide(const quantise_args &a, block_state &s,
                              const window &w, clerk &c, uint32_t round) {
  command to = {};
  finish(a, s, w, c, to);
  const uint32_t item = take(a, s, w, c, round);
  to.take = item != NO_ITEM;
  to.end = !to.take && w.taken == w.encoded;
  if (lane() != 0) return;
  s.to[round % 2] = to;
  if (to.take && c.exhausted) s.place[w.taken % PLACES] = place_of(a, item);
}
//< decide

//> report
// Behind it, while they encode. A word says both that there was a look and what
// it found, so no second word need be in order with it.
__device__ static void report(const quantise_args &a, const block_state &s,
                              const window &w, uint32_t round) {
  const uint32_t mine =
      lane() < WORKER_WARPS ? s.largest[round % 2][lane()] : 0;
  const uint32_t largest = __reduce_max_sync(0xffffffff, mine);
  const uint32_t item = s.place[w.looked % PLACES].item;
  if (lane() == 0) atomicExch(&a.state->word[item], LOOKED | largest);
}
//< report

// ---- the fetcher

//> fetch
// For the next round: an item that nobody has, and what is where in it.
__device__ static void fetch(const quantise_args &a, block_state &s,
                             uint32_t number, uint32_t round) {
  if (lane() != 0) return;
  uint32_t item = s.next[(round + 1) % 2];
  if (item < a.items) item = atomicAdd(&a.state->next, 1u);
  s.next[round % 2] = item;
  if (item < a.items) s.place[number % PLACES] = place_of(a, item);
}
//< fetch

// The first items, one for each lane.
__device__ static uint32_t take_first(const quantise_args &a, block_state &s) {
  const uint32_t share = (a.items + gridDim.x - 1) / gridDim.x;
  uint32_t item = NO_ITEM;
  if (lane() < AHEAD && lane() < share) item = atomicAdd(&a.state->next, 1u);
  const unsigned taken = __ballot_sync(0xffffffff, item < a.items);
  if (item < a.items)
    s.place[__popc(taken & ((1u << lane()) - 1))] = place_of(a, item);
  if (lane() == 0) s.next[1] = 0;
  return __popc(taken);
}

//> kernel
__global__ static void __launch_bounds__(THREADS, BLOCKS_A_MULTIPROCESSOR)
quantise(const __grid_constant__ quantise_args a) {
  DYNAMIC_SHARED(uint4, ring);
  __shared__ block_state s;
  const bool is_worker = threadIdx.x < WORKERS;
  const bool is_clerk = threadIdx.x / 32 == WORKER_WARPS;
  const bool is_fetcher = threadIdx.x / 32 == WORKER_WARPS + 1;
  clerk c = {NO_ITEM, false, NO_ITEM, 0, 0, {}};
  if (is_fetcher) {
    const uint32_t first = take_first(a, s);
    if (lane() == 0) s.to[1].take = first;
    fetch(a, s, first, 0);
  }
  __syncthreads();
  window w = {s.to[1].take, 0, 0, 0};
  w.under_way = ~(0xffffffffu >> w.taken) >> (32 - AHEAD);
  for (uint32_t i = 0; i < AHEAD && is_worker; i++) {
    if (i < w.taken) load(s.place[i], ring, i);
    __pipeline_commit();
  }
  for (uint32_t round = 0;; round++) {
    if (is_fetcher) {
      fetch(a, s, w.taken + 1, round + 1);
    } else if (is_clerk) {
      decide(a, s, w, c, round);
    } else {
      __pipeline_wait_prior(AHEAD - 1);
      if (has_come(w)) look(s, ring, w.looked, round);
    }
    __syncthreads();
    const command to = s.to[round % 2];
    if (to.end) return;
    if (is_clerk) {
      if (has_come(w)) report(a, s, w, round);
    } else if (is_worker) {
      work(s, ring, w, to);
    }
    advance(w, to);
    if (is_clerk && w.encoded < w.looked)
      ask(a, s.place[w.encoded % PLACES], c);
  }
}
//< kernel

// Room for the ring, and for the blocks that a multiprocessor should have.
static cudaError_t set_shared_memory() {
  const cudaError_t error = cudaFuncSetAttribute(
      quantise, cudaFuncAttributeMaxDynamicSharedMemorySize, RING_BYTES);
  if (error) return error;
  return cudaFuncSetAttribute(quantise,
                              cudaFuncAttributePreferredSharedMemoryCarveout,
                              cudaSharedmemCarveoutMaxShared);
}

extern "C" cudaError_t quantise_launch(const quantise_args *args,
                                       cudaStream_t stream) {
  int device = 0, multiprocessors = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (!error)
    error = cudaDeviceGetAttribute(&multiprocessors,
                                   cudaDevAttrMultiProcessorCount, device);
  if (!error) error = set_shared_memory();
  if (!error)
    error = cudaMemsetAsync(
        args->state, 0,
        sizeof *args->state + args->items * sizeof *args->state->word, stream);
  if (error) return error;
  const uint32_t most = multiprocessors * BLOCKS_A_MULTIPROCESSOR;
  const uint32_t blocks = args->items < most ? args->items : most;
  LAUNCH(quantise, blocks, THREADS, RING_BYTES, stream, *args);
  return cudaPeekAtLastError();
}
