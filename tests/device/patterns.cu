// How many wavefronts does one access of a warp to shared memory take? Each
// line of input is a launch in which each lane makes one access: "KIND BYTES"
// and 32 offsets, with the kind load, store or ldmatrix. The executor prints
// its count, and that without conflicts; on a GPU, patterns.py reads Nsight
// Compute's.

#include <cstdio>
#include <cstring>

#include "common/device/interface/attention.h"
#include "common/device/interface/launch.cuh"
#include "common/device/ptx/ldmatrix.cuh"
#include "common/harness/program.h"
#ifdef SIMT
extern "C" {
#include "common/simt/simt.h"
}
#endif

constexpr int SHARED_BYTES = 32768;

struct access {
  int offsets[32]; // in bytes
};

template <typename T> __global__ void load(access a, T *out) {
  __shared__ __align__(16) T words[SHARED_BYTES / sizeof(T)];
  out[threadIdx.x] = words[a.offsets[threadIdx.x] / sizeof(T)];
}

template <typename T> __global__ void store(access a, T value, T *out) {
  __shared__ __align__(16) T words[SHARED_BYTES / sizeof(T)];
  words[a.offsets[threadIdx.x] / sizeof(T)] = value;
  if (out) out[threadIdx.x] = words[0];  // never: it keeps the store alive
}

template <typename T>
static void launch(const char *kind, const access &a, void *out) {
  if (!strcmp(kind, "store"))
    LAUNCH(store<T>, 1, 32, 0, 0, a, T(), static_cast<T *>(nullptr));
  else
    LAUNCH(load<T>, 1, 32, 0, 0, a, static_cast<T *>(out));
  cudaDeviceSynchronize();
}

__global__ void load_matrices(access a, unsigned *out) {
  __shared__ __align__(16) unsigned char bytes[SHARED_BYTES];
  unsigned registers[4];
  ldmatrix_x4(registers, &bytes[a.offsets[threadIdx.x]]);
  out[threadIdx.x] = registers[0];
}

static void launch_any(const char *kind, int bytes, const access &a,
                       void *out) {
  if (!strcmp(kind, "ldmatrix"))
    LAUNCH(load_matrices, 1, 32, 0, 0, a, static_cast<unsigned *>(out));
  else if (bytes == 2)
    launch<unsigned short>(kind, a, out);
  else if (bytes == 4)
    launch<float>(kind, a, out);
  else if (bytes == 8)
    launch<float2>(kind, a, out);
  else
    launch<float4>(kind, a, out);
}

int main() {
  void *out = nullptr;
  char kind[16];
  int bytes;
  if (cudaMalloc(&out, 32 * 16)) return EXIT_IMPOSSIBLE;
  while (scanf("%15s %d", kind, &bytes) == 2) {
    access a;
    for (int &offset : a.offsets)
      if (scanf("%d", &offset) != 1) return EXIT_USAGE;
#ifdef SIMT
    simt_clear();
    simt_set_checks(SIMT_COUNTS);
#endif
    launch_any(kind, bytes, a, out);
#ifdef SIMT
    simt_counters total;
    simt_total(&total);
    printf("%llu %llu\n",
           static_cast<unsigned long long>(total.shared_wavefronts),
           static_cast<unsigned long long>(total.shared_wavefronts_ideal));
#endif
  }
  return cudaGetLastError() ? EXIT_FAILED : EXIT_PASS;
}
