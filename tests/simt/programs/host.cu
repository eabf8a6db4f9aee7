/* What a whole CUDA program does with its host and its kernels: each case is a
 * main of its own, chosen by name; `bug` 0 is right. */

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

#include "common/device/interface/launch.cuh"
#include "common/device/ptx/tma.cuh"

template <class T> T *device(size_t count) {
  T *memory = nullptr;
  cudaMalloc(reinterpret_cast<void **>(&memory), count * sizeof(T));
  return memory;
}

template <class T> T *zeros(size_t count) {
  T *memory = device<T>(count);
  cudaMemset(memory, 0, count * sizeof(T));
  return memory;
}

constexpr int N = 64;

__global__ void put(float *a, float x) {
  a[threadIdx.x] = threadIdx.x + x; // @host-put
}
__global__ void get(const float *a, float *out) {
  out[threadIdx.x] = a[threadIdx.x]; // @host-get
}
__global__ void count(int *total) {
  atomicAdd(total, 1);
}

/* A stream writes, another reads.
 *   0  an event between them     1  nothing
 *   2  an event, recorded before the kernel
 *   3  nothing, and the first is the default stream
 *   4  no bug: a blocking stream and the default one
 *   5  an event, but not after cudaMemset() */
void two_streams(int bug) {
  float *a = device<float>(N), *out = device<float>(N);
  if (bug == 5) cudaMemset(a, 0, N * sizeof(float)); // @host-memset
  cudaStream_t s = 0, t;
  cudaEvent_t done;
  if (bug != 3 && bug != 4)
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&t, bug == 4 ? 0u : cudaStreamNonBlocking);
  cudaEventCreate(&done);
  if (bug == 2) cudaEventRecord(done, s);
  LAUNCH(put, 1, N, 0, s, a, 1.0f);
  if (bug == 0 || bug == 5) cudaEventRecord(done, s);
  if (bug == 0 || bug == 2 || bug == 5) cudaStreamWaitEvent(t, done, 0);
  LAUNCH(get, 1, N, 0, t, a, out);
  cudaDeviceSynchronize();
}

/* A copy back. 1: to pinned memory, which the host reads at once; 2: the host
 * writes what is still being copied. */
void copies(int bug) {
  float *a = device<float>(N), *pinned, host[N];
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaMallocHost((void **)&pinned, N * sizeof(float));
  LAUNCH(put, 1, N, 0, s, a, 1.0f);
  cudaStreamSynchronize(s);
  cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost);
  cudaMemcpyAsync(pinned, a, sizeof host, cudaMemcpyDeviceToHost,
                  s); // @host-copy-back
  if (bug != 1) cudaStreamSynchronize(s);
  float sum = host[0] + pinned[1]; // @host-early
  cudaStreamSynchronize(s);
  cudaMemcpyAsync(a, pinned, sizeof host, cudaMemcpyHostToDevice,
                  s); // @host-copy-to
  if (bug != 2) cudaStreamSynchronize(s);
  pinned[0] = sum; // @host-late
  cudaFreeHost(pinned);
  printf("%g\n", sum);
}

/* Memory of both. 1: it is read before the synchronisation. */
void managed(int bug) {
  float *a;
  cudaMallocManaged((void **)&a, N * sizeof(float));
  for (int i = 0; i < N; i++) a[i] = i;
  LAUNCH(put, 1, N, 0, 0, a, 1.0f);
  if (bug != 1) cudaDeviceSynchronize();
  printf("%g\n", a[0]); // @managed-read
  LAUNCH(get, 1, N, 0, 0, a, a);
  cudaDeviceSynchronize();
}

/* The host uses a pointer of the device. */
void wrong_side(int bug) {
  float *a = zeros<float>(N);
  if (bug) a[3] = 1; // @wrong-side
  cudaFree(a);
}

/* Launches that do not run. 1: nobody asks; 2: more shared memory than may be
 * had without asking; 3: no bug, for it is asked for; 4: a call that
 * fails. */
void refused(int bug) {
  int *total = zeros<int>(1), host = 0;
  if (bug == 1) LAUNCH(count, 1, 2048, 0, 0, total);         // @too-many
  if (bug == 2) LAUNCH(count, 1, 32, 49 << 10, 0, total);    // @too-much
  if (bug == 3) LAUNCH(count, 1, 2048, 0, 0, total);
  if (bug == 3 && cudaGetLastError()) puts("asked");
  cudaDeviceSynchronize();
  cudaMemcpy(&host, total, bug == 4 ? 8 : 4,
             cudaMemcpyDeviceToHost); // @fails
  printf("%d\n", host);
}

