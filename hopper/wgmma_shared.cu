// wgmma with both operands in shared memory: a warpgroup, four warps, computes
// D[64][16] = A[64][128] B[16][128]^T in E4M3, by four products of depth 32.
//   nvcc -arch=compute_90a -code=sm_90a hopper/wgmma_shared.cu && ./a.out
//   make race FILE=hopper/wgmma_shared.cu
#include <cstdint>
#include <cstdio>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

constexpr int M = 64, N = 16, K = 128; // a row is 128 bytes
using fp8 = __nv_fp8_e4m3;

// Where a chunk of 16 bytes lies in a tile with the 128-byte swizzle: in its
// row, at the place chunk xor row modulo 8.
__device__ int swizzled(int row, int chunk) {
  return row * 128 + (chunk ^ row % 8) * 16;
}

// What wgmma has to know of a tile; addresses and strides are in 16 bytes.
//> descriptor
__device__ uint64_t descriptor(const fp8 *tile) {
  const uint64_t start = (uint64_t)__cvta_generic_to_shared(tile) >> 4;
  const uint64_t leading = 1;           // not used with this swizzle
  const uint64_t stride = 8 * 128 >> 4; // from 8 rows to the next 8 rows
  const uint64_t swizzle_128 = 1;       // 2 is that of 64 bytes, 3 of 32
  return (start & 0x3fff) | leading << 16 | stride << 32 | swizzle_128 << 62;
//< descriptor
}

__global__ void multiply(const fp8 *a, const fp8 *b, float *out) {
  __shared__ alignas(1024) fp8 tile_a[M * K], tile_b[N * K]; // of 8 rows
  for (int i = threadIdx.x; i < M * 8; i += 128)
    *(uint4 *)&tile_a[swizzled(i / 8, i % 8)] = ((const uint4 *)a)[i];
  for (int i = threadIdx.x; i < N * 8; i += 128)
    *(uint4 *)&tile_b[swizzled(i / 8, i % 8)] = ((const uint4 *)b)[i];
  // wgmma will read what all threads have stored: each fences, then all meet.
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();

//> product
  float d[8] = {};
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); // d is ready
  for (int k = 0; k < K; k += 32) // 32 bytes further in each row
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n16k32.f32.e4m3.e4m3 "
        "{%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, 1, 1, 1;"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]),
          "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
        : "l"(descriptor(tile_a + k)), "l"(descriptor(tile_b + k)));
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
//< product

  // A warp has 16 rows of D; a lane has two neighbours in each of two rows.
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int i = 0; i < 8; i++) {
    const int row = warp * 16 + lane / 4 + i / 2 % 2 * 8;
    const int column = i / 4 * 8 + lane % 4 * 2 + i % 2;
    out[row * N + column] = d[i];
  }
}

int main() {
  fp8 *a, *b;
  float *d;
  cudaMallocManaged(&a, M * K);
  cudaMallocManaged(&b, N * K);
  cudaMallocManaged(&d, M * N * sizeof *d);
  for (int i = 0; i < M * K; i++) a[i] = fp8(float(i * 7 % 9 - 4));
  for (int i = 0; i < N * K; i++) b[i] = fp8(float(i * 5 % 7 - 3));
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
