// What does multicast save where two blocks read the same tiles? All blocks
// read the K and V of a head, tile by tile, through a ring of slots, once with
// each block loading whole tiles, and once in clusters of two: each block loads
// one half of a tile into both. A consumer warp reads a little of each tile and
// does so many dependent FMAs before it frees the slot.
//   nvcc -std=c++17 -O3 -arch=compute_90a -code=sm_90a
//        hopper/cluster/multicast.cu && ./a.out
// The executor has no clusters.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>
#include <cuda_runtime.h>

constexpr int KEYS = 128, TILE = KEYS * 128, WORDS = TILE / 4; // TILE: bytes
constexpr int MAX_SLOTS = 12, MAX_BLOCKS = 256, WARM_UPS = 3, LAUNCHES = 20;
constexpr int RING = MAX_SLOTS * TILE; // so large that an SM has one block
constexpr long long PATIENCE = 1ll << 31; // cycles, about a second

struct Result {
  uint32_t sums[MAX_BLOCKS][32];
  long long cycles[MAX_BLOCKS];
  int gave_up, block, tile, at_empty; // the first wait that has no end
};

__device__ unsigned shared_address(const void *p) {
  return __cvta_generic_to_shared(p);
}

__device__ void init(uint64_t *barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(
                   shared_address(barrier)), "r"(arrivals) : "memory");
}

__device__ void cluster_sync() { // of a lone block, too
  asm volatile("barrier.cluster.arrive.release;\n"
               "barrier.cluster.wait.acquire;" ::: "memory");
}

// Whether the phase with that parity has ended. A poll may sleep for a while,
// so it is the clock that bounds the wait.
__device__ bool wait(uint64_t *barrier, unsigned parity) {
  const long long start = clock64();
  unsigned done;
  do
    asm volatile("{\n"
                 ".reg .pred p;\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                 "selp.u32 %0, 1, 0, p;\n"
                 "}" : "=r"(done)
                 : "r"(shared_address(barrier)), "r"(parity) : "memory");
  while (!done && clock64() - start < PATIENCE);
  return done;
}

__device__ void give_up(Result *result, int tile, int at_empty) {
  if (atomicExch(&result->gave_up, 1)) return;
  result->block = blockIdx.x;
  result->tile = tile;
  result->at_empty = at_empty;
}

__device__ void arrive(uint64_t *barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(
                   shared_address(barrier)) : "memory");
}

// At the barrier of this name in block `rank` of the cluster. It has only read,
// so it has no writes to show; with .release.cluster a fence of the whole GPU
// would come before each arrival.
__device__ void arrive_at(uint64_t *barrier, unsigned rank) {
  asm volatile("{\n"
               ".reg .b32 there;\n"
               "mapa.shared::cluster.u32 there, %0, %1;\n"
               "mbarrier.arrive.shared::cluster.b64 _, [there];\n"
               "}" ::"r"(shared_address(barrier)), "r"(rank) : "memory");
}

// The whole tile will land here, whoever asks for it. With multicast the other
// block's half may land, and count, before this block expects it: the phase
// still waits for this arrival.
template <bool MULTICAST>
__device__ void load(char *slot, const char *from, uint64_t *full) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                   shared_address(full)), "r"(TILE) : "memory");
  if (MULTICAST) {
    const int half = blockIdx.x % 2 * (TILE / 2);
    // To the same offset in blocks 0 and 1, and each block's `full` counts.
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx"
                 "::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(
                     shared_address(slot + half)), "l"(from + half),
                 "r"(TILE / 2), "r"(shared_address(full)), "h"((uint16_t)3)
                 : "memory");
  } else {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx"
                 "::bytes [%0], [%1], %2, [%3];" ::"r"(shared_address(slot)),
                 "l"(from), "r"(TILE), "r"(shared_address(full)) : "memory");
  }
}