/* Global memory that nobody has written.
 *   1  is copied on the device, and read there    2  is copied to the host */
void unwritten(int bug) {
  float *a = device<float>(N), *b = device<float>(N), *out = device<float>(N);
  float host[N];
  LAUNCH(put, 1, bug == 1 ? N - 1 : N, 0, 0, b, 1.0f);
  cudaMemcpy(a, b, sizeof host, cudaMemcpyDeviceToDevice);
  LAUNCH(get, 1, bug == 2 ? N - 2 : N, 0, 0, a, out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost); // @unwritten-copy
}

/* Neighbours of elements, by a pointer. 1: those of the ends are in no array,
 * or in the next one. */
__device__ void smooth(const int *from, int *to, int low, int high) {
  const int t = threadIdx.x;
  if (t >= low && t < high)
    to[t] = from[t - 1] + from[t + 1]; // @host-smooth
}
__global__ void stencil(int *out, int bug) {
  __shared__ int before[N], tile[N], after[N];
  before[threadIdx.x] = tile[threadIdx.x] = after[threadIdx.x] = 1;
  __syncthreads();
  smooth(tile, out, 1 - bug, N - 1 + bug);
  out[N + threadIdx.x] = before[threadIdx.x] + after[threadIdx.x];
}
void neighbours(int bug) {
  int *out = zeros<int>(2 * N);
  LAUNCH(stencil, 1, N, 0, 0, out, bug);
  cudaDeviceSynchronize();
}

/* Structures with gaps come back whole. */
struct mixed {
  char letter;
  int number;
};
__global__ void fill_mixed(mixed *all) {
  all[threadIdx.x].letter = 'a';
  all[threadIdx.x].number = threadIdx.x;
}
void padding(int) {
  mixed *all = device<mixed>(N), host[N];
  LAUNCH(fill_mixed, 1, N, 0, 0, all);
  cudaMemcpy(host, all, sizeof host, cudaMemcpyDeviceToHost); // @padding
}

/* The kernel declares 1 KiB of shared memory: 47 are left, 226 if allowed. */
__global__ void dynamic(int *out, int bytes) {
  __shared__ int declared[256];
  DYNAMIC_SHARED(char, last);
  declared[threadIdx.x] = 42;
  last[bytes - 1] = declared[0];
  out[0] = last[bytes - 1];
}
static const char *runs(int bytes) {
  LAUNCH(dynamic, 1, 1, bytes, 0, zeros<int>(1), bytes);
  return cudaGetErrorName(cudaGetLastError());
}
static const char *allow(int bytes) {
  cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       bytes);
  return cudaGetErrorName(cudaGetLastError());
}
void limits(int) {
  puts(runs(47 << 10));
  puts(runs((47 << 10) + 1));
  puts(allow((226 << 10) + 1));
  puts(allow(226 << 10));
  puts(runs(226 << 10));
  puts(runs((226 << 10) + 1));
}

/* How many blocks of a kernel are on a multiprocessor at once. Each block takes
 * 1 KiB beside its own, of 228. */
template <int BLOCKS>
__global__ void __launch_bounds__(512, BLOCKS) bounded(int *out) {
  *out = BLOCKS;
}
template <class K> static void resident(K kernel, int threads, int bytes) {
  int blocks = -1;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads,
                                                bytes);
  printf("%d ", blocks);
}
void occupancy(int) {
  resident(dynamic, 1024, 47 << 10);
  resident(dynamic, 1024, (47 << 10) + 1);
  allow(226 << 10);
  resident(dynamic, 1024, 112 << 10);
  resident(dynamic, 1024, (112 << 10) + 1);
  resident(dynamic, 1024, 226 << 10);
  resident(dynamic, 1025, 0);
  resident(bounded<1>, 512, 0);
  resident(bounded<2>, 512, 0);
  resident(bounded<2>, 513, 0);
}

