// A block for each row. FAULT=1: the slot of the maximum is written again while
// others still read it.
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstdlib>

extern __shared__ float shared[]; // of all kernels

__device__ float block_max(float x) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  for (int m = 16; m; m >>= 1)
    x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, m));
  if (lane == 0) shared[warp] = x;
  __syncthreads();
  for (int i = 0; i < (int)blockDim.x / 32; i++) x = fmaxf(x, shared[i]); // @1 race
  return x;
}

__global__ void softmax(float *out, const float *in, int C) {
  const float *row = in + blockIdx.x * C;
  float max = -FLT_MAX, sum = 0;
  for (int i = threadIdx.x; i < C; i += blockDim.x) max = fmaxf(max, row[i]);
  max = block_max(max);
#if FAULT != 1
  __syncthreads();
#endif
  for (int i = threadIdx.x; i < C; i += blockDim.x) sum += expf(row[i] - max);
  for (int m = 16; m; m >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, m);
  if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = sum; // @1 race
  __syncthreads();
  sum = 0;
  for (int i = 0; i < (int)blockDim.x / 32; i++) sum += shared[i];
  for (int i = threadIdx.x; i < C; i += blockDim.x)
    out[blockIdx.x * C + i] = expf(row[i] - max) / sum;
}

#define cudaCheck(error) (check(error, __FILE__, __LINE__))
void check(cudaError_t error, const char *file, int line) {
  if (error == cudaSuccess) return;
  printf("%s:%d: %s\n", file, line, cudaGetErrorString(error));
  exit(EXIT_FAILURE);
}

int main() {
  const int N = 6, C = 200, block_size = 64;
  float *in, *out, *d_in, *d_out;
  cudaCheck(cudaMallocHost((void **)&in, N * C * sizeof(float)));
  cudaCheck(cudaMallocHost((void **)&out, N * C * sizeof(float)));
  for (int i = 0; i < N * C; i++) in[i] = (i * 37 % 101) / 10.0f;
  cudaCheck(cudaMalloc(&d_in, N * C * sizeof(float)));
  cudaCheck(cudaMalloc(&d_out, N * C * sizeof(float)));
  cudaCheck(cudaMemcpy(d_in, in, N * C * sizeof(float), cudaMemcpyHostToDevice));
  softmax<<<N, block_size, block_size / 32 * sizeof(float)>>>(d_out, d_in, C);
  cudaCheck(cudaGetLastError());
  cudaCheck(cudaMemcpy(out, d_out, N * C * 4, cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int row = 0; row < N; row++) {
    double sum = 0;
    for (int i = 0; i < C; i++) sum += out[row * C + i];
    wrong += isnan(sum) || std::abs(sum - 1) > 1e-5;
  }
  printf("%d wrong\n", wrong);
}
