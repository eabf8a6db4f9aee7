/* Runs the products of tensor cores on inputs that are drawn so that sums go
 * wrong there, and writes what they leave: the device's name, then a line for
 * each instruction and class, with a hash of the sums:  sums FILE */

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "common/device/interface/launch.cuh"
#include "common/device/ptx/mma.cuh"
#include "common/device/ptx/tma.cuh"
#include "common/device/ptx/wgmma.cuh"
#include "common/harness/program.h"
#include "tests/device/maps.cuh"
extern "C" {
#include "common/harness/numbers.h"
}

/* In this order, as compare.py has them. */
enum instruction {
  WGMMA_TILES,     /* m64n64k32 of E4M3, A from shared memory */
  WGMMA_REGISTERS, /* the same, A from registers */
  MMA_CODES,       /* m16n8k32 of E4M3 */
  MMA_HALVES,      /* m16n8k16 of halves */
  INSTRUCTIONS
};
enum input_class {
  RANDOM,     /* any code; in every other row, exponents near each other */
  CANCELLING, /* most products stand beside their negatives */
  ONE_HUGE,   /* one product that dwarfs the others, at any place */
  SUBNORMAL,
  CHAIN,   /* 64 instructions, all products positive */
  C_ZERO,  /* the like with C of these sizes beside the products' */
  C_SMALL,
  C_LARGE,
  ZEROS,   /* of both signs, with few other numbers */
  SPECIAL, /* with NaNs and infinities, which E4M3 has not */
  CLASSES
};

constexpr int TILE = 64, ROW_BYTES = 32, BLOCKS = 8;
constexpr int OUTPUTS = BLOCKS * TILE * TILE; /* of each run */
constexpr int MOST_BYTES = BLOCKS * 64 * TILE * ROW_BYTES;

/* ---- in each block, sum[64][64] of floats += A * B^T for `steps` instructions
 * after each other; A and B: [block][step][64][32 bytes] ---- */

constexpr int THREADS = 128, CHUNKS = ROW_BYTES / 16, WORDS = ROW_BYTES / 4;

/* Element i of n of a thread's sums: of wgmma, or of mma side by side. */
__device__ inline int place_of(int n, int i) {
  const element at = held_of_d(threadIdx.x % 32, i);
  return (threadIdx.x / 32 * 16 + at.row) * TILE + 8 * n + at.column;
}

/* Register i of A. */
__device__ inline unsigned word_of_a(const unsigned *a, int i) {
  const element at = held_of_a(threadIdx.x % 32, i, 0, 4);
  return a[(threadIdx.x / 32 * 16 + at.row) * WORDS + at.column / 4];
}

__device__ inline void load_sums(float (&sum)[8][4], const float *from) {
  for (int i = 0; i < 32; i++)
    sum[i / 4][i % 4] = from[blockIdx.x * TILE * TILE + place_of(i / 4, i % 4)];
}

__device__ inline void store_sums(float *to, const float (&sum)[8][4]) {
  for (int i = 0; i < 32; i++)
    to[blockIdx.x * TILE * TILE + place_of(i / 4, i % 4)] = sum[i / 4][i % 4];
}

template <bool A_IN_REGISTERS>
__global__ void by_wgmma(const uint4 *a, const uint4 *b, float *sums,
                         int steps) {
  __shared__ __align__(1024) uint4 tile_a[TILE * 4], tile_b[TILE * 4];
  const int row = threadIdx.x / CHUNKS, chunk = threadIdx.x % CHUNKS;
  const int place = row * 4 + (chunk ^ row / 2 % 4);
  float sum[8][4];
  load_sums(sum, sums);
  for (int step = 0; step < steps; step++) {
    const int first = (blockIdx.x * steps + step) * TILE * CHUNKS;
    unsigned left[4];
    for (int i = 0; i < 4; i++)
      left[i] = word_of_a(reinterpret_cast<const unsigned *>(a + first), i);
    tile_a[place] = a[first + threadIdx.x];
    tile_b[place] = b[first + threadIdx.x];
    fence_async_proxy();
    __syncthreads();
    wgmma_fence(sum);
    if (A_IN_REGISTERS)
      wgmma_m64k32(sum, left, wgmma_tile_at<64>(tile_b, 0), true);
    else
      wgmma_m64k32(sum, wgmma_tile_at<64>(tile_a, 0),
                   wgmma_tile_at<64>(tile_b, 0), true);
    wgmma_commit();
    wgmma_wait<0>(sum);
    __syncthreads();
  }
  store_sums(sums, sum);
}

