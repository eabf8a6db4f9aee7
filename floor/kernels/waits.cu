#include "common/device/ptx/exp2.cuh"
#include "common/device/interface/launch.cuh"
#include "common/device/ptx/mbarrier.cuh"
#include "common/device/ptx/named_barrier.cuh"
#include "floor/kernels.h"
#include "floor/kernels/stopwatch.cuh"

//> waits
// One block does one thing WAITS_UNROLL times a round. What a thread is left
// with says that it did, where there is a result; barriers have none.
template <typename WHAT>
__global__ void waits_kernel(const float *in, int rounds, float *out,
                             floor_span *span) {
  WHAT what;
  what.begin();
  __syncthreads();
  float x = in[threadIdx.x];
  const stopwatch start = stopwatch_start();
#pragma unroll 1
  for (int round = 0; round < rounds; round++)
#pragma unroll
    for (int u = 0; u < WAITS_UNROLL; u++) x = what.step(x);
  out[threadIdx.x] = x;
  stopwatch_stop(start, span);
}
//< waits

//> waits-of-a-block
struct block_barrier {
  __device__ void begin() {}
  __device__ float step(float x) {
    __syncthreads();
    return x;
  }
};

struct named_barrier {
  __device__ void begin() {}
  __device__ float step(float x) {
    named_barrier_sync(1, 256);
    return x;
  }
};

// Two warps take turns: one arrives where the other waits. Their latest phases
// have the same parity, and a wait for a later one would never end.
struct mbarrier_turns {
  uint64_t *turn;
  unsigned parity;
  __device__ void begin() {
    __shared__ uint64_t turns[2];
    turn = turns;
    parity = 0;
    if (threadIdx.x == 0) {
      mbarrier_init(&turns[0], 1);
      mbarrier_init(&turns[1], 1);
    }
  }
  __device__ float step(float x) {
    const int warp = threadIdx.x / 32;
    if (warp == 0 && threadIdx.x == 0) mbarrier_arrive(&turn[0]);
    mbarrier_wait(&turn[warp ^ 1], parity);
    if (warp == 1 && threadIdx.x == 32) mbarrier_arrive(&turn[1]);
    parity ^= 1;
    return x;
  }
};
//< waits-of-a-block

//> waits-of-a-warp
struct shuffle {
  __device__ void begin() {}
  __device__ float step(float x) {
    return __shfl_sync(0xffffffff, x, threadIdx.x + 1);
  }
};

struct exponential {
  __device__ void begin() {}
  __device__ float step(float x) { return exp2_approx(-x); }
};
//< waits-of-a-warp

template <typename WHAT>
static cudaError_t launch(const floor_call *call, cudaStream_t stream) {
  LAUNCH(waits_kernel<WHAT>, 1, call->threads, 0, stream,
         static_cast<const float *>(call->in), call->rounds,
         static_cast<float *>(call->out), call->span);
  return cudaGetLastError();
}

#define WAITS(name, what)                                                      \
  extern "C" cudaError_t name(const floor_call *call, cudaStream_t stream) {   \
    return launch<what>(call, stream);                                         \
  }
WAITS(floor_block_barrier, block_barrier)
WAITS(floor_named_barrier, named_barrier)
WAITS(floor_mbarrier, mbarrier_turns)
WAITS(floor_shuffle, shuffle)
WAITS(floor_exp2_wait, exponential)
