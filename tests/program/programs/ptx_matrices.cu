// Products of the tensor cores, of all types and layouts, against a sum of
// products. Small integers, which every type has exactly.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

__device__ int a_at(int row, int k) { return (row * 3 + k * 7) % 5 - 2; }
__device__ int b_at(int k, int n) { return (n * 5 + k * 3) % 7 - 3; }
__device__ int sum_at(int row, int n, int depth) {
  int sum = 0;
  for (int k = 0; k < depth; k++) sum += a_at(row, k) * b_at(k, n);
  return sum;
}

struct tf32 {
  float x;
  __device__ explicit tf32(float y) : x(y) {}
};
// A register: neighbours in k, of row or column `line`.
template <class T> __device__ uint32_t pack(int line, int k, bool of_a) {
  uint32_t bits = 0;
  for (int i = 0; i < 4 / (int)sizeof(T); i++) {
    const T x = T(float(of_a ? a_at(line, k + i) : b_at(k + i, line)));
    memcpy((char *)&bits + i * sizeof x, &x, sizeof x);
  }
  return bits;
}

#define MMA(d, shape, types, c)                                                \
  asm volatile("mma.sync.aligned." shape ".row.col." types                     \
               " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "               \
               "{%0, %1, %2, %3};"                                             \
               : "+" #c(d[0]), "+" #c(d[1]), "+" #c(d[2]), "+" #c(d[3])        \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]),        \
                 "r"(b[1]))
#define OF_TYPE(T, D, shape, types, c)                                         \
  {                                                                            \
    const int each = 4 / sizeof(T), lane = threadIdx.x % 32;                   \
    uint32_t a[4], b[2];                                                       \
    D d[4] = {1, 1, 1, 1};                                                     \
    for (int i = 0; i < 4; i++)                                                \
      a[i] = pack<T>(lane / 4 + i % 2 * 8, (lane % 4 + i / 2 * 4) * each,      \
                     true);                                                    \
    for (int i = 0; i < 2; i++)                                                \
      b[i] = pack<T>(lane / 4, (lane % 4 + i * 4) * each, false);              \
    MMA(d, shape, types, c);                                                   \
    for (int i = 0; i < 4; i++)                                                \
      wrong += d[i] != 1 + sum_at(lane / 4 + i / 2 * 8, lane % 4 * 2 + i % 2,  \
                                  8 * each);                                   \
  }

__device__ int mma_types() {
  int wrong = 0;
  OF_TYPE(half, float, "m16n8k16", "f32.f16.f16.f32", f)
  OF_TYPE(__nv_bfloat16, float, "m16n8k16", "f32.bf16.bf16.f32", f)
  OF_TYPE(tf32, float, "m16n8k8", "f32.tf32.tf32.f32", f)
  OF_TYPE(__nv_fp8_e4m3, float, "m16n8k32", "f32.e4m3.e4m3.f32", f)
  OF_TYPE(__nv_fp8_e5m2, float, "m16n8k32", "f32.e5m2.e5m2.f32", f)
  OF_TYPE(int8_t, int, "m16n8k32", "s32.s8.s8.s32", r)
  return wrong;
}

// stmatrix of 8x8 halves, and ldmatrix of them, with and without .trans.
__device__ int matrices(half *line) {
  const int lane = threadIdx.x % 32, row = lane / 4, k = lane % 4 * 2;
  int wrong = 0;
  const uint32_t at = __cvta_generic_to_shared(line + lane % 8 * 8);
  const half2 x = __floats2half2_rn(row * 8 + k, row * 8 + k + 1);
  asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(at),
               "r"(*(const uint32_t *)&x) : "memory");
  __syncwarp();
  half2 y, z;
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared::cta.b16 {%0, %1}, "
               "[%2];" : "=r"(*(uint32_t *)&y), "=r"(*(uint32_t *)&z)
               : "r"(at));
  wrong += float(y.x) != k * 8 + row || float(z.y) != (k + 1) * 8 + row;
  return wrong;
}

