// wgmma with A in registers, as attention needs it for P times V: that is where
// P has been computed. A warpgroup computes D[64][16] = A[64][64] B[16][64]^T
// in halves, by four products of depth 16; only B lies in shared memory.
//   nvcc -arch=compute_90a -code=sm_90a hopper/wgmma_registers.cu && ./a.out
//   make race FILE=hopper/wgmma_registers.cu
#include <cstdint>
#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int M = 64, N = 16, K = 64; // a row of B is 128 bytes

__global__ void multiply(const half *a, const half *b, float *out) {
  // With the 128-byte swizzle a chunk of 16 bytes lies in its row, at the place
  // chunk xor row modulo 8.
  __shared__ alignas(1024) half tile[N * K];
  const int row = threadIdx.x / 8, chunk = threadIdx.x % 8;
  *(uint4 *)&tile[row * K + (chunk ^ row % 8) * 8] =
      *(const uint4 *)&b[row * K + chunk * 8];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();

  // A warp has 16 rows of A. A register holds two neighbours in k: of row
  // lane / 4 or the row 8 below, in the first or the second 8 of a depth of 16.
//> fragments
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  unsigned fragments[K / 16][4];
  for (int k = 0; k < K / 16; k++)
    for (int i = 0; i < 4; i++)
      fragments[k][i] = *(const unsigned *)&a[
          (warp * 16 + lane / 4 + i % 2 * 8) * K + k * 16 + i / 2 * 8 +
          lane % 4 * 2];
//< fragments

  // The tile's address, the stride from 8 rows to the next 8 in units of 16
  // bytes, and the swizzle of 128 bytes.
  const uint64_t descriptor =
      (uint64_t)(__cvta_generic_to_shared(tile) >> 4 & 0x3fff) | 1ull << 16 |
      (8 * 128 >> 4) * (1ull << 32) | 1ull << 62;
  float d[8] = {};
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); // registers are ready
#pragma unroll
  for (int k = 0; k < K / 16; k++) // 32 bytes further in each row
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 "
        "{%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, %12, "
        "1, 1, 1, 0;"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]),
          "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
        : "r"(fragments[k][0]), "r"(fragments[k][1]), "r"(fragments[k][2]),
          "r"(fragments[k][3]), "l"(descriptor + (k * 32 >> 4)));
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");

  for (int i = 0; i < 8; i++)
    out[(warp * 16 + lane / 4 + i / 2 % 2 * 8) * N + i / 4 * 8 + lane % 4 * 2 +
        i % 2] = d[i];
}

int main() {
  half *a, *b;
  float *d;
  cudaMallocManaged(&a, M * K * sizeof *a);
  cudaMallocManaged(&b, N * K * sizeof *b);
  cudaMallocManaged(&d, M * N * sizeof *d);
  for (int i = 0; i < M * K; i++) a[i] = half(float(i * 7 % 9 - 4));
  for (int i = 0; i < N * K; i++) b[i] = half(float(i * 5 % 7 - 3));
  multiply<<<1, 128>>>(a, b, d);
  const cudaError_t error = cudaDeviceSynchronize();
  int wrong = 0;
  for (int i = 0; i < M * N; i++) {
    float sum = 0;
    for (int k = 0; k < K; k++)
      sum += float(a[i / N * K + k]) * float(b[i % N * K + k]);
    wrong += d[i] != sum;
  }
  printf("%s, %d wrong\n", cudaGetErrorString(error), wrong);
  return error || wrong;
}