template <bool CODES>
__global__ void by_mma(const uint4 *chunks_a, const uint4 *chunks_b,
                       float *sums, int steps) {
  const int lane = threadIdx.x % 32;
  const auto *a = reinterpret_cast<const unsigned *>(chunks_a);
  const auto *b = reinterpret_cast<const unsigned *>(chunks_b);
  float sum[8][4];
  load_sums(sum, sums);
  for (int step = 0; step < steps; step++) {
    const int first = (blockIdx.x * steps + step) * TILE * WORDS;
    unsigned left[4];
    for (int i = 0; i < 4; i++) left[i] = word_of_a(a + first, i);
    for (int n = 0; n < 8; n++) {
      const element at = held_of_b(lane, 0, 0, 4);
      const element next = held_of_b(lane, 1, 0, 4);
      const unsigned *right = b + first + (8 * n + at.column) * WORDS;
      if (CODES)
        mma_m16n8k32(sum[n], left, right[at.row / 4], right[next.row / 4]);
      else
        mma_m16n8k16(sum[n], left, right[at.row / 4], right[next.row / 4]);
    }
  }
  store_sums(sums, sum);
}

/* ---- the inputs ---- */

/* How many instructions follow each other. */
static int class_steps(input_class c) {
  return c == CHAIN ? 64 : c == RANDOM ? 4 : 2;
}

constexpr uint64_t SEED = 21;

/* Of one class and instruction: a number for each place. */
struct draw {
  uint64_t stream;
  bool halves;
};

static uint64_t bits_at(const draw *d, uint64_t index) {
  return random_bits(SEED, d->stream, index);
}

/* A number whose exponent field lies in these bounds, 0: subnormals. */
static uint16_t number(const draw *d, uint64_t bits, unsigned low,
                       unsigned high, bool positive) {
  const unsigned exponent = low + (unsigned)(bits >> 32) % (high - low + 1);
  const unsigned width = d->halves ? 10 : 3;
  unsigned mantissa = (unsigned)(bits >> 8) & ((1u << width) - 1);
  if (!d->halves && exponent == 15 && mantissa == 7) mantissa = 6; /* no NaN */
  const unsigned sign = positive ? 0 : (unsigned)bits & 1;
  return (uint16_t)(sign << (d->halves ? 15 : 7) | exponent << width |
                    mantissa);
}

static uint16_t near(const draw *d, uint64_t bits) {
  return d->halves ? number(d, bits, 12, 18, false)
                   : number(d, bits, 5, 10, false);
}

static uint16_t sign_of(const draw *d) { return d->halves ? 0x8000 : 0x80; }

/* Element k of a row, of A or of B; `step` numbers blocks and steps. */
static uint16_t drawn(const draw *d, input_class c, bool of_b, uint64_t step,
                        unsigned row, unsigned k) {
  const unsigned depth = d->halves ? 16 : 32, top = d->halves ? 30 : 15;
  const uint64_t bits =
      bits_at(d, ((step * 2 + of_b) * TILE + row) * depth + k);
  const unsigned rare = (unsigned)(bits >> 56);
  switch (c) {
  case RANDOM:
    return row % 2 ? near(d, bits) : number(d, bits, 0, top, false);
  case CANCELLING: {
    /* Beside each other, or half of an instruction apart. */
    const unsigned apart = step % 2 ? depth / 2 : 2, first = k & ~apart;
    if (rare < 32) return near(d, bits);
    const uint16_t twin =
        near(d, bits_at(d, ((step * 2 + of_b) * TILE + row) * depth + first));
    return k != first && !of_b ? twin ^ sign_of(d) : twin;
  }
  case ONE_HUGE: {
    const unsigned place = (unsigned)(bits_at(d, UINT64_MAX - step) % depth);
    if (k == place) return number(d, bits, top * 2 / 3, top, false);
    return number(d, bits, 0, top / 2, false);
  }
  case SUBNORMAL:
    /* Few, and none of them normal: their labels are the largest. */
    if (row % 2 && !of_b) return rare < 32 ? number(d, bits, 0, 0, false) : 0;
    return number(d, bits, 0, 1, false);
  case CHAIN:
    return d->halves ? number(d, bits, of_b ? 16 : 10, of_b ? 17 : 15, true)
                     : number(d, bits, of_b ? 8 : 4, of_b ? 9 : 15, true);
  case ZEROS:
    return rare < 32 ? near(d, bits) : bits & 1 ? sign_of(d) : 0;
  case SPECIAL:
    if (rare < 2) return d->halves ? 0x7e01 : 0xff;
    if (rare < 4 && d->halves) return bits & 1 ? 0x7c00 : 0xfc00;
    return near(d, bits);
  default: return near(d, bits);
  }
}

