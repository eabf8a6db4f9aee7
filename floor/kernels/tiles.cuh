#ifndef TILES_CUH
#define TILES_CUH

#include <cstdint>

#include "common/device/ptx/tma.cuh"
#include "common/device/ptx/wgmma.cuh"
#include "floor/kernels.h"

//> tiles
// The threads of a block, or some of them, bring rows of 128 codes into shared
// memory, as wgmma_tile_at wants them.
__device__ inline void bring_tile(uint8_t *tile, const uint8_t *codes, int rows,
                                  int thread, int threads) {
  for (int i = thread; i < rows * 8; i += threads) {
    const int row = i / 8, chunk = i % 8;
    *reinterpret_cast<uint4 *>(tile + row * 128 + (chunk ^ row % 8) * 16) =
        *reinterpret_cast<const uint4 *>(codes + i * 16);
  }
}

// The products of one pass over the depth of 128.
template <int COUNT>
__device__ inline void start_pass(float (&c)[COUNT][4], wgmma_tile a,
                                  wgmma_tile b) {
#pragma unroll
  for (int k = 0; k < PRODUCT_DEPTH / 32; k++)
    wgmma_m64k32(c, wgmma_further(a, 32 * k), wgmma_further(b, 32 * k), true);
}
//< tiles

#endif
