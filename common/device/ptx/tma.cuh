#ifndef TMA_CUH
#define TMA_CUH

#include <cstdint>

#include <cuda.h>

#include "common/device/interface/attention.h"
#include "common/device/ptx/mbarrier.cuh"

/* Tiles of [batches][heads][rows][row_bytes] codes, copied by the tensor memory
 * accelerator: `tile_rows` whole rows of one head, rows past the end as zeros,
 * swizzled as wgmma_tile_at has it. PTX ISA, "cp.async.bulk.tensor"; CUDA
 * driver API, "cuTensorMapEncodeTiled". */

#ifndef SIMT
/* Host: the driver's function, looked up at the first call; null without it. */
inline decltype(&cuTensorMapEncodeTiled) tensor_map_encoder() {
  static const auto encoder = [] {
    void *found = nullptr;
    cudaDriverEntryPointQueryResult said;
    const cudaError_t error = cudaGetDriverEntryPointByVersion(
        "cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &said);
    if (error || said != cudaDriverEntryPointSuccess) found = nullptr;
    return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(found);
  }();
  return encoder;
}
#endif

//> tensor-map
/* Host: describes the tensor at `codes`, aligned to 16 bytes. Strides are
 * multiples of 16 below 2^40. */
inline cudaError_t tensor_map(CUtensorMap *map, const uint8_t *codes,
                              int64_t row_bytes, int64_t rows, int64_t heads,
                              int64_t batches, const tensor_strides &strides,
                              int tile_rows) {
  const uint64_t sizes[4] = {
      static_cast<uint64_t>(row_bytes), static_cast<uint64_t>(rows),
      static_cast<uint64_t>(heads), static_cast<uint64_t>(batches)};
  const uint64_t apart[3] = {static_cast<uint64_t>(strides.row),
                             static_cast<uint64_t>(strides.head),
                             static_cast<uint64_t>(strides.batch)};
#ifdef SIMT
  return simt_tensor_map(map, codes, sizes, apart, tile_rows);
#else
  const auto encode = tensor_map_encoder();
  if (!encode) return cudaErrorNotSupported;
  const cuuint32_t box[4] = {static_cast<cuuint32_t>(row_bytes),
                             static_cast<cuuint32_t>(tile_rows), 1, 1};
  const cuuint32_t every[4] = {1, 1, 1, 1};
  const CUresult result = encode(
      map, CU_TENSOR_MAP_DATA_TYPE_UINT8, 4, const_cast<uint8_t *>(codes),
      sizes, apart, box, every, CU_TENSOR_MAP_INTERLEAVE_NONE,
      row_bytes == 64 ? CU_TENSOR_MAP_SWIZZLE_64B : CU_TENSOR_MAP_SWIZZLE_128B,
      CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return result == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
#endif
}
//< tensor-map

//> arrive-expecting
/* One arrival; and this phase ends only when `bytes` more have landed, too. */
__device__ inline void mbarrier_arrive_expecting(uint64_t *barrier,
                                                 unsigned bytes) {
#ifdef SIMT
  simt_mbarrier_arrive_expecting(barrier, bytes);
#else
  const unsigned address = __cvta_generic_to_shared(barrier);
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                   address),
               "r"(bytes)
               : "memory");
#endif
}
//< arrive-expecting

//> tma-prefetch
/* Brings a description near, so that the first copy need not wait for it. */
__device__ inline void tma_prefetch(const CUtensorMap &map) {
#ifndef SIMT
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
#endif
}
//< tma-prefetch

//> tma-load
/* Starts the copy of the tile that begins at `row` of that head of that batch;
 * its bytes count at the barrier as they land. One thread calls it; the tile is
 * aligned to 1024 bytes. */
__device__ inline void tma_load(void *tile, const CUtensorMap &map,
                                uint64_t *barrier, int row, int head,
                                int batch) {
#ifdef SIMT
  simt_tma_load(tile, &map, barrier, row, head, batch);
#else
  const unsigned to = __cvta_generic_to_shared(tile);
  const unsigned counts = __cvta_generic_to_shared(barrier);
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.tile"
      ".mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, %6}], [%2];" ::"r"(
          to),
      "l"(&map), "r"(counts), "r"(0), "r"(row), "r"(head), "r"(batch)
      : "memory");
#endif
}
//< tma-load

//> fence-async-proxy
/* What this thread has written to shared memory, barriers too, is seen by what
 * the copies and products do there later. PTX ISA, "Async proxy". */
__device__ inline void fence_async_proxy() {
#ifdef SIMT
  simt_fence_async_proxy();
#else
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}
//< fence-async-proxy

#endif