/* A float whose exponent lies in these bounds. */
static uint32_t a_float(uint64_t bits, int low, int high) {
  const uint32_t exponent =
      (uint32_t)(127 + low + (int)((uint32_t)(bits >> 40) %
                                   (uint32_t)(high - low + 1)));
  return ((uint32_t)bits & 0x807fffff) | exponent << 23;
}

static uint32_t drawn_of_c(const draw *d, input_class c, uint64_t place) {
  const uint64_t bits = bits_at(d, (uint64_t{1} << 40) + place);
  const unsigned rare = (unsigned)(bits >> 56);
  switch (c) {
  case RANDOM: return a_float(bits, -12, 16);
  case CANCELLING: return rare < 128 ? 0 : a_float(bits, -20, 4);
  case ONE_HUGE: return a_float(bits, -20, 20);
  case SUBNORMAL:
    return rare < 64 ? 0 : d->halves ? a_float(bits, -60, -26)
                                     : a_float(bits, -30, -12);
  case C_SMALL: return a_float(bits, -40, -10);
  case C_LARGE: return a_float(bits, 10, 40);
  case ZEROS:
    return rare < 64 ? a_float(bits, -60, 20) : (uint32_t)bits & 0x80000000;
  case SPECIAL:
    if (rare < 8) return 0x7fc00001;
    if (rare < 16) return bits & 1 ? 0x7f800000 : 0xff800000;
    return a_float(bits, -10, 10);
  default: return 0;
  }
}

/* The same bits on every machine: no float is computed. */
static void fill(input_class c, instruction i, uint8_t *a, uint8_t *b,
                 uint32_t *sum) {
  const bool halves = i == MMA_HALVES;
  const draw d = {uint64_t(c) * 2 + halves, halves};
  const unsigned depth = halves ? 16 : 32, size = halves ? 2 : 1;
  const uint64_t all = uint64_t{BLOCKS} * class_steps(c);
  for (uint64_t step = 0; step < all; step++)
    for (unsigned row = 0; row < TILE; row++)
      for (unsigned k = 0; k < depth; k++) {
        const uint64_t at = (step * TILE + row) * ROW_BYTES + k * size;
        const uint16_t x = drawn(&d, c, false, step, row, k);
        const uint16_t y = drawn(&d, c, true, step, row, k);
        memcpy(&a[at], &x, size); /* little-endian, as GPUs are */
        memcpy(&b[at], &y, size);
      }
  for (int place = 0; place < OUTPUTS; place++)
    sum[place] = drawn_of_c(&d, c, place);
}

/* ---- the runs ---- */

static void check(cudaError_t error, const char *what) {
  if (!error) return;
  fprintf(stderr, "%s: %s.\n", what, cudaGetErrorString(error));
  exit(EXIT_IMPOSSIBLE);
}

static void (*const kernels[])(const uint4 *, const uint4 *, float *, int) = {
    by_wgmma<false>, by_wgmma<true>, by_mma<true>, by_mma<false>};

static uint64_t hash_of(const uint32_t *sums) { /* FNV-1a */
  uint64_t hash = UINT64_C(14695981039346656037);
  for (int i = 0; i < OUTPUTS; i++)
    hash = (hash ^ sums[i]) * UINT64_C(1099511628211);
  return hash;
}

int main(int argc, char **argv) {
  uint8_t *a, *b;
  uint32_t *sums;
  cudaDeviceProp device;
  FILE *out = argc == 2 ? fopen(argv[1], "w") : nullptr;
  if (!out) {
    fprintf(stderr, argc == 2 ? "cannot write %s.\n" : "usage: sums FILE\n",
            argv[argc == 2]);
    return argc == 2 ? EXIT_IMPOSSIBLE : EXIT_USAGE;
  }
  check(cudaGetDeviceProperties(&device, 0), "the device");
  check(cudaMallocManaged(&a, MOST_BYTES), "memory");
  check(cudaMallocManaged(&b, MOST_BYTES), "memory");
  check(cudaMallocManaged(&sums, OUTPUTS * sizeof *sums), "memory");
  fprintf(out, "%s\n", device.name);
  for (int i = 0; i < INSTRUCTIONS; i++)
    for (int c = 0; c < CLASSES; c++) {
      fill((input_class)c, (instruction)i, a, b, sums);
      LAUNCH(kernels[i], BLOCKS, THREADS, 0, 0, (const uint4 *)a,
             (const uint4 *)b, (float *)sums, class_steps((input_class)c));
      check(cudaGetLastError(), "a launch");
      check(cudaDeviceSynchronize(), "a product");
      fprintf(out, "%d %d %016" PRIx64 "\n", i, c, hash_of(sums));
    }
  if (fclose(out)) {
    fprintf(stderr, "cannot write %s.\n", argv[1]);
    return EXIT_IMPOSSIBLE;
  }
  return EXIT_PASS;
}
