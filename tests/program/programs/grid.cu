// Blocks that wait for each other, and lanes that happen to be together.
// FAULT=1: a launch as any other; FAULT=2: blocks do not wait.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdio>
namespace cg = cooperative_groups;

const int BLOCKS = 4, THREADS = 64, WARPS = BLOCKS * THREADS / 32;

__global__ void rotate(int *sums, int *out) {
  auto grid = cg::this_grid();
  cg::thread_block_tile<32> warp =
      cg::tiled_partition<32>(cg::this_thread_block());
  const int w = grid.thread_rank() / warp.size();
  int sum = cg::reduce(warp, (int)grid.thread_rank(), cg::plus<int>());
  if (warp.thread_rank() == 0) sums[w] = sum; // @2 race
#if FAULT != 2
  grid.sync(); // @1 wrong use
#endif
  if (warp.thread_rank() == 0) out[w] = sums[(w + 2) % WARPS]; // @2 race
}

// Keeps what is above a limit: one atomic for all lanes that keep.
__global__ void filter(const int *in, int limit, int *kept, int *count) {
  const int x = in[threadIdx.x];
  if (x > limit) {
    cg::coalesced_group lanes = cg::coalesced_threads();
    int first;
    if (lanes.thread_rank() == 0) first = atomicAdd(count, lanes.size());
    kept[lanes.shfl(first, 0) + lanes.thread_rank()] = x;
  }
}

__global__ void scan(int *x) {
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  x[threadIdx.x] = cg::exclusive_scan(tile, x[threadIdx.x]);
}

int main() {
  int *sums, *out, *in, wrong = 0;
  cudaMallocManaged(&sums, WARPS * sizeof(int));
  cudaMallocManaged(&out, WARPS * sizeof(int));
  cudaMallocManaged(&in, 3 * THREADS * sizeof(int));
#if FAULT == 1
  rotate<<<BLOCKS, THREADS>>>(sums, out);
#else
  void *arguments[] = {&sums, &out};
  cudaLaunchCooperativeKernel((void *)rotate, dim3(BLOCKS), dim3(THREADS),
                              arguments, 0, 0);
#endif
  if (cudaDeviceSynchronize() != cudaSuccess) return 0;
  for (int w = 0; w < WARPS; w++)
    wrong += out[w] != 32 * 32 * ((w + 2) % WARPS) + 31 * 16;

  int *kept = in + THREADS, *count = kept + THREADS, expected = 0;
  for (int i = 0; i < THREADS; i++) expected += (in[i] = i % 7) > 3;
  *count = 0;
  filter<<<1, THREADS>>>(in, 3, kept, count);
  cudaDeviceSynchronize();
  wrong += *count != expected;
  for (int i = 0; i < expected; i++) wrong += kept[i] <= 3;
  scan<<<1, THREADS>>>(in);
  cudaDeviceSynchronize();
  wrong += in[15] != 42 || in[16] != 0 || in[17] != 2;
  printf("%d wrong\n", wrong);
}
