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
  const int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
//> body
  if (i + 3 < n) {
    float4 four = *reinterpret_cast<float4 *>(x + i);
    four.x = twice(four.x), four.y = twice(four.y);
    four.z = twice(four.z), four.w = twice(four.w);
    *reinterpret_cast<float4 *>(x + i) = four;
  }
//< body
}
//< kernel

//> launch
extern "C" void stage_launch(float *x, int n) {
  scale<<<(n + 511) / 512, 128>>>(x, n);
}
//< launch

//> toggles
// toggle WIDE: 0 1
#ifndef WIDE
#define WIDE 1
#endif
//< toggles

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
#if WIDE
    __syncwarp();
#else
    __threadfence();
#endif
  }
}
//< tail
