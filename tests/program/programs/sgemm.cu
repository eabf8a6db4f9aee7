/* C = A B by tiles of 32 x 32 in shared memory. Argument: n, a multiple of 32. */
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#define CHECK(call)                                                            \
  do {                                                                         \
    cudaError_t error = call;                                                  \
    if (error != cudaSuccess) {                                                \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,                       \
              cudaGetErrorString(error));                                      \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

template <const int TILE>
__global__ void sgemm(int n, const float *A, const float *B, float *C) {
  __shared__ float As[TILE][TILE], Bs[TILE][TILE];
  const int row = blockIdx.y * TILE + threadIdx.y;
  const int column = blockIdx.x * TILE + threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < n; k += TILE) {
    As[threadIdx.y][threadIdx.x] = A[row * n + k + threadIdx.x];
    Bs[threadIdx.y][threadIdx.x] = B[(k + threadIdx.y) * n + column];
    __syncthreads();
    for (int i = 0; i < TILE; i++)
      sum += As[threadIdx.y][i] * Bs[i][threadIdx.x];
    __syncthreads();
  }
  C[row * n + column] = sum;
}

int main(int argc, char **argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 64;
  std::vector<float> a(n * n), b(n * n), c(n * n);
  for (int i = 0; i < n * n; i++) {
    a[i] = i % 7 - 3;
    b[i] = i % 5 - 2;
  }
  const size_t bytes = n * n * sizeof(float);
  float *A, *B, *C;
  CHECK(cudaMalloc(&A, bytes));
  CHECK(cudaMalloc(&B, bytes));
  CHECK(cudaMalloc(&C, bytes));
  CHECK(cudaMemcpy(A, a.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(B, b.data(), bytes, cudaMemcpyHostToDevice));
  dim3 gridDim(n / 32, n / 32), blockDim(32, 32);
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  CHECK(cudaEventRecord(start));
  sgemm<32><<<gridDim, blockDim>>>(n, A, B, C);
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(stop));
  CHECK(cudaEventSynchronize(stop));
  CHECK(cudaMemcpy(c.data(), C, bytes, cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int row = 0; row < n; row++)
    for (int column = 0; column < n; column += 17) {
      float sum = 0;
      for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
      wrong += sum != c[row * n + column];
    }
  printf("%d wrong\n", wrong);
  CHECK(cudaFree(A));
  CHECK(cudaFree(B));
  CHECK(cudaFree(C));
  return wrong != 0;
}
