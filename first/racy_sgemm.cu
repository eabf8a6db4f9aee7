/* C = A B, of n rows and columns, a multiple of 16: tiles of both matrices in
 * shared memory, a thread for each element of C. One barrier is missing. */

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

//> kernel
const int T = 16;

__global__ void sgemm(const float *a, const float *b, float *c, int n) {
  __shared__ float tile_a[T][T], tile_b[T][T];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * T + y, column = blockIdx.x * T + x;
  float sum = 0;
  for (int k = 0; k < n; k += T) {
    tile_a[y][x] = a[row * n + k + x];
    tile_b[y][x] = b[(k + y) * n + column];
    __syncthreads();
    for (int i = 0; i < T; i++) sum += tile_a[y][i] * tile_b[i][x];
  }
  c[row * n + column] = sum;
}
//< kernel

int main(int count, char **words) {
  const int n = count > 1 ? atoi(words[1]) : 64;
  const size_t bytes = (size_t)n * n * sizeof(float);
  std::vector<float> a(n * n), b(n * n), c(n * n);
  for (int i = 0; i < n * n; i++) a[i] = i % 7 - 3, b[i] = i % 5 - 2;
  float *device_a, *device_b, *device_c;
  cudaMalloc(&device_a, bytes);
  cudaMalloc(&device_b, bytes);
  cudaMalloc(&device_c, bytes);
  cudaMemcpy(device_a, a.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(device_b, b.data(), bytes, cudaMemcpyHostToDevice);
  sgemm<<<dim3(n / T, n / T), dim3(T, T)>>>(device_a, device_b, device_c, n);
  const cudaError_t error = cudaMemcpy(c.data(), device_c, bytes,
                                       cudaMemcpyDeviceToHost);
  if (error) return fprintf(stderr, "%s\n", cudaGetErrorString(error)), 1;
  int wrong = 0;
  for (int row = 0; row < n; row++)
    for (int column = 0; column < n; column++) {
      float sum = 0;
      for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
      wrong += sum != c[row * n + column];
    }
  printf("%d rows: %d elements are wrong\n", n, wrong);
  return wrong != 0;
}
