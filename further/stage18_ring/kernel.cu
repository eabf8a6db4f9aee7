//> includes
#include <cuda_fp16.h>

#include "common/device/interface/launch.cuh"
#include "further/stage18_ring/merge.h"
//< includes

//> sizes
constexpr int THREADS = 256;
constexpr int COLUMNS = 4;  // of a thread
//< sizes

//> four-columns
// Four neighbours of a row, as floats.
__device__ float4 from_halves(const uint16_t *halves) {
  const uint64_t four = *reinterpret_cast<const uint64_t *>(halves);
  const unsigned low_bits = static_cast<unsigned>(four);
  const unsigned high_bits = static_cast<unsigned>(four >> 32);
  const float2 low =
      __half22float2(*reinterpret_cast<const __half2 *>(&low_bits));
  const float2 high =
      __half22float2(*reinterpret_cast<const __half2 *>(&high_bits));
  return make_float4(low.x, low.y, high.x, high.y);
}

__device__ void to_halves(uint16_t *halves, float4 x) {
  const __half2 low = __floats2half2_rn(x.x, x.y);
  const __half2 high = __floats2half2_rn(x.z, x.w);
  const uint64_t upper = *reinterpret_cast<const unsigned *>(&high);
  *reinterpret_cast<uint64_t *>(halves) =
      upper << 32 | *reinterpret_cast<const unsigned *>(&low);
}
//< four-columns

//> weight
// The part's share of both sums: exp(part) / (exp(so_far) + exp(part)). Only
// the difference meets an exponential, and 1 / infinity is the 0 that it
// should be.
__device__ float share(float so_far, float part) {
  return 1.0f / (1.0f + expf(so_far - part));
}

// log(exp(a) + exp(b)): what is raised is never above 0.
__device__ float log_sum(float a, float b) {
  return fmaxf(a, b) + log1pf(expf(-fabsf(a - b)));
}
//< weight

//> merge
template <int D>
__global__ void __launch_bounds__(THREADS) merge_kernel(merge_args args) {
  constexpr int LANES = D / COLUMNS;  // of a warp, for one row
  const int64_t row =
      static_cast<int64_t>(blockIdx.x) * (THREADS / LANES) +
      threadIdx.x / LANES;
  const int64_t head = blockIdx.y;
  const int column = threadIdx.x % LANES * COLUMNS;
  const bool inside = row < args.rows;
  const int64_t here = head * args.rows + row;
  const int64_t there = head * args.all_rows + args.first_row + row;
  float so_far = 0.0f, part = 0.0f;
  if (inside) {
    so_far = args.lse[there];
    part = args.part_lse[here];
    const float weight = share(so_far, part);
    const float4 b = from_halves(args.part + here * D + column);
    float4 *sum = reinterpret_cast<float4 *>(args.sum + there * D + column);
    uint16_t *out = args.out + there * D + column;
    float4 a = args.first ? from_halves(out) : *sum;
    a.x += weight * (b.x - a.x);
    a.y += weight * (b.y - a.y);
    a.z += weight * (b.z - a.z);
    a.w += weight * (b.w - a.w);
    if (row < args.done)
      to_halves(out, a);
    else
      *sum = a;
  }
  __syncwarp();  // all lanes of a row have read its lse
  if (inside && column == 0) args.lse[there] = log_sum(so_far, part);
}
//< merge

//> launch
template <int D>
static cudaError_t start(const merge_args &args, cudaStream_t stream) {
  constexpr int ROWS = THREADS / (D / COLUMNS);
  const dim3 grid(static_cast<unsigned>((args.rows + ROWS - 1) / ROWS),
                  static_cast<unsigned>(args.heads));
  LAUNCH(merge_kernel<D>, grid, THREADS, 0, stream, args);
  return cudaGetLastError();
}

extern "C" cudaError_t merge_launch(const merge_args *args,
                                    cudaStream_t stream) {
  if (args->heads > 65535) return cudaErrorInvalidValue;
  if (args->head_dim == 64) return start<64>(*args, stream);
  if (args->head_dim == 128) return start<128>(*args, stream);
  return cudaErrorInvalidValue;
}
//< launch
