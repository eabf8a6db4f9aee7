// A sum: shuffles, a part for each warp in dynamic shared memory, one atomic for
// each block. The kernel's type follows from its arguments. FAULT=1: no barrier
// before the parts are read; FAULT=2: a shuffle in a branch.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
namespace cg = cooperative_groups;

template <typename T> __inline__ __device__ T warp_sum(T x) {
  for (int offset = warpSize / 2; offset > 0; offset >>= 1)
    x += __shfl_down_sync(0xffffffff, x, offset); // @2 deadlock
  return x;
}

template <typename T>
__global__ void __launch_bounds__(1024) sum(const T *in, T *out, size_t n) {
  extern __shared__ __align__(8) unsigned char memory[];
  T *part = reinterpret_cast<T *>(memory);
  T x = 0;
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += (size_t)gridDim.x * blockDim.x)
    x += in[i];
#if FAULT == 2
  if (threadIdx.x % 32 != 3) x = warp_sum(x);
#else
  x = warp_sum(x);
#endif
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (lane == 0) part[warp] = x; // @1 race
#if FAULT != 1
  __syncthreads(); // @2 deadlock
#endif
  if (warp == 0) {
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    x = lane < blockDim.x / 32 ? part[lane] : 0; // @1 race
    x = cg::reduce(tile, x, cg::plus<T>());
    if (lane == 0) atomicAdd(out, x);
  }
}

template <typename T> int wrong(size_t n) {
  T *in, *out;
  cudaMallocManaged(&in, n * sizeof *in);
  cudaMallocManaged(&out, sizeof *out);
  for (size_t i = 0; i < n; i++) in[i] = i % 10;
  *out = 0;
  const int block = 256;
  sum<<<4, block, block / 32 * sizeof(T)>>>(in, out, n);
  cudaDeviceSynchronize();
  T expected = 0;
  for (size_t i = 0; i < n; i++) expected += i % 10;
  return *out != expected;
}

int main() { printf("%d wrong\n", wrong<float>(5000) + wrong<double>(777)); }
