// Two streams: one fills, the other doubles. FAULT=1: no event between them.
#include <cstdio>
#include <stdexcept>

__global__ void fill(float *x) { x[threadIdx.x] = threadIdx.x; } // @1 race of streams
__global__ void twice(float *x) {
  x[threadIdx.x] *= 2; // @1 race of streams
}

static void good(cudaError_t error) {
  if (error) throw std::runtime_error(cudaGetErrorString(error));
}

int main() try {
  const int n = 256;
  float *x, *host;
  cudaStream_t first, second;
  cudaEvent_t filled;
  good(cudaStreamCreate(&first));
  good(cudaStreamCreate(&second));
  good(cudaEventCreateWithFlags(&filled, cudaEventDisableTiming));
  good(cudaMalloc(&x, n * sizeof *x));
  good(cudaHostAlloc(&host, n * sizeof *x, cudaHostAllocDefault));
  fill<<<1, n, 0, first>>>(x);
#if FAULT != 1
  good(cudaEventRecord(filled, first));
  good(cudaStreamWaitEvent(second, filled));
#endif
  twice<<<1, n, 0, second>>>(x);
  good(cudaMemcpyAsync(host, x, n * sizeof *x, cudaMemcpyDeviceToHost, second));
  good(cudaStreamSynchronize(second));
  int wrong = 0;
  for (int i = 0; i < n; i++) wrong += host[i] != 2 * i;
  printf("%d wrong\n", wrong);
  try {
    good(cudaSetDevice(7));
  } catch (const std::exception &e) {
    printf("%s\n", e.what());
  }
} catch (const std::exception &e) {
  printf("stopped: %s\n", e.what());
  return 1;
}
