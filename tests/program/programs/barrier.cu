// Sums of rows by cuda::barrier: copies that it waits for, an arrival apart
// from its wait, and warps that need not wait at all.
// FAULT=1: nobody waits; FAULT=2: it expects one thread too many;
// FAULT=3: its initialisation is not waited for.
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda/barrier>
#include <utility>
#pragma nv_diag_suppress static_var_with_dynamic_init

using barrier = cuda::barrier<cuda::thread_scope_block>;
const int N = 128, ROWS = 4;

__global__ void sum_rows(const float *in, float *out) {
  __shared__ alignas(16) float row[N];
  __shared__ float part[N / 32];
  __shared__ barrier front, back;
  barrier *bar = &front, *next = &back; // they change places
  auto block = cooperative_groups::this_thread_block();
#if FAULT == 2
  if (threadIdx.x == 0) init(bar, N + 1), init(next, N);
#else
  if (threadIdx.x == 0) init(bar, N), init(next, N);
#endif
  block.sync();
  for (int r = 0; r < ROWS; r++) {
    cuda::memcpy_async(block, row, in + r * N, // @1 read before the wait
                       cuda::aligned_size_t<16>(sizeof row), *bar);
#if FAULT == 1
    barrier::arrival_token early = bar->arrive();
#else
    bar->arrive_and_wait(); // @2 deadlock
#endif
    float x = row[threadIdx.x]; // @1 read before the wait
#if FAULT == 1
    bar->wait(cuda::std::move(early));
#endif
    for (int n = 16; n > 0; n /= 2) x += __shfl_down_sync(~0u, x, n);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = x;
    auto token = bar->arrive();
    if (threadIdx.x == 0) { // a row's work that needs no other thread
      out[ROWS + r] = r;
    }
    bar->wait(std::move(token));
    if (threadIdx.x == 0) out[r] = part[0] + part[1] + part[2] + part[3];
    bar->arrive_and_wait();
    barrier *last = bar;
    bar = next;
    next = last;
  }
}

// Producers only arrive; the last warp drops out before the second phase.
__global__ void relay(int *out) {
  __shared__ int value;
  __shared__ barrier full, both;
  if (threadIdx.x == 0) {
    init(&full, 64);
    init(&both, 96); // @3 race
  }
#if FAULT != 3
  __syncthreads();
#endif
  if (threadIdx.x >= 64) {
    both.arrive_and_drop(); // @3 race
    return;
  }
  both.arrive_and_wait();
  if (threadIdx.x == 5) value = 7;
  if (threadIdx.x < 32) {
    (void)full.arrive();
    both.arrive_and_wait();
  } else {
    full.arrive_and_wait();
    out[threadIdx.x - 32] = value;
    both.arrive_and_wait();
  }
}

int main() {
  float host[ROWS * N], sums[2 * ROWS], *in, *out;
  for (int i = 0; i < ROWS * N; i++) host[i] = i % N + i / N;
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, sizeof sums);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  sum_rows<<<1, N>>>(in, out);
  cudaMemcpy(sums, out, sizeof sums, cudaMemcpyDeviceToHost);
  int wrong = 0, sevens[32], *to;
  for (int r = 0; r < ROWS; r++) wrong += sums[r] != N * (N - 1) / 2 + N * r;
  cudaMalloc(&to, sizeof sevens);
  relay<<<1, 96>>>(to);
  cudaMemcpy(sevens, to, sizeof sevens, cudaMemcpyDeviceToHost);
  for (int x : sevens) wrong += x != 7;
  printf("%d wrong\n", wrong);
}
