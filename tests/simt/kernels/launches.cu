#include "common/device/interface/launch.cuh"
#include "tests/simt/kernels/kernels.h"

/* Counts its threads. first: blocks; second: threads of a block. */
__global__ void count(int *total) { atomicAdd(total, 1); }
RUN(launch, LAUNCH(count, first, second, 0, 0, (int *)memory))

/* first: bytes of dynamic shared memory, used to the last one. */
__global__ void dynamic(int *out, int bytes) {
  __shared__ int declared[256];
  DYNAMIC_SHARED(char, last);
  declared[threadIdx.x] = 1;
  if (bytes > 0) last[bytes - 1] = 42;
  out[0] = bytes > 0 ? last[bytes - 1] : declared[0];
}
RUN(dynamic, LAUNCH(dynamic, 1, 1, first, 0, (int *)memory, first))
cudaError_t allow_dynamic(int bytes) {
  return cudaFuncSetAttribute(
      dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
}

__global__ void big_static(int *out) {
  __shared__ int tile[13 * 1024];
  tile[threadIdx.x] = 1;
  out[0] = tile[0];
}
RUN(big_static, LAUNCH(big_static, 1, 1, 0, 0, (int *)memory))

/* first: 0 writes to an address that nobody has; 1 needs a large stack. */
__device__ int large(int x) {
  volatile char local[1 << 20];
  for (int i = 0; i < 1 << 20; i += 1024) local[i] = x;
  return local[x];
}
__global__ void crash(int *out, int how) {
  if (how == 0) *(volatile int *)(out + (1l << 40)) = 1; // @nobody-has
  if (how == 1) out[0] = large(how);
}
RUN(crash, LAUNCH(crash, 4, 64, 0, 0, (int *)memory, first))

/* Each thread writes where it believes to be. */
__global__ void places(int *out) {
  const int block =
      blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const int thread =
      threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  out[block * blockDim.x * blockDim.y * blockDim.z + thread] =
      (int)(blockIdx.x + 10 * blockIdx.y + 100 * blockIdx.z +
            1000 * threadIdx.x + 10000 * threadIdx.y + 100000 * threadIdx.z);
}
RUN(places, LAUNCH(places, dim3(2, 3, 4), dim3(5, 2, 3), 0, 0, (int *)memory))
