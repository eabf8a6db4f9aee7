// D = A B^T of halves by cp.async, ldmatrix and mma.sync, in the forms that
// people write. FAULT=1 waits for too few copies.
#include <cstdint>
#include <cstdio>
#include <cuda_fp16.h>
#ifndef FAULT
#define FAULT 0
#endif

#define LDMATRIX_X4(r, address)                                                \
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 "                     \
               "{%0, %1, %2, %3}, [%4];\n"                                     \
               : "=r"((r)[0]), "=r"((r)[1]), "=r"((r)[2]), "=r"((r)[3])        \
               : "r"(address))
#define CP_ASYNC(to, from, bytes)                                              \
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], %2;\n" ::"r"(   \
                   to),                                                        \
               "l"(from), "n"(bytes))

__device__ inline uint32_t shared_address(const void *p) {
  uint32_t address;
  asm("{ .reg .u64 at; cvta.to.shared.u64 at, %1; cvt.u32.u64 %0, at; }"
      : "=r"(address) : "l"(p));
  return address;
}

__device__ inline void mma(float (&d)[4], const uint32_t *a,
                           const uint32_t *b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
               "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
               "{%10, %11, %12, %13};"
               : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]),
                 "r"(b[1]), "f"(d[0]), "f"(d[1]), "f"(d[2]), "f"(d[3]));
}

constexpr int M = 64, N = 16, DEPTH = 32, PITCH = DEPTH + 8; // 16 bytes more

__device__ inline void load(half *tile, const half *from, int rows, int k) {
  for (int i = threadIdx.x; i < rows * DEPTH / 8; i += blockDim.x)
    CP_ASYNC(shared_address( // @1 read before the wait
                 &tile[i / 4 * PITCH + i % 4 * 8]),
             &from[i / 4 * k + i % 4 * 8], 16);
}

__global__ void gemm(const half *a, const half *b, float *d, int n, int k) {
  __shared__ alignas(16) half tile_a[2][M * PITCH], tile_b[2][N * PITCH];
  a += blockIdx.y * M * k;
  b += blockIdx.x * N * k;
  d += blockIdx.y * M * n + blockIdx.x * N;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  float sum[2][4] = {};
  load(tile_a[0], a, M, k);
  load(tile_b[0], b, N, k);
  asm volatile("cp.async.commit_group;");
  for (int depth = 0, now = 0; depth < k; depth += DEPTH, now ^= 1) {
    if (depth + DEPTH < k) {
      load(tile_a[now ^ 1], a + depth + DEPTH, M, k);
      load(tile_b[now ^ 1], b + depth + DEPTH, N, k);
    }
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group %0;" ::"n"(FAULT == 1 ? 2 : 1));
    __syncthreads();
    for (int i = 0; i < DEPTH; i += 16) {
      uint32_t ra[4], rb[4];
      const int row = warp * 16 + lane % 16, column = lane / 16 * 8 + lane % 8;
      LDMATRIX_X4(ra, shared_address( // @1 read before the wait
                          &tile_a[now][row * PITCH + i + lane / 16 * 8]));
      LDMATRIX_X4(rb, shared_address(&tile_b[now][column * PITCH + i +
                                                  lane / 8 % 2 * 8]));
      mma(sum[0], ra, rb);
      mma(sum[1], ra, rb + 2);
    }
    __syncthreads();
  }
  for (int i = 0; i < 8; i++)
    d[(warp * 16 + lane / 4 + i / 2 % 2 * 8) * n + i / 4 * 8 + lane % 4 * 2 +
      i % 2] = sum[i / 4][i % 4];
}

int main() {
  const int m = 128, n = 32, k = 96;
  half *a, *b;
  float *d;
  cudaMallocManaged(&a, m * k * 2);
  cudaMallocManaged(&b, n * k * 2);
  cudaMallocManaged(&d, m * n * 4);
  for (int i = 0; i < m * k; i++) a[i] = i * 7 % 9 - 4;
  for (int i = 0; i < n * k; i++) b[i] = i * 5 % 7 - 3;
  gemm<<<dim3(n / N, m / M), 2 * M>>>(a, b, d, n, k);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int i = 0; i < m * n; i++) {
    float sum = 0;
    for (int j = 0; j < k; j++)
      sum += float(a[i / n * k + j]) * float(b[i % n * k + j]);
    wrong += d[i] != sum;
  }
  printf("%d wrong\n", wrong);
}
