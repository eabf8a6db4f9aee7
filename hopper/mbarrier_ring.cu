// A ring of slots between a producer warp and consumer warps. Each slot has two
// mbarriers: consumers wait at `full` until its bytes have landed, the producer
// waits at `empty` until all have read them. Round i uses slot i % SLOTS, and
// i / SLOTS, even or odd, says which phase of the slot's mbarriers to wait for.
//   nvcc -arch=compute_90a -code=sm_90a hopper/mbarrier_ring.cu && ./a.out
//   make race FILE=hopper/mbarrier_ring.cu
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>

constexpr int SLOTS = 3, ROUNDS = 10, CONSUMER_WARPS = 2;
constexpr int CONSUMERS = 32 * CONSUMER_WARPS, WIDTH = CONSUMERS; // floats

__device__ unsigned shared_address(const void *p) {
  return __cvta_generic_to_shared(p);
}

__device__ void init(uint64_t *barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(
                   shared_address(barrier)), "r"(arrivals));
}

__device__ void arrive(uint64_t *barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(
                   shared_address(barrier)) : "memory");
}

// Returns once the phase with that parity has ended. A new barrier is in phase
// 0, and the phase before it, of parity 1, counts as ended.
__device__ void wait(uint64_t *barrier, unsigned parity) {
  unsigned done = 0;
  while (!done)
    asm volatile("{\n"
                 ".reg .pred p;\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                 "selp.u32 %0, 1, 0, p;\n"
                 "}" : "=r"(done)
                 : "r"(shared_address(barrier)), "r"(parity) : "memory");
}

// One arrival, and this phase waits for so many bytes as well; the copy reports
// them to the barrier as they land.
__device__ void load(float *slot, const float *from, uint64_t *barrier) {
  const unsigned bytes = WIDTH * sizeof(float);
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                   shared_address(barrier)), "r"(bytes) : "memory");
  asm volatile("cp.async.bulk.shared::cluster.global"
               ".mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   shared_address(slot)), "l"(from), "r"(bytes),
               "r"(shared_address(barrier)) : "memory");
}

__global__ void add_rows(const float *rows, float *sums) {
  __shared__ alignas(128) float ring[SLOTS][WIDTH];
  __shared__ uint64_t full[SLOTS], empty[SLOTS];
  rows += blockIdx.x * ROUNDS * WIDTH;
  if (threadIdx.x == 0) {
    for (int i = 0; i < SLOTS; i++) {
//> arrivals
      init(&full[i], 1);               // the producer, and its bytes
      init(&empty[i], CONSUMER_WARPS); // one lane of each
//< arrivals
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
//> ring
  if (threadIdx.x >= CONSUMERS) { // the producer: one lane is enough
    for (int i = 0; i < ROUNDS && threadIdx.x == CONSUMERS; i++) {
      const int slot = i % SLOTS, use = i / SLOTS;
      wait(&empty[slot], (use + 1) & 1); // the first time, returns at once
      load(ring[slot], rows + i * WIDTH, &full[slot]);
    }
    return;
  }
  float sum = 0;
  for (int i = 0; i < ROUNDS; i++) {
    const int slot = i % SLOTS, use = i / SLOTS;
    wait(&full[slot], use & 1);
    sum += ring[slot][threadIdx.x];
    __syncwarp(); // all lanes have read
    if (threadIdx.x % 32 == 0) arrive(&empty[slot]);
  }
//< ring
  sums[blockIdx.x * WIDTH + threadIdx.x] = sum;
}

int main() {
  constexpr int BLOCKS = 4;
  float *rows, *sums;
  cudaMallocManaged(&rows, BLOCKS * ROUNDS * WIDTH * sizeof *rows);
  cudaMallocManaged(&sums, BLOCKS * WIDTH * sizeof *sums);
  for (int i = 0; i < BLOCKS * ROUNDS * WIDTH; i++)
    rows[i] = 2.71875f * (i % 101 - 50);
  add_rows<<<BLOCKS, CONSUMERS + 32>>>(rows, sums);
  const cudaError_t error = cudaDeviceSynchronize();
  int wrong = 0;
  for (int i = 0; i < BLOCKS * WIDTH; i++) {
    float sum = 0;
    for (int k = 0; k < ROUNDS; k++)
      sum += 2.71875f *
             ((i / WIDTH * ROUNDS * WIDTH + k * WIDTH + i % WIDTH) % 101 - 50);
    wrong += sums[i] != sum;
  }
  printf("%s, %d wrong\n", cudaGetErrorString(error), wrong);
  return error || wrong;
}
