#include "common/device/interface/launch.cuh"
#include "floor/kernels.h"
#include "floor/kernels/scores.cuh"
#include "floor/kernels/stopwatch.cuh"
#include "floor/kernels/tiles.cuh"

// architectures: 90a

//> beside
// One warpgroup with products, three with scores.
__global__ void __launch_bounds__(BESIDE_THREADS, 1)
    beside_kernel(const uint8_t *in, int rounds, int product_rounds,
                  uint8_t *out, floor_span *span) {
  constexpr int A_BYTES = 64 * 128, B_BYTES = 128 * 128;
  constexpr int SOFTENERS = BESIDE_THREADS - 128;
  constexpr int OUT_BYTES = SOFTENERS * sizeof(score_result) + 64 * 128 * 4;
  __shared__ __align__(1024) uint8_t a_tile[A_BYTES], b_tile[B_BYTES];
  const int thread = threadIdx.x;
  bring_tile(a_tile, in, 64, thread, BESIDE_THREADS);
  bring_tile(b_tile, in + A_BYTES, 128, thread, BESIDE_THREADS);
  fence_async_proxy();
  __syncthreads();
  uint8_t *mine = out + static_cast<int64_t>(blockIdx.x) * OUT_BYTES;
  const stopwatch start = stopwatch_start();
  // From one lane: so the compiler knows that all of a warp go one way.
  if (__shfl_sync(0xffffffff, thread / 128, 0) > 0) {
    const auto *scores =
        reinterpret_cast<const float *>(in + A_BYTES + B_BYTES);
    reinterpret_cast<score_result *>(mine)[thread - 128] =
        soften(scores + (thread - 128) * SCORES, rounds);
  } else {
    const wgmma_tile a = wgmma_tile_at<128>(a_tile, 0);
    const wgmma_tile b = wgmma_tile_at<128>(b_tile, 0);
    float c[16][4];
#pragma unroll
    for (int i = 0; i < 64; i++) c[i / 4][i % 4] = 0.0f;
#pragma unroll 1
    for (int round = 0; round < product_rounds; round++) {
      wgmma_fence(c);
#pragma unroll
      for (int i = 0; i < BESIDE_REPEATS; i++) start_pass(c, a, b);
      wgmma_commit();
      wgmma_wait<0>(c);
    }
    auto *product = reinterpret_cast<float *>(
        mine + SOFTENERS * sizeof(score_result));
#pragma unroll
    for (int i = 0; i < 64; i++) product[thread * 64 + i] = c[i / 4][i % 4];
  }
  __syncthreads();
  stopwatch_stop(start, span);
}

extern "C" cudaError_t floor_beside(const floor_call *call,
                                    cudaStream_t stream) {
  LAUNCH(beside_kernel, call->blocks, BESIDE_THREADS, 0, stream,
         static_cast<const uint8_t *>(call->in), call->rounds,
         static_cast<int>(call->count), static_cast<uint8_t *>(call->out),
         call->span);
  return cudaGetLastError();
}
//< beside
