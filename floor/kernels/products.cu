#include "common/device/interface/launch.cuh"
#include "floor/kernels.h"
#include "floor/kernels/stopwatch.cuh"
#include "floor/kernels/tiles.cuh"

// architectures: 90a

//> products
// One warpgroup a block. Sixteen products are under way before it waits; other
// blocks of the multiprocessor fill the gap.
template <int N, bool FROM_REGISTERS>
__global__ void __launch_bounds__(128)
    products_kernel(const uint8_t *a_codes, int rounds, float *out,
                    floor_span *span) {
  __shared__ __align__(1024) uint8_t a_tile[64 * 128], b_tile[N * 128];
  const int thread = threadIdx.x, lane = thread % 32;
  bring_tile(a_tile, a_codes, 64, thread, 128);
  bring_tile(b_tile, a_codes + 64 * 128, N, thread, 128);
  fence_async_proxy();
  __syncthreads();
  const wgmma_tile a = wgmma_tile_at<128>(a_tile, 0);
  const wgmma_tile b = wgmma_tile_at<128>(b_tile, 0);
  float c[N / 8][4];
#pragma unroll
  for (int i = 0; i < N / 2; i++) c[i / 4][i % 4] = 0.0f;
//< products

//> product-registers
  // A as registers: of rows lane / 4 and that + 8 of the warp's 16, four codes
  // from 4 * (lane % 4) on, and from 16 on, of each 32.
  unsigned mine[4][4];
  const auto *words = reinterpret_cast<const unsigned *>(a_codes);
  const int row = thread / 32 * 16 + lane / 4;
#pragma unroll
  for (int k = 0; k < 4; k++)
#pragma unroll
    for (int r = 0; r < 4; r++)
      mine[k][r] = words[(row + r % 2 * 8) * 32 + 8 * k + r / 2 * 4 + lane % 4];
//< product-registers

//> product-loop
  const stopwatch start = stopwatch_start();
  //> product-rounds
#pragma unroll 1
  for (int round = 0; round < rounds; round++) {
    wgmma_fence(c);
#pragma unroll
    for (int repeat = 0; repeat < PRODUCT_REPEATS; repeat++) {
      if constexpr (FROM_REGISTERS) {
#pragma unroll
        for (int k = 0; k < 4; k++)
          wgmma_m64k32(c, mine[k], wgmma_further(b, 32 * k), true);
      } else {
        start_pass(c, a, b);
      }
    }
    wgmma_commit();
    wgmma_wait<0>(c);
  }
  //< product-rounds
  stopwatch_stop(start, span);
  out += (blockIdx.x * 128 + thread) * (N / 2);
#pragma unroll
  for (int i = 0; i < N / 2; i++) out[i] = c[i / 4][i % 4];
}
//< product-loop

template <int N, bool FROM_REGISTERS>
static cudaError_t launch(const floor_call *call, cudaStream_t stream) {
  LAUNCH((products_kernel<N, FROM_REGISTERS>), call->blocks, 128, 0, stream,
         static_cast<const uint8_t *>(call->in), call->rounds,
         static_cast<float *>(call->out), call->span);
  return cudaGetLastError();
}

#define PRODUCTS(name, n, from_registers)                                      \
  extern "C" cudaError_t floor_products_##name(const floor_call *call,         \
                                               cudaStream_t stream) {          \
    return launch<n, from_registers>(call, stream);                            \
  }
PRODUCTS(shared_64, 64, false)
PRODUCTS(shared_96, 96, false)
PRODUCTS(shared_128, 128, false)
PRODUCTS(registers_64, 64, true)
PRODUCTS(registers_128, 128, true)
