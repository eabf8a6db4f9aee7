// A histogram in shared memory, then one for all. FAULT=1: a bin of shared
// memory is counted by ++; FAULT=2: no barrier after it is cleared.
#include <cstdio>
#include <cstdint>

#define BINS 64
__constant__ uint8_t shift;
__device__ unsigned blocks_done;

static __global__ void histogram(const uint8_t *data, int n, unsigned *bins) {
  __shared__ unsigned own[BINS];
  if (threadIdx.x < BINS) own[threadIdx.x] = 0; // @2 race
#if FAULT != 2
  __syncthreads();
#endif
  const int step = blockDim.x * gridDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
#if FAULT == 1
    own[data[i] >> shift]++; // @1 race
#else
    atomicAdd(&own[data[i] >> shift], 1); // @2 race
#endif
  __syncthreads();
  if (threadIdx.x < BINS) atomicAdd(bins + threadIdx.x, own[threadIdx.x]);
  if (threadIdx.x == 0) atomicInc(&blocks_done, 1 << 20);
}

int main() {
  const int n = 4096;
  const uint8_t two = 2;
  static uint8_t data[n];
  unsigned *bins, got[BINS], *expected = new unsigned[BINS](), blocks;
  for (int i = 0; i < n; i++) data[i] = i * i % 251, expected[data[i] >> 2]++;
  uint8_t *d_data;
  cudaMalloc(&d_data, n);
  cudaMalloc(&bins, sizeof got);
  cudaMemset(bins, 0, sizeof got);
  cudaMemcpyToSymbol(shift, &two, 1);
  cudaMemcpy(d_data, data, n, cudaMemcpyHostToDevice);
  histogram<<<dim3(3), dim3{128}>>>(d_data, n, bins);
  cudaMemcpy(got, bins, sizeof got, cudaMemcpyDeviceToHost);
  cudaMemcpyFromSymbol(&blocks, blocks_done, sizeof blocks);
  int wrong = blocks != 3;
  for (int i = 0; i < BINS; i++) wrong += got[i] != expected[i];
  printf("%d wrong\n", wrong);
  delete[] expected;
}
