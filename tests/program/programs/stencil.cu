// Sums of 2 * RADIUS + 1 neighbours. FAULT=1: no __syncthreads().
#include <cstdio>
#include <iostream>
#include "stencil.cuh"

int main() {
  const int n = 512;
  int *in, *out, h[n];
  cudaMalloc(&in, (n + 2 * RADIUS) * sizeof(int));
  cudaMalloc(&out, n * sizeof(int));
  fill<<<(n + 2 * RADIUS + 127) / 128, 128>>>(in, n + 2 * RADIUS);
  APPLY(stencil, n)(in + RADIUS, out);
  cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int x : h) wrong += x != 2 * RADIUS + 1;
  std::cout << wrong << " wrong\n";
}
