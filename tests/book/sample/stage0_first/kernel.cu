//> includes
#include <cuda_fp16.h>
//< includes

//> helper
// Twice x.
__device__ float twice(float x) {
  return 2.0f * x;
}
//< helper

//> kernel
__global__ void scale(float *x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
//> body
  if (i < n) x[i] = twice(x[i]);
//< body
}
//< kernel

//> launch
extern "C" void stage_launch(float *x, int n) {
  scale<<<(n + 127) / 128, 128>>>(x, n);
}
//< launch

//> tail
// What is left when n is no multiple of four, by one thread.
__device__ void tail(float *x, int n) {
  const int first = n / 4 * 4;
  const float limit = 65504.0f;
  for (int j = first; j < n; j++) {
    const float y = twice(x[j]);
    if (y > limit)
      x[j] = limit;
    else
      x[j] = y;
  }
}
//< tail