// Where a byte lies in a tile: its lines are `width` bytes, swizzled, or it has
// core matrices of 8 times 16 bytes.
__device__ int place(int width, int line, int byte) {
  if (width == 16)
    return line / 8 * 256 + byte / 16 * 128 + line % 8 * 16 + byte % 16;
  const int at = line * width + byte;
  return at ^ (at >> 7 & (width / 16 - 1)) << 4;
}
__device__ uint64_t descriptor(const char *tile, int width, bool by_columns) {
  const uint64_t lines = width == 16 ? 256 : 8 * width, swizzle =
      width == 128 ? 1 : width == 64 ? 2 : width == 32 ? 3 : 0;
  const uint64_t leading = width > 16 ? 16 : by_columns ? 256 : 128;
  const uint64_t stride = width == 16 && by_columns ? 128 : lines;
  return (__cvta_generic_to_shared(tile) & 0x3ffff) >> 4 | leading >> 4 << 16 |
         stride >> 4 << 32 | swizzle << 62;
}

// 64 x 16, 32 bytes deep; B by columns: its lines are those of one k.
#define WGMMA(T, width, by_columns, k, types, more)                            \
  {                                                                            \
    __syncthreads();                                                           \
    for (int i = threadIdx.x; i < 64 * k; i += 128)                            \
      *(T *)(tile + place(width, i / k, i % k * sizeof(T))) =                  \
          T(float(a_at(i / k, i % k)));                                        \
    for (int i = threadIdx.x; i < 16 * k; i += 128)                            \
      *(T *)(tile_b + (by_columns                                              \
                           ? place(width, i / 16, i % 16 * sizeof(T))          \
                           : place(width, i / k, i % k * sizeof(T)))) =        \
          T(float(by_columns ? b_at(i / 16, i % 16) : b_at(i % k, i / k)));    \
    asm volatile("fence.proxy.async;" ::: "memory");                           \
    __syncthreads();                                                           \
    float d[8] = {1, 1, 1, 1, 1, 1, 1, 1};                                     \
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");                    \
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %10, 0;\n"                    \
                 "wgmma.mma_async.sync.aligned.m64n16k" #k ".f32." types       \
                 " {%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, p, 1, 1" more     \
                 "; }"                                                         \
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]),             \
                   "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])              \
                 : "l"(descriptor(tile, width, false)),                        \
                   "l"(descriptor(tile_b, width, by_columns)), "r"(1));        \
    asm volatile("wgmma.commit_group.sync.aligned;\n"                          \
                 "wgmma.wait_group.sync.aligned 0;" ::: "memory");             \
    const int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4;              \
    for (int i = 0; i < 8; i++)                                                \
      wrong += d[i] != 1 + sum_at(row + i / 2 % 2 * 8,                         \
                                  i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2, k); \
  }

__global__ void check(int *out) {
  __shared__ alignas(1024) char tile[64 * 128], tile_b[16 * 128];
  int wrong = mma_types();
  if (threadIdx.x < 32) wrong += matrices((half *)tile);
  WGMMA(half, 128, false, 16, "f16.f16", ", 0, 0")
  WGMMA(half, 16, false, 16, "f16.f16", ", 0, 0")
  WGMMA(half, 128, true, 16, "f16.f16", ", 0, 1")
  WGMMA(half, 16, true, 16, "f16.f16", ", 0, 1")
  WGMMA(__nv_bfloat16, 32, true, 16, "bf16.bf16", ", 0, 1")
  WGMMA(__nv_bfloat16, 64, false, 16, "bf16.bf16", ", 0, 0")
  WGMMA(__nv_fp8_e4m3, 64, false, 32, "e4m3.e4m3", "")
  WGMMA(__nv_fp8_e5m2, 32, false, 32, "e5m2.e5m2", "")
  WGMMA(tf32, 128, false, 8, "tf32.tf32", "")
  atomicAdd(out, wrong);
}

int main() {
  int *out;
  cudaMallocManaged(&out, sizeof *out);
  *out = 0;
  check<<<1, 128>>>(out);
  const bool failed = cudaDeviceSynchronize();
  printf("%d wrong\n", *out + failed);
}
