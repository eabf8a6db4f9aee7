// How many wavefronts does one access of a warp to shared memory take? Each
// launch makes one access of each lane, in one pattern and width. On a GPU,
// patterns.sh reads Nsight Compute's count; the executor prints its own.

#include <cstdio>

#include "common/harness/program/exit_codes.h"
#include "common/device/interface/attention.h"
#include "common/device/interface/launch.cuh"
#ifdef SIMT
extern "C" {
#include "common/simt/simt.h"
}
#endif

constexpr int PATTERNS = 16;
constexpr int WORDS = 2200; // of 16 bytes, enough for the widest stride

// The index of a lane's word, in units of the access's width.
__device__ int index_of(int pattern, int lane) {
  switch (pattern) {
  case 0: return lane;                  // side by side
  case 1: return 0;                     // all the same
  case 2: return lane / 8 * 17;         // rows of Q in stage 0
  case 3: return lane / 16 * 36;        // rows of P
  case 4: return lane % 16;             // a row of V
  case 5: return lane % 8 * 17;         // rows of K in stage 0
  case 6: return lane / 2;              // pairs
  case 7: return lane / 4;              // quads
  case 8: return lane * 2;              // every second
  case 9: return lane % 2;
  case 10: return lane * 17;            // rows of 17
  case 11: return lane % 4 * 4 + lane / 4 * 17;
  case 12: return lane / 2 % 8;         // pairs, the halves alike
  case 13: return lane % 2 + lane / 4 * 2;  // lanes two apart alike
  case 14: return lane * 32;            // one bank
  case 15: return lane * 8;              // every eighth
  default: return lane;
  }
}

template <typename T>
__global__ void load_pattern(int pattern, T *out) {
  __shared__ __align__(16) T words[WORDS * 16 / sizeof(T)];
  out[threadIdx.x] = words[index_of(pattern, threadIdx.x)];
}

template <typename T>
__global__ void store_pattern(int pattern, T value, T *out) {
  __shared__ __align__(16) T words[WORDS * 16 / sizeof(T)];
  words[index_of(pattern, threadIdx.x)] = value;
  if (out) out[threadIdx.x] = words[0];  // never: it keeps the store alive
}

static void report(const char *what, int width, int pattern) {
  cudaDeviceSynchronize();
#ifdef SIMT
  simt_counters total;
  simt_total(&total);
  printf("%s %d %d %llu\n", what, width, pattern,
         static_cast<unsigned long long>(total.shared_wavefronts));
  simt_clear();
#else
  printf("%s %d %d\n", what, width, pattern);
#endif
}

template <typename T> static void run(T value, T *out) {
  for (int pattern = 0; pattern < PATTERNS; pattern++) {
    LAUNCH(load_pattern<T>, 1, 32, 0, 0, pattern, out);
    report("load", sizeof(T), pattern);
    LAUNCH(store_pattern<T>, 1, 32, 0, 0, pattern, value,
           static_cast<T *>(nullptr));
    report("store", sizeof(T), pattern);
  }
}

int main() {
  void *out = nullptr;
  if (cudaMalloc(&out, 32 * 16)) return EXIT_IMPOSSIBLE;
#ifdef SIMT
  simt_set_checks(SIMT_COUNTS);
#endif
  run(1.0f, static_cast<float *>(out));
  run(make_float2(1.0f, 2.0f), static_cast<float2 *>(out));
  run(make_float4(1.0f, 2.0f, 3.0f, 4.0f), static_cast<float4 *>(out));
  return cudaGetLastError() ? EXIT_FAILED : EXIT_PASS;
}
