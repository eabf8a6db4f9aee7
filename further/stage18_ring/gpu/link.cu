// What the link between two cards gives a kernel: bandwidth and latency.

#include "common/device/interface/launch.cuh"
#include "further/stage18_ring/gpu/link.h"

constexpr int THREADS = 512;
constexpr long long PATIENCE = 4LL << 32;  // cycles: about ten seconds

__global__ void __launch_bounds__(THREADS)
copy_kernel(uint4 *peer, const uint4 *own, size_t count) {
  const size_t stride = static_cast<size_t>(gridDim.x) * THREADS;
  for (size_t i = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x;
       i < count; i += stride)
    peer[i] = own[i];
}

__global__ void ping_kernel(volatile uint32_t *peer, volatile uint32_t *own,
                            uint32_t rounds, int first) {
  const long long start = clock64();
  for (uint32_t round = 1; round <= rounds; round++) {
    if (first) *peer = round;
    while (*own < round)
      if (clock64() - start > PATIENCE) return;
    if (!first) *peer = round;
  }
}

extern "C" cudaError_t link_copy(void *peer, const void *own, size_t bytes,
                                 int blocks, cudaStream_t stream) {
  LAUNCH(copy_kernel, blocks, THREADS, 0, stream, static_cast<uint4 *>(peer),
         static_cast<const uint4 *>(own), bytes / sizeof(uint4));
  return cudaGetLastError();
}

extern "C" cudaError_t link_ping(uint32_t *peer, uint32_t *own,
                                 uint32_t rounds, int first,
                                 cudaStream_t stream) {
  LAUNCH(ping_kernel, 1, 1, 0, stream, peer, own, rounds, first);
  return cudaGetLastError();
}
