// Tiles of a long sum through a ring in shared memory, by cuda::pipeline and by
// groups. FAULT=1: a slot is filled again before all have read it; FAULT=2:
// consumers do not wait.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cstdio>
#include <cuda/pipeline>
#pragma nv_diag_suppress static_var_with_dynamic_init
namespace cg = cooperative_groups;

const int N = 64, TILES = 9, SLOTS = 2;

__global__ void of_a_thread(const float *in, float *out) {
  __shared__ float ring[SLOTS][N];
  cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
  float sum = 0;
  int next = 0;
  for (int t = 0; t < TILES; t++) {
    for (; next < TILES && next < t + SLOTS; next++) {
      pipe.producer_acquire();
      cuda::memcpy_async(cg::this_thread(), &ring[next % SLOTS][threadIdx.x],
                         in + next * N + threadIdx.x, sizeof(float), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += ring[t % SLOTS][threadIdx.x];
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}

__global__ void of_a_block(const float *in, float *out) {
  __shared__ alignas(16) float ring[SLOTS][N];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, SLOTS> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  float sum = 0;
  for (int next = 0, t = 0; t < TILES; t++) {
    for (; next < TILES && next < t + SLOTS; next++) {
#if FAULT != 1
      pipe.producer_acquire();
#endif
      cuda::memcpy_async(block, ring[next % SLOTS], in + next * N, // @1 race
                         cuda::aligned_size_t<16>(sizeof ring[0]), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += ring[t % SLOTS][N - 1 - threadIdx.x]; // @1 race
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}

// The second warp copies, the others add up.
__global__ void with_roles(const float *in, float *out) {
  __shared__ float ring[SLOTS][N];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, SLOTS> state;
  auto block = cg::this_thread_block();
  const bool copies = threadIdx.x / 32 == 1;
  auto pipe = cuda::make_pipeline(block, &state,
                                  copies ? cuda::pipeline_role::producer
                                         : cuda::pipeline_role::consumer);
  if (copies) {
    auto warp = cg::tiled_partition<32>(block);
    for (int t = 0; t < TILES; t++) {
      pipe.producer_acquire();
      cuda::memcpy_async(warp, ring[t % SLOTS], in + t * N, sizeof ring[0], // @2 read before the wait
                         pipe);
      pipe.producer_commit();
    }
  } else {
    const int i = threadIdx.x < 32 ? threadIdx.x : threadIdx.x - 32;
    float sum = 0;
    for (int t = 0; t < TILES; t++) {
#if FAULT != 2
      pipe.consumer_wait();
#endif
      sum += ring[t % SLOTS][i]; // @2 read before the wait
      pipe.consumer_release();
    }
    out[i] = sum;
  }
}

// The group's own memcpy_async, of bytes that no cp.async can copy.
__global__ void of_a_group(const float *in, float *out) {
  __shared__ float tile[N];
  __shared__ char name[5];
  auto block = cg::this_thread_block();
  float sum = 0;
  for (int t = 0; t < TILES; t++) {
    cg::memcpy_async(block, tile, in + t * N, sizeof tile);
    cg::memcpy_async(block, name, (const char *)in + 1, sizeof name);
    cg::wait(block);
    sum += tile[N - 1 - threadIdx.x];
    block.sync();
  }
  out[N - 1 - threadIdx.x] = sum;
}

int main() {
  float host[TILES * N], *in, *out;
  for (int i = 0; i < TILES * N; i++) host[i] = i;
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, N * sizeof(float));
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  struct {
    void (*run)(const float *, float *);
    int threads;
    bool mirrored;
  } all[] = {{of_a_thread, N}, {of_a_block, N, true},
             {with_roles, 96}, {of_a_group, N}};
  int wrong = 0;
  for (auto &k : all) {
    float sums[N];
    k.run<<<1, k.threads>>>(in, out);
    cudaMemcpy(sums, out, sizeof sums, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++) {
      const int column = k.mirrored ? N - 1 - i : i;
      wrong += sums[i] != TILES * column + N * TILES * (TILES - 1) / 2;
    }
  }
  printf("%d wrong\n", wrong);
}