template <bool MULTICAST>
__global__ void __cluster_dims__(MULTICAST ? 2 : 1) __launch_bounds__(64)
    read_tiles(const char *tiles, int heads, int tiles_a_head, int count,
               int slots, int work, int stride, Result *result) {
  extern __shared__ __align__(128) char ring[];
  __shared__ uint64_t full[MAX_SLOTS], empty[MAX_SLOTS];
  const int lane = threadIdx.x % 32;
  tiles += (size_t)(blockIdx.x / 2 % heads) * tiles_a_head * TILE;
  if (threadIdx.x == 0) {
    for (int i = 0; i < slots; i++) {
      init(&full[i], 1);                  // this block's producer
      init(&empty[i], MULTICAST ? 2 : 1); // the consumers of each block
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  cluster_sync(); // before the other block arrives here, or copies
  const long long start = clock64();

  if (threadIdx.x == 32) { // the producer
    for (int i = 0, at = 0, slot = 0, parity = 1; i < count; i++) {
      // Each block writes into both, so its slot is free once both have read.
      if (!wait(&empty[slot], parity)) {
        give_up(result, i, 1);
        break;
      }
      load<MULTICAST>(ring + slot * TILE, tiles + (size_t)at * TILE,
                      &full[slot]);
      if (++at == tiles_a_head) at = 0;
      if (++slot == slots) slot = 0, parity ^= 1;
    }
  } else if (threadIdx.x < 32) { // the consumers
    uint32_t sum = 0;
    float x = lane;
    for (int i = 0, slot = 0, parity = 0; i < count; i++) {
      if (!__all_sync(~0u, wait(&full[slot], parity))) {
        if (lane == 0) give_up(result, i, 0);
        break;
      }
      const uint32_t *words = (const uint32_t *)(ring + slot * TILE);
      for (int j = lane; j < WORDS; j += stride) sum = sum * 31 + words[j];
#pragma unroll 4
      for (int j = 0; j < work; j++)
        asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x) : "f"(0.5f));
      __syncwarp(); // all lanes have read
      if (MULTICAST && lane < 2) arrive_at(&empty[slot], lane);
      if (!MULTICAST && lane == 0) arrive(&empty[slot]);
      if (++slot == slots) slot = 0, parity ^= 1;
    }
    result->sums[blockIdx.x][lane] = sum + (x < 0); // x is never below 0
    if (lane == 0) result->cycles[blockIdx.x] = clock64() - start;
  }
  cluster_sync(); // the other block may still arrive here
}

// The host: what is read, and how often.
int heads = 2, keys = 16384, passes = 4, slots = 4, blocks, tiles_a_head, count;
std::vector<uint32_t> words;
char *tiles;
Result *result;

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "CUDA says: %s.\n", cudaGetErrorString(error));
  exit(1);
}

// A lane adds in order, so a tile at the wrong time makes a wrong sum.
std::vector<uint32_t> right_sums(int stride) {
  std::vector<uint32_t> sums(heads * 32);
  for (int k = 0; k < heads * 32; k++)
    for (int i = 0; i < count; i++) {
      const size_t tile = (size_t)(k / 32) * tiles_a_head + i % tiles_a_head;
      for (int j = k % 32; j < WORDS; j += stride)
        sums[k] = sums[k] * 31 + words[tile * WORDS + j];
    }
  return sums;
}

double median(std::vector<double> all) {
  std::sort(all.begin(), all.end());
  return (all[(all.size() - 1) / 2] + all[all.size() / 2]) / 2;
}

// Microseconds and cycles of a launch; cycles are the mean of all blocks.
using Timing = std::pair<double, double>;

template <bool MULTICAST>
Timing run(int work, int stride, int launches,
           const std::vector<uint32_t> &right) {
  const char *name = MULTICAST ? "Multicast" : "Whole tiles";
  std::vector<double> us, cycles;
  static Result host;
  cudaEvent_t before, after;
  check(cudaEventCreate(&before));
  check(cudaEventCreate(&after));
  for (int n = -WARM_UPS; n < launches; n++) {
    check(cudaMemset(result, 0, sizeof host));
    check(cudaEventRecord(before));
    read_tiles<MULTICAST><<<blocks, 64, RING>>>(
        tiles, heads, tiles_a_head, count, slots, work, stride, result);
    check(cudaGetLastError());
    check(cudaEventRecord(after));
    check(cudaMemcpy(&host, result, sizeof host, cudaMemcpyDeviceToHost));
    if (host.gave_up) {
      fprintf(stderr, "%s: block %d waited in vain at `%s`, tile %d.\n", name,
              host.block, host.at_empty ? "empty" : "full", host.tile);
      exit(1);
    }
    int wrong = 0;
    double sum = 0;
    for (int b = 0; b < blocks; b++) {
      sum += host.cycles[b];
      for (int lane = 0; lane < 32; lane++)
        wrong += host.sums[b][lane] != right[b / 2 % heads * 32 + lane];
    }
    if (wrong) {
      fprintf(stderr, "%s: %d of %d sums are wrong.\n", name, wrong,
              blocks * 32);
      exit(1);
    }
    float ms;
    check(cudaEventElapsedTime(&ms, before, after));
    if (n < 0) continue;
    us.push_back(ms * 1e3);
    cycles.push_back(sum / blocks);
  }
  return {median(us), median(cycles)};
}

