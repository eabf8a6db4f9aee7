#include "common/device/interface/launch.cuh"
#include "floor/kernels.h"
#include "floor/kernels/stopwatch.cuh"
#include "floor/kernels/tiles.cuh"

// architectures: 90a

//> product-wait
// One warpgroup starts COUNT products and waits for them, over and over.
template <int N, int COUNT>
__global__ void __launch_bounds__(128)
    product_wait_kernel(const uint8_t *a_codes, int rounds, float *out,
                        floor_span *span) {
  __shared__ __align__(1024) uint8_t a_tile[64 * 128], b_tile[N * 128];
  const int thread = threadIdx.x;
  bring_tile(a_tile, a_codes, 64, thread, 128);
  bring_tile(b_tile, a_codes + 64 * 128, N, thread, 128);
  fence_async_proxy();
  __syncthreads();
  const wgmma_tile a = wgmma_tile_at<128>(a_tile, 0);
  const wgmma_tile b = wgmma_tile_at<128>(b_tile, 0);
  float c[N / 8][4];
#pragma unroll
  for (int i = 0; i < N / 2; i++) c[i / 4][i % 4] = 0.0f;
  const stopwatch start = stopwatch_start();
#pragma unroll 1
  for (int round = 0; round < rounds; round++) {
    wgmma_fence(c);
#pragma unroll
    for (int k = 0; k < COUNT; k++)
      wgmma_m64k32(c, wgmma_further(a, 32 * k), wgmma_further(b, 32 * k), true);
    wgmma_commit();
    wgmma_wait<0>(c);
  }
  stopwatch_stop(start, span);
#pragma unroll
  for (int i = 0; i < N / 2; i++)
    out[thread * (N / 2) + i] = c[i / 4][i % 4];
}

template <int N, int COUNT>
static cudaError_t launch(const floor_call *call, cudaStream_t stream) {
  LAUNCH((product_wait_kernel<N, COUNT>), 1, 128, 0, stream,
         static_cast<const uint8_t *>(call->in), call->rounds,
         static_cast<float *>(call->out), call->span);
  return cudaGetLastError();
}

#define PRODUCT_WAIT(n, count)                                                 \
  extern "C" cudaError_t floor_product_wait_##n##_##count(                     \
      const floor_call *call, cudaStream_t stream) {                           \
    return launch<n, count>(call, stream);                                     \
  }
PRODUCT_WAIT(64, 1)
PRODUCT_WAIT(64, 4)
PRODUCT_WAIT(128, 1)
PRODUCT_WAIT(128, 4)
//< product-wait
