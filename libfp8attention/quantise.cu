/* Codes and scales of fp16 and bf16 tensors. Each value is needed twice: for
 * the largest of its head, and then for its code. The first kernel does both,
 * the code soon after the look, while the values are still in the L2 cache.
 * Nobody waits in it: whose head is not looked through yet is left, and what is
 * left in the end, the second kernel does. */

#include "common/device/interface/launch.cuh"
#include "libfp8attention/quantise.h"

#include <cuda_fp16.h>
#include <cuda_fp8.h>

constexpr int THREADS = 256, WARPS = THREADS / 32;
constexpr int PIECE = 16; // values of a thread in one sweep
constexpr int SWEEPS = QUANTISE_ITEM / (THREADS * PIECE);
constexpr unsigned NO_ITEM = 0xffffffff;
constexpr int BLOCKS_A_MULTIPROCESSOR = 3; // with 4, registers spill

// What of a tensor an item is: rows [first, end) of one head.
struct item_place {
  const quantise_tensor *tensor;
  uint32_t batch, head, state; // state: the head counted through all tensors
  int64_t first, end;
};

__device__ static item_place place_of(const quantise_args &a, uint32_t item) {
  uint32_t t = 0;
  while (t + 1 < a.count && item >= a.tensor[t + 1].first_item) t++;
  const quantise_tensor &tensor = a.tensor[t];
  const uint32_t within = item - tensor.first_item;
  const uint32_t of_all = within / tensor.parts;
  const uint32_t rows = QUANTISE_ITEM / tensor.head_dim;
  item_place p;
  p.tensor = &tensor;
  p.batch = of_all / tensor.heads;
  p.head = of_all % tensor.heads;
  p.state = tensor.first_head + of_all;
  p.first = static_cast<int64_t>(within % tensor.parts) * rows;
  p.end = p.first + rows < tensor.rows ? p.first + rows : tensor.rows;
  return p;
}

// The row and the column of this thread's piece in a sweep.
__device__ static int64_t row_of(const item_place &p, int sweep) {
  const int a_row = p.tensor->head_dim / PIECE;
  return p.first + (sweep * THREADS + threadIdx.x) / a_row;
}

__device__ static int column_of(const item_place &p) {
  return threadIdx.x % (p.tensor->head_dim / PIECE) * PIECE;
}

struct piece {
  uint4 half[2]; // 8 values each
};

// Zeros where the head has no row any more.
__device__ static void load(const item_place &p, piece (&pieces)[SWEEPS]) {
  const quantise_tensor &t = *p.tensor;
  const uint16_t *head =
      t.values + p.batch * t.from.batch + p.head * t.from.head;
#pragma unroll
  for (int s = 0; s < SWEEPS; s++) {
    const int64_t row = row_of(p, s);
    pieces[s] = {};
    if (row >= p.end) continue;
    const uint4 *from = reinterpret_cast<const uint4 *>(
        head + row * t.from.row + column_of(p));
    pieces[s].half[0] = from[0];
    pieces[s].half[1] = from[1];
  }
}

//> look
// The magnitude in the low 15 bits, or 0 where they are no finite number. The
// bits of magnitudes grow as they do, in both formats.
__device__ static unsigned magnitude(unsigned bits, unsigned infinity) {
  const unsigned size = bits & 0x7fff;
  return size < infinity ? size : 0;
}

__device__ static unsigned largest_of_four(unsigned a, unsigned b,
                                           unsigned infinity) {
  return max(max(magnitude(a, infinity), magnitude(a >> 16, infinity)),
             max(magnitude(b, infinity), magnitude(b >> 16, infinity)));
}

__device__ static unsigned largest_of(const piece (&pieces)[SWEEPS],
                                      unsigned infinity) {
  unsigned largest = 0;
#pragma unroll
  for (int s = 0; s < SWEEPS; s++)
#pragma unroll
    for (int h = 0; h < 2; h++) {
      const uint4 &v = pieces[s].half[h];
      largest = max(largest, max(largest_of_four(v.x, v.y, infinity),
                                 largest_of_four(v.z, v.w, infinity)));
    }
  return largest;
}
//< look

//> encode
__device__ static float as_float(unsigned bits, int bf16) {
  return bf16 ? __uint_as_float(bits << 16)
              : __half2float(__ushort_as_half(
                    static_cast<unsigned short>(bits & 0xffff)));
}

struct divisor {
  float scale, inverse;
  bool fast;
};

// A quotient to the last bit in three instructions: the product with the
// inverse, and what it left over. That holds while nothing underflows. An
// infinity leaves NaN over; less itself, it is NaN, too.
__device__ static float quotient(float x, const divisor &by) {
  if (!by.fast) return x - x == 0.0f ? x / by.scale : x - x;
  const float near = x * by.inverse;
  const float left = fmaf(-near, by.scale, x);
  return copysignf(fmaf(left, by.inverse, near), x);
}

__device__ static unsigned two_codes(unsigned bits, int bf16,
                                     const divisor &by) {
  const float2 quotients = {quotient(as_float(bits & 0xffff, bf16), by),
                            quotient(as_float(bits >> 16, bf16), by)};
  return __nv_cvt_float2_to_fp8x2(quotients, __NV_SATFINITE, __NV_E4M3);
}

