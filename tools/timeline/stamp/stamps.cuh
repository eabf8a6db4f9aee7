#ifndef STAMPS_CUH
#define STAMPS_CUH

/* Clock stamps from inside a kernel: stamp.c puts this header, and calls of
 * it, into a copy of a stage's kernel. */

#include "common/device/ptx/timer.cuh"
#include "tools/timeline/phases.h"

namespace stamped {

__constant__ stamp_room room;

//> stamp-clock
__device__ inline uint32_t stamp_clock() {
#ifdef SIMT
  return static_cast<uint32_t>(clock64());
#else
  uint32_t now;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(now)::"memory");
  return now;
#endif
}
//< stamp-clock

__device__ inline uint32_t multiprocessor() {
#ifdef SIMT
  return 0;
#else
  uint32_t id;
  asm("mov.u32 %0, %%smid;" : "=r"(id));
  return id;
#endif
}

//> stamp-writer
class stamp_writer {
  uint32_t next = 1u << 31;  // far past the end: this lane writes nothing

public:
  __device__ stamp_writer() {
    const uint32_t warps = blockDim.x / 32;
    const uint32_t block =
        blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    if (threadIdx.x == 0 && block == 0) {
      room.grid[0] = gridDim.x * gridDim.y * gridDim.z;
      room.grid[1] = warps;
    }
    if (room.size == 0) return;
    if (threadIdx.x == 0)
      room.starts[block] = {global_timer(), stamp_clock(), multiprocessor()};
    if (threadIdx.x % 32 == 0) next = block * warps + threadIdx.x / 32;
  }

  // From here on this warp is in that phase.
  __device__ void operator()(phase begins) {
    const uint32_t stamp = stamp_clock() << PHASE_BITS | begins;
    if (next < room.size) room.stamps[next] = stamp;
    next += room.warps;
  }

  __device__ ~stamp_writer() { (*this)(PHASE_end); }
};
//< stamp-writer

}  // namespace stamped

extern "C" cudaError_t stamped_use(const stamp_room *host) {
#ifdef SIMT
  stamped::room = *host;
  return cudaSuccess;
#else
  return cudaMemcpyToSymbol(stamped::room, host, sizeof *host);
#endif
}

#endif