// As many clusters as run at the same time; no SM has two blocks.
int clusters() {
  cudaLaunchConfig_t config = {};
  cudaLaunchAttribute pair = {};
  pair.id = cudaLaunchAttributeClusterDimension;
  pair.val.clusterDim = {2, 1, 1};
  config.gridDim = 2;
  config.blockDim = 64;
  config.dynamicSmemBytes = RING;
  config.attrs = &pair;
  config.numAttrs = 1;
  for (auto kernel : {read_tiles<false>, read_tiles<true>})
    check(cudaFuncSetAttribute(
        kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, RING));
  int found;
  check(cudaOccupancyMaxActiveClusters(&found, read_tiles<true>, &config));
  return std::min(found, MAX_BLOCKS / 2);
}

int main(int argc, char **argv) {
  std::vector<int> works = {0, 60, 120, 240};
  int one = -1;
  const char *json = nullptr;
  const struct {
    const char *name;
    int *value, least, most;
  } options[] = {{"--heads", &heads, 1, 128}, {"--keys", &keys, KEYS, 1 << 20},
                 {"--passes", &passes, 1, 1000},
                 {"--slots", &slots, 1, MAX_SLOTS}, {"--work", &one, 0, 99999}};
  for (int i = 1; i < argc; i += 2) {
    bool known = false;
    if (i + 1 < argc && !strcmp(argv[i], "--json"))
      json = argv[i + 1], known = true;
    for (const auto &option : options)
      if (i + 1 < argc && !strcmp(argv[i], option.name)) {
        char *end;
        const long number = strtol(argv[i + 1], &end, 10);
        known = end != argv[i + 1] && !*end && number >= option.least &&
                number <= option.most;
        *option.value = number;
      }
    if (known) continue;
    fprintf(stderr, "%s: not understood. Options are --json FILE", argv[i]);
    for (const auto &option : options)
      fprintf(stderr, ", %s %d to %d", option.name, option.least, option.most);
    fprintf(stderr, ".\n");
    return 2;
  }
  if (one >= 0) works = {one};
  keys -= keys % KEYS;
  tiles_a_head = 2 * (keys / KEYS);
  count = passes * tiles_a_head;
  words.resize((size_t)heads * tiles_a_head * WORDS);
  for (size_t i = 0; i < words.size(); i++)
    words[i] = (uint32_t)i * 2654435761u >> 5;
  const size_t bytes = words.size() * sizeof words[0];
  cudaDeviceProp device;
  check(cudaGetDeviceProperties(&device, 0));
  check(cudaMalloc(&tiles, bytes));
  check(cudaMalloc(&result, sizeof *result));
  check(cudaMemcpy(tiles, words.data(), bytes, cudaMemcpyHostToDevice));
  blocks = 2 * clusters();

  printf("%s: %d blocks on %d SMs; K and V of %d heads, %.1f MB (L2: %.1f MB);"
         "\n%d slots of %d KB; each block reads %d pairs of tiles\n",
         device.name, blocks, device.multiProcessorCount, heads, bytes / 1e6,
         device.l2CacheSize / 1e6, slots, TILE / 1024, count / 2);
  const auto all = right_sums(32), some = right_sums(WORDS / 2);
  run<false>(0, 32, 1, all);
  run<true>(0, 32, 1, all);
  printf("All words of all tiles are right in both.\n\n"
         "FMAs a tile  loads          us  cycles a pair  bytes a cycle, SM\n");
  char line[400];
  snprintf(line, sizeof line,
           "{\"device\": \"%s\", \"blocks\": %d, \"heads\": %d, \"keys\": %d, "
           "\"slots\": %d, \"tile_bytes\": %d, \"pairs\": %d, \"launches\": %d,"
           "\n \"work\": {", device.name, blocks, heads, keys, slots, TILE,
           count / 2, LAUNCHES);
  std::string text = line;
  for (int work : works) {
    text += (text.back() == '{' ? "\n  \"" : "},\n  \"") +
      std::to_string(work) + "\": {";
    const Timing timings[] = {run<false>(work, WORDS / 2, LAUNCHES, some),
                              run<true>(work, WORDS / 2, LAUNCHES, some)};
    for (int i = 0; i < 2; i++) {
      const char *name = i ? "multicast" : "whole";
      const double a_pair = timings[i].second / (count / 2);
      printf("%11d  %-9s %7.1f %14.1f %18.2f\n", work, name, timings[i].first,
             a_pair, 2 * TILE / a_pair);
      snprintf(line, sizeof line,
               "%s\"%s\": {\"us\": %.2f, \"cycles_a_pair\": %.2f, "
               "\"bytes_a_cycle_and_sm\": %.3f}", i ? ",\n   " : "", name,
               timings[i].first, a_pair, 2 * TILE / a_pair);
      text += line;
    }
  }
  if (!json) return 0;
  FILE *file = fopen(json, "w");
  if (file && fprintf(file, "%s}}}\n", text.c_str()) > 0 && !fclose(file))
    return 0;
  fprintf(stderr, "%s can't be written.\n", json);
  return 1;
}
