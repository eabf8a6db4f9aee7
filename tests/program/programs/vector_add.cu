// c = a + b. FAULT=1: the last block runs over the end.
#include <stdio.h>

__global__ void add(const float *a, const float *b, float *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#if FAULT == 1
  if (i <= n) c[i] = a[i] + b[i]; // @1 outside global memory
#else
  if (i < n) c[i] = a[i] + b[i];
#endif
}

int main(void) {
  const int n = 1000;
  size_t size = n * sizeof(float);
  float *a = (float *)malloc(size), *b = (float *)malloc(size),
        *c = (float *)malloc(size);
  for (int i = 0; i < n; i++) a[i] = i, b[i] = 2 * i;
  float *d_a, *d_b, *d_c;
  cudaMalloc((void **)&d_a, size);
  cudaMalloc((void **)&d_b, size);
  cudaMalloc((void **)&d_c, size);
  cudaMemcpy(d_a, a, size, cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, b, size, cudaMemcpyHostToDevice);
  add<<<(n + 255) / 256, 256>>>(d_a, d_b, d_c, n);
  cudaMemcpy(c, d_c, size, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < n; i++) wrong += c[i] != 3 * i;
  printf("%d wrong\n", wrong);
  cudaFree(d_a), cudaFree(d_b), cudaFree(d_c);
  free(a), free(b), free(c);
  return 0;
}