/* A kernel that leaves its memory takes the device with it. */
void lost(int) {
  float *a = zeros<float>(1);
  LAUNCH(put, 1, N, 0, 0, a, 1.0f); // @lost
  for (int i = 0; i < 2; i++) puts(cudaGetErrorName(cudaGetLastError()));
  puts(cudaGetErrorName(cudaMemset(a, 0, 4)));
  cudaDeviceReset();
  puts(cudaGetErrorName(cudaMemset(a, 0, 4)));
}

/* Each thread writes where it believes to be. */
__global__ void write_places(int *out) {
  const dim3 b = blockIdx, t = threadIdx, size = blockDim;
  const int block = b.x + gridDim.x * (b.y + gridDim.y * b.z);
  const int thread = t.x + size.x * (t.y + size.y * t.z);
  out[block * size.x * size.y * size.z + thread] =
      b.x + 10 * b.y + 100 * b.z + 1000 * t.x + 10000 * t.y + 100000 * t.z;
}
void places(int) {
  int *out = zeros<int>(24 * 30), host[24 * 30], wrong = 0;
  LAUNCH(write_places, dim3(2, 3, 4), dim3(5, 2, 3), 0, 0, out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 24 * 30; i++) {
    const int b = i / 30, t = i % 30;
    wrong += host[i] != b % 2 + b / 2 % 3 * 10 + b / 6 * 100 + t % 5 * 1000 +
                            t / 5 % 2 * 10000 + t / 10 * 100000;
  }
  printf("%d wrong\n", wrong);
}

/* A tile is loaded twice, and read in between, with no fence after the reads.
 * 2: while another stream writes what is loaded; 3: nobody has; 6: the map is
 * the host's. */
struct elsewhere {
  const CUtensorMap *map;
};
__global__ void load(const __grid_constant__ CUtensorMap map, elsewhere other,
                     int *out, int bug) {
  __shared__ __align__(1024) uint4 tile[64 * 4];
  __shared__ uint64_t full;
  const int t = threadIdx.x;
  if (t == 0) {
    mbarrier_init(&full, 1);
    fence_async_proxy();
  }
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < 2; i++) {
    if (t == 0) {
      mbarrier_arrive_expecting(&full, sizeof tile);
      const CUtensorMap &from = bug == 6 ? *other.map : map;
      tma_load(tile, from, &full, 64 * i, 0, 0); // @program-load
    }
    mbarrier_wait(&full, i);
    sum += tile[t].x; // @program-read
    __syncthreads();
  }
  out[t] = sum;
}
__global__ void codes(uint8_t *to) {
  to[threadIdx.x] = 1; // @program-codes
}

void tma(int bug) {
  uint8_t *from = bug == 3 ? device<uint8_t>(8192) : zeros<uint8_t>(8192);
  int *out = device<int>(64);
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaDeviceSynchronize();
  CUtensorMap map = {};
  tensor_map(&map, from, 64, 128, 1, 1, contiguous(1, 128, 64), 64);
  if (bug == 2) LAUNCH(codes, 1, 64, 0, s, from);
  LAUNCH(load, 1, 64, 0, 0, map, elsewhere{&map}, out, bug);
  cudaDeviceSynchronize();
}

/* Instructions for global memory. 1: a load from shared, 2: a store there. */
__global__ void by_cache(float *a, int bug) {
  __shared__ float tile[N];
  const int t = threadIdx.x;
  tile[t] = __ldcs(a + t);
  if (bug == 1) tile[t] += __ldca(tile + t); // @cached-load
  if (bug == 2) __stcs(tile + t, 2.0f); // @cached-store
  __stwt(a + t, tile[t] + __ldcv(a + N + t));
}

void cached(int bug) {
  LAUNCH(by_cache, 1, N, 0, 0, zeros<float>(2 * N), bug);
  cudaDeviceSynchronize();
}

#define ROW(name) {#name, name}
int main(int argc, char **argv) {
  const struct {
    const char *name;
    void (*run)(int bug);
  } all[] = {ROW(two_streams), ROW(copies), ROW(managed),
             ROW(wrong_side), ROW(refused), ROW(unwritten), ROW(padding),
             ROW(neighbours), ROW(limits), ROW(occupancy), ROW(lost), ROW(places),
             ROW(tma), ROW(cached)};
  for (const auto &p : all)
    if (argc == 3 && !strcmp(argv[1], p.name)) {
      p.run(atoi(argv[2]));
      return 0;
    }
  return 2;
}