__device__ static uint2 eight_codes(const uint4 &v, int bf16,
                                    const divisor &by) {
  return {two_codes(v.x, bf16, by) | two_codes(v.y, bf16, by) << 16,
          two_codes(v.z, bf16, by) | two_codes(v.w, bf16, by) << 16};
}

__device__ static void encode(const quantise_args &a, uint32_t item,
                              unsigned largest_bits) {
  const item_place p = place_of(a, item);
  const quantise_tensor &t = *p.tensor;
  piece pieces[SWEEPS];
  load(p, pieces);
  const float largest = as_float(largest_bits, t.bf16);
  const float scale = largest > 0.0f ? largest / 448.0f : 1.0f;
  const divisor by = {scale, 1.0f / scale, scale > 0x1p-60f};
  uint8_t *head = t.codes + p.batch * t.to.batch + p.head * t.to.head;
#pragma unroll
  for (int s = 0; s < SWEEPS; s++) {
    const int64_t row = row_of(p, s);
    if (row >= p.end) continue;
    const uint2 low = eight_codes(pieces[s].half[0], t.bf16, by);
    const uint2 high = eight_codes(pieces[s].half[1], t.bf16, by);
    *reinterpret_cast<uint4 *>(head + row * t.to.row + column_of(p)) = {
        low.x, low.y, high.x, high.y};
  }
  if (p.first == 0 && threadIdx.x == 0)
    t.scale[p.batch * t.heads + p.head] = scale;
}
//< encode

//> claim
// The next item to encode, if all of its head has been looked at: then `bits`
// are those of its largest value.
__device__ static uint32_t claim(const quantise_args &a, unsigned *bits) {
  quantise_state &s = *a.state;
  const uint32_t item = atomicAdd(&s.next_code, 0u);
  if (item >= a.items) return NO_ITEM;
  const item_place p = place_of(a, item);
  if (atomicAdd(&s.head[p.state].done, 0u) < p.tensor->parts) return NO_ITEM;
  __threadfence();
  *bits = atomicAdd(&s.head[p.state].largest, 0u);
  return atomicCAS(&s.next_code, item, item + 1) == item ? item : NO_ITEM;
}
//< claim

//> first
// A round: look at one item, and encode one that is ready. When all have been
// looked at, what is left goes to the second kernel, which has all blocks.
__global__ static void __launch_bounds__(THREADS, BLOCKS_A_MULTIPROCESSOR)
look_and_encode(const __grid_constant__ quantise_args a) {
  __shared__ unsigned of_warp[WARPS], bits;
  __shared__ uint32_t item, code;
  if (threadIdx.x == 0) item = atomicAdd(&a.state->next_look, 1u);
  __syncthreads();
  while (item < a.items) {
    const item_place p = place_of(a, item);
    piece pieces[SWEEPS];
    load(p, pieces);
    __syncthreads(); // all have read `item`
    if (threadIdx.x == 0) { // while the values are on their way
      item = atomicAdd(&a.state->next_look, 1u);
      code = claim(a, &bits);
    }
    unsigned largest = largest_of(pieces, p.tensor->bf16 ? 0x7f80 : 0x7c00);
    largest = __reduce_max_sync(0xffffffff, largest);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = largest;
    __syncthreads();
    if (threadIdx.x == 0) {
      for (int w = 0; w < WARPS; w++) largest = max(largest, of_warp[w]);
      atomicMax(&a.state->head[p.state].largest, largest);
      __threadfence();
      atomicAdd(&a.state->head[p.state].done, 1u);
    }
    if (code != NO_ITEM) encode(a, code, bits);
  }
}
//< first

//> rest
__global__ static void __launch_bounds__(THREADS, BLOCKS_A_MULTIPROCESSOR)
encode_rest(const __grid_constant__ quantise_args a) {
  __shared__ uint32_t item;
  __shared__ unsigned bits;
  for (;;) {
    if (threadIdx.x == 0) {
      item = atomicAdd(&a.state->next_code, 1u);
      if (item < a.items)
        bits = a.state->head[place_of(a, item).state].largest;
    }
    __syncthreads();
    if (item >= a.items) return;
    encode(a, item, bits);
    __syncthreads();
  }
}
//< rest

extern "C" cudaError_t quantise_launch(const quantise_args *args,
                                       cudaStream_t stream) {
  int device = 0, multiprocessors = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (!error)
    error = cudaDeviceGetAttribute(&multiprocessors,
                                   cudaDevAttrMultiProcessorCount, device);
  if (!error)
    error = cudaMemsetAsync(args->state, 0,
                            sizeof *args->state +
                                args->heads * sizeof *args->state->head,
                            stream);
  if (error) return error;
  const uint32_t most = multiprocessors * BLOCKS_A_MULTIPROCESSOR;
  const uint32_t blocks = args->items < most ? args->items : most;
  LAUNCH(look_and_encode, blocks, THREADS, 0, stream, *args);
  error = cudaPeekAtLastError();
  if (error) return error;
  LAUNCH(encode_rest, blocks, THREADS, 0, stream, *args);
  return cudaPeekAtLastError();
}
