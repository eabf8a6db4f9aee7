#pragma once
#define RADIUS 3
#define BLOCK_SIZE 128
// A macro that launches what it pastes together, over two lines
#define APPLY(name, n) \
  name##_kernel<<<(n) / BLOCK_SIZE, BLOCK_SIZE>>>

__global__ void fill(int *x, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) x[i] = 1;
}

__global__ void stencil_kernel(int *in, int *out) {
  __shared__ int temp[BLOCK_SIZE + 2 * RADIUS];
  int g = threadIdx.x + blockIdx.x * blockDim.x, l = threadIdx.x + RADIUS;
  temp[l] = in[g]; // @1 race
  if (threadIdx.x < RADIUS) {
    temp[l - RADIUS] = in[g - RADIUS];
    temp[l + BLOCK_SIZE] = in[g + BLOCK_SIZE];
  }
#if FAULT != 1
  __syncthreads();
#endif
  int result = 0;
  for (int offset = -RADIUS; offset <= RADIUS; offset++)
    result += temp[l + offset]; // @1 race
  out[g] = result;
}
