// How many wavefronts does one access of a warp to shared memory take? Each
// launch makes one access of each lane. Without arguments in each of 16 patterns
// and three widths: on a GPU, patterns_on_gpu.py reads Nsight Compute's count;
// the executor prints its own. The executor's build also reads accesses from
// its input, "KIND BYTES" and 32 offsets a line, with the kind load, store
// or ldmatrix; and prints its count, and that without conflicts: patterns -

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

constexpr int PATTERNS = 16, SHARED_BYTES = 32768;

// The index of a lane's word, in units of the access's width.
static int index_of(int pattern, int lane) {
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

template <typename T> static void each_pattern(void *out) {
  const int width = sizeof(T);
  for (int i = 0; i < 2 * PATTERNS; i++) {
    const char *kind = i % 2 ? "store" : "load";
    access a;
    for (int lane = 0; lane < 32; lane++)
      a.offsets[lane] = index_of(i / 2, lane) * width;
    launch<T>(kind, a, out);
#ifdef SIMT
    simt_counters total;
    simt_total(&total);
    printf("%s %d %d %llu\n", kind, width, i / 2,
           static_cast<unsigned long long>(total.shared_wavefronts));
    simt_clear();
#else
    printf("%s %d %d\n", kind, width, i / 2);
#endif
  }
}

#ifdef SIMT
__global__ void load_matrices(access a, unsigned *out) {
  __shared__ __align__(16) unsigned char bytes[SHARED_BYTES];
  unsigned registers[4];
  ldmatrix_x4(registers, &bytes[a.offsets[threadIdx.x]]);
  out[threadIdx.x] = registers[0];
}

static bool launch_any(const char *kind, int bytes, const access &a,
                       void *out) {
  const bool matrices = !strcmp(kind, "ldmatrix");
  if (!matrices && strcmp(kind, "load") && strcmp(kind, "store")) return false;
  for (int offset : a.offsets)
    if (offset < 0 || offset % bytes || offset + bytes > SHARED_BYTES)
      return false;
  if (matrices && bytes == 16)
    LAUNCH(load_matrices, 1, 32, 0, 0, a, static_cast<unsigned *>(out));
  else if (matrices)
    return false;
  else if (bytes == 2)
    launch<unsigned short>(kind, a, out);
  else if (bytes == 4)
    launch<float>(kind, a, out);
  else if (bytes == 8)
    launch<float2>(kind, a, out);
  else if (bytes == 16)
    launch<float4>(kind, a, out);
  else
    return false;
  return true;
}

static int each_of_input(void *out) {
  char kind[16];
  int bytes;
  while (scanf("%15s %d", kind, &bytes) == 2) {
    access a;
    for (int &offset : a.offsets)
      if (scanf("%d", &offset) != 1) offset = -1;
    if (bytes <= 0 || !launch_any(kind, bytes, a, out)) {
      fprintf(stderr, "%s of %d bytes: no such access, or no offset for it.\n",
              kind, bytes);
      return EXIT_USAGE;
    }
    simt_counters total;
    simt_total(&total);
    printf("%llu %llu\n",
           static_cast<unsigned long long>(total.shared_wavefronts),
           static_cast<unsigned long long>(total.shared_wavefronts_ideal));
    simt_clear();
  }
  return cudaGetLastError() ? EXIT_FAILED : EXIT_PASS;
}
#endif

int main(int argc, char **) {
  void *out = nullptr;
  if (cudaMalloc(&out, 32 * 16)) return EXIT_IMPOSSIBLE;
#ifdef SIMT
  simt_set_checks(SIMT_COUNTS);
  if (argc > 1) return each_of_input(out);
#endif
  (void)argc;
  each_pattern<float>(out);
  each_pattern<float2>(out);
  each_pattern<float4>(out);
  return cudaGetLastError() ? EXIT_FAILED : EXIT_PASS;
}
