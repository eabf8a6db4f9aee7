// How many wavefronts does an access of a warp with these addresses take? Reads
// "KIND BYTES" and 32 offsets into shared memory a line, with the kind load,
// store or ldmatrix; prints the executor's count, and that without conflicts.

#include <cstdio>
#include <cstring>

#include "common/harness/program/exit_codes.h"
#include "common/device/interface/attention.h"
#include "common/device/interface/launch.cuh"
#include "common/device/ptx/ldmatrix.cuh"
extern "C" {
#include "common/simt/simt.h"
}

constexpr int SHARED_BYTES = 32768;

struct access {
  int offsets[32];
};

template <typename T> __global__ void load(access a, T *out) {
  __shared__ __align__(16) T words[SHARED_BYTES / sizeof(T)];
  out[threadIdx.x] = words[a.offsets[threadIdx.x] / sizeof(T)];
}

template <typename T> __global__ void store(access a, T value) {
  [[maybe_unused]] __shared__ __align__(16) T words[SHARED_BYTES / sizeof(T)];
  words[a.offsets[threadIdx.x] / sizeof(T)] = value;
}

__global__ void load_matrices(access a, unsigned *out) {
  __shared__ __align__(16) unsigned char bytes[SHARED_BYTES];
  unsigned registers[4];
  ldmatrix_x4(registers, &bytes[a.offsets[threadIdx.x]]);
  out[threadIdx.x] = registers[0];
}

template <typename T>
static void run(const char *kind, const access &a, void *out) {
  if (!strcmp(kind, "store"))
    LAUNCH(store<T>, 1, 32, 0, 0, a, T());
  else
    LAUNCH(load<T>, 1, 32, 0, 0, a, static_cast<T *>(out));
}

static bool run_any(const char *kind, int bytes, const access &a, void *out) {
  const bool matrices = !strcmp(kind, "ldmatrix");
  if (!matrices && strcmp(kind, "load") && strcmp(kind, "store")) return false;
  for (int offset : a.offsets)
    if (offset < 0 || offset % bytes || offset + bytes > SHARED_BYTES)
      return false;
  switch (matrices && bytes != 16 ? 0 : bytes) {
  case 2: run<unsigned short>(kind, a, out); return true;
  case 4: run<float>(kind, a, out); return true;
  case 8: run<float2>(kind, a, out); return true;
  case 16:
    if (matrices)
      LAUNCH(load_matrices, 1, 32, 0, 0, a, static_cast<unsigned *>(out));
    else
      run<float4>(kind, a, out);
    return true;
  default: return false;
  }
}

int main() {
  void *out = nullptr;
  char kind[16];
  int bytes;
  if (cudaMalloc(&out, 32 * 16)) return EXIT_IMPOSSIBLE;
  simt_set_checks(SIMT_COUNTS);
  while (scanf("%15s %d", kind, &bytes) == 2) {
    access a;
    for (int &offset : a.offsets)
      if (scanf("%d", &offset) != 1) offset = -1;
    if (bytes <= 0 || !run_any(kind, bytes, a, out)) {
      fprintf(stderr, "%s of %d bytes: no such access, or no offset for it.\n",
              kind, bytes);
      return EXIT_USAGE;
    }
    cudaDeviceSynchronize();
    simt_counters total;
    simt_total(&total);
    printf("%llu %llu\n",
           static_cast<unsigned long long>(total.shared_wavefronts),
           static_cast<unsigned long long>(total.shared_wavefronts_ideal));
    simt_clear();
  }
  return cudaGetLastError() ? EXIT_FAILED : EXIT_PASS;
}
