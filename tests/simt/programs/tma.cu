#include "common/device/ptx/tma.cuh"
#include "tests/simt/programs/programs.h"

/* A tile is loaded twice, and read in between. 1: with no fence after the
 * reads; 2: while another stream writes what is loaded; 3: nobody has; 4 and 5:
 * the fence is of who loads, after the barrier or before it. */
__global__ void load(const __grid_constant__ CUtensorMap map, int *out,
                     int bug) {
  __shared__ __align__(1024) uint4 tile[64 * 4];
  __shared__ uint64_t full;
  const int t = threadIdx.x;
  if (t == 0) {
    mbarrier_init(&full, 1);
    fence_async_proxy();
  }
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < 2; i++) {
    if (t == 0) {
      if (bug == 4 && i) fence_async_proxy();
      mbarrier_arrive_expecting(&full, sizeof tile);
      tma_load(tile, map, &full, 64 * i, 0, 0); // @program-load
    }
    mbarrier_wait(&full, i);
    sum += tile[t].x; // @program-read
    if (bug == 5 ? t == 0 : bug != 1 && bug != 4) fence_async_proxy();
    __syncthreads();
  }
  out[t] = sum;
}
__global__ void codes(uint8_t *to) {
  to[threadIdx.x] = 1; // @program-codes
}

void tma(int bug) {
  uint8_t *from = bug == 3 ? device<uint8_t>(8192) : zeros<uint8_t>(8192);
  int *out = device<int>(64);
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaDeviceSynchronize();
  CUtensorMap map = {};
  tensor_map(&map, from, 64, 128, 1, 1, contiguous(1, 128, 64), 64);
  if (bug == 2) LAUNCH(codes, 1, 64, 0, s, from);
  LAUNCH(load, 1, 64, 0, 0, map, out, bug);
  cudaDeviceSynchronize();
}
