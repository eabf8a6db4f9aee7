// Which element of its 16 x 16 matrix does a lane hold in each register of a
// WMMA fragment? Every element of every fragment is loaded, named by its value
// and compared with the map that the kernels use. And do the products of
// registers, mma.m16n8k16 and m16n8k32, compute what the manual's maps say?
// Prints TAP; with --json FILE it writes the maps that the book draws instead.

#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <mma.h>

#include <cstdio>
#include <cstring>

#include "common/harness/program/exit_codes.h"
#include "common/device/ptx/accumulator.cuh"
#include "common/device/interface/attention.h"
#include "common/device/interface/launch.cuh"
#include "common/device/ptx/ldmatrix.cuh"
#include "common/device/ptx/mma.cuh"

namespace wmma = nvcuda::wmma;

constexpr int LD = 24; // halves, or floats, from row to row
enum { LEFT, RIGHT, RIGHT_TRANSPOSED, SUMS, FROM_LDMATRIX, COLUMN, KINDS };

using left = wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major>;
using right = wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major>;
using right_transposed =
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major>;
using sums = wmma::fragment<wmma::accumulator, 16, 16, 16, float>;

// found[kind][lane][register]: 16 * line + place in memory, -1: none.
__global__ void hold(int (*found)[32][16]) {
  __shared__ __align__(32) __half halves[16 * LD];
  __shared__ __align__(32) float floats[16 * LD];
  const int lane = threadIdx.x;
  for (int i = lane; i < 256; i += 32) {
    halves[i / 16 * LD + i % 16] = __float2half(static_cast<float>(i));
    floats[i / 16 * LD + i % 16] = static_cast<float>(i);
  }
  __syncwarp();
  left a;
  wmma::load_matrix_sync(a, halves, LD);
  right b;
  wmma::load_matrix_sync(b, halves, LD);
  right_transposed bt;
  wmma::load_matrix_sync(bt, halves, LD);
  for (int i = 0; i < 16; i++) {
    found[LEFT][lane][i] = static_cast<int>(__half2float(a.x[i]));
    found[RIGHT][lane][i] = static_cast<int>(__half2float(b.x[i]));
    found[RIGHT_TRANSPOSED][lane][i] = static_cast<int>(__half2float(bt.x[i]));
  }
  sums c, column;
  wmma::load_matrix_sync(c, floats, LD, wmma::mem_row_major);
  wmma::load_matrix_sync(column, floats, 0, wmma::mem_col_major);
  for (int i = 0; i < 8; i++) {
    found[SUMS][lane][i] = static_cast<int>(c.x[i]);
    found[COLUMN][lane][i] = static_cast<int>(column.x[i]);
  }
  unsigned plain[4], transposed[4];
  ldmatrix_x4(plain, &halves[lane % 16 * LD + lane / 16 * 8]);
  ldmatrix_x4_trans(transposed, &halves[lane % 16 * LD + lane / 16 * 8]);
  for (int i = 0; i < 4; i++) {
    const __half2 two = *reinterpret_cast<__half2 *>(&plain[i]);
    const __half2 other = *reinterpret_cast<__half2 *>(&transposed[i]);
    int *at = &found[FROM_LDMATRIX][lane][2 * i];
    at[0] = static_cast<int>(__low2float(two));
    at[1] = static_cast<int>(__high2float(two));
    at[8] = static_cast<int>(__low2float(other));
    at[9] = static_cast<int>(__high2float(other));
  }
}

// What the maps say. Registers 8 to 15 of a and b repeat the first eight.
static int expected(int kind, int lane, int i) {
  const int pair = lane % 4 * 2 + i % 2, line = lane / 4;
  const int at2 = i / 2 % 2 * 8, at4 = i / 4 % 2 * 8;
  switch (kind) {
  case LEFT: return 16 * (line + at2) + pair + at4;
  case RIGHT: return 16 * (pair + at2) + line + at4;
  case RIGHT_TRANSPOSED: return 16 * (line + at4) + pair + at2;
  case SUMS:
    return i < 8 ? 16 * accumulator_row(lane, i) + accumulator_column(lane, i)
                 : -1;
  case FROM_LDMATRIX:
    return i < 8 ? expected(LEFT, lane, i) : expected(RIGHT, lane, i);
  case COLUMN: return i < 8 ? accumulator_row(lane, i) : -1;
  }
  return -1;
}

// The manual's maps: the element in place i of register r, `pack` places a
// register, of A and of B; and that of result i.
struct element {
  int row, column;
};

__host__ __device__ static element held_of_a(int lane, int r, int i, int pack) {
  return {lane / 4 + r % 2 * 8, pack * (lane % 4) + i + r / 2 * 4 * pack};
}

__host__ __device__ static element held_of_b(int lane, int r, int i, int pack) {
  return {pack * (lane % 4) + i + r * 4 * pack, lane / 4};
}

__host__ __device__ static element held_of_d(int lane, int i) {
  return {lane / 4 + i / 2 * 8, lane % 4 * 2 + i % 2};
}

__device__ static unsigned code_of(float x, bool e4m3) {
  return e4m3 ? static_cast<unsigned>(__nv_fp8_e4m3(x).__x)
              : static_cast<unsigned>(__half_as_ushort(__float2half(x)));
}

// D = A * B + C, each lane filling its registers element by element: a is 16 x
// depth, b depth x 8, c and d 16 x 8. Eighths and quarters: sums are exact.
__global__ void multiply(const float *a, const float *b, float *d, bool e4m3) {
  const int lane = threadIdx.x, pack = e4m3 ? 4 : 2, depth = 8 * pack;
  unsigned registers_a[4] = {}, registers_b[2] = {};
  for (int r = 0; r < 4; r++)
    for (int i = 0; i < pack; i++) {
      const element at = held_of_a(lane, r, i, pack);
      registers_a[r] |= code_of(a[at.row * depth + at.column], e4m3)
                        << (32 / pack * i);
    }
  for (int r = 0; r < 2; r++)
    for (int i = 0; i < pack; i++) {
      const element at = held_of_b(lane, r, i, pack);
      registers_b[r] |= code_of(b[at.row * 8 + at.column], e4m3)
                        << (32 / pack * i);
    }
  float sum[4];
  for (int i = 0; i < 4; i++) {
    const element at = held_of_d(lane, i);
    sum[i] = d[at.row * 8 + at.column];
  }
  if (e4m3)
    mma_m16n8k32(sum, registers_a, registers_b[0], registers_b[1]);
  else
    mma_m16n8k16(sum, registers_a, registers_b[0], registers_b[1]);
  for (int i = 0; i < 4; i++) {
    const element at = held_of_d(lane, i);
    d[at.row * 8 + at.column] = sum[i];
  }
}

// How many of the 128 results are wrong; all, if it did not run.
static int wrong_products(bool e4m3) {
  const int depth = e4m3 ? 32 : 16;
  static float a[16 * 32], b[32 * 8], d[16 * 8], result[16 * 8];
  for (int i = 0; i < 16 * depth; i++)
    a[i] = static_cast<float>(i * 7 % 15) / 8;
  for (int i = 0; i < depth * 8; i++)
    b[i] = static_cast<float>(i * 5 % 13 - 6) / 4;
  for (int i = 0; i < 128; i++) d[i] = static_cast<float>(i);
  float *memory;
  if (cudaMalloc(reinterpret_cast<void **>(&memory), sizeof a + sizeof b +
                                                         sizeof d)) return 128;
  float *device_b = memory + 16 * 32, *device_d = device_b + 32 * 8;
  cudaMemcpy(memory, a, sizeof a, cudaMemcpyHostToDevice);
  cudaMemcpy(device_b, b, sizeof b, cudaMemcpyHostToDevice);
  cudaMemcpy(device_d, d, sizeof d, cudaMemcpyHostToDevice);
  LAUNCH(multiply, 1, 32, 0, 0, memory, device_b, device_d, e4m3);
  cudaMemcpy(result, device_d, sizeof d, cudaMemcpyDeviceToHost);
  const cudaError_t error = cudaGetLastError();
  cudaFree(memory);
  if (error) return 128;
  int wrong = 0;
  for (int row = 0; row < 16; row++)
    for (int column = 0; column < 8; column++) {
      float sum = d[row * 8 + column];
      for (int k = 0; k < depth; k++)
        sum += a[row * depth + k] * b[k * 8 + column];
      wrong += result[row * 8 + column] != sum;
    }
  return wrong;
}

// The last two tests: returns how many failed.
static int products() {
  int capability = 90, failures = 0;
#ifndef SIMT
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  capability = properties.major * 10 + properties.minor;
#endif
  for (int e4m3 = 0; e4m3 < 2; e4m3++) {
    const char *name = e4m3 ? "mma.m16n8k32 on E4M3" : "mma.m16n8k16 on halves";
    if (e4m3 && capability < 89) {
      printf("ok %d - %s # SKIP needs compute capability 8.9\n", KINDS + 2,
             name);
      continue;
    }
    const int wrong = wrong_products(e4m3 == 1);
    printf("%sok %d - %s: 128 results of registers\n", wrong ? "not " : "",
           KINDS + 1 + e4m3, name);
    failures += wrong > 0;
  }
  return failures;
}

// Who holds what of a matrix: a string for each element, "LANE NAME", in rows.
class holders {
public:
  holders(int rows, int columns) : rows(rows), columns(columns) {}
  void set(element at, int lane, const char *name, int number) {
    snprintf(text[at.row * columns + at.column], sizeof text[0], "%d %s%d",
             lane, name, number);
  }
  void print(FILE *file, const char *name, const char *behind) const {
    fprintf(file, "  \"%s\": [", name);
    for (int row = 0; row < rows; row++) {
      fprintf(file, "%s\n   [", row ? "," : "");
      for (int column = 0; column < columns; column++)
        fprintf(file, "%s\"%s\"", column ? ", " : "",
                text[row * columns + column]);
      fprintf(file, "]");
    }
    fprintf(file, "\n  ]%s\n", behind);
  }

private:
  int rows, columns;
  char text[256][16] = {};
};

// The accumulator as it was found, and the maps that the products use.
static int write_maps(const char *path, const int (&found)[KINDS][32][16]) {
  holders sums(16, 16), a(16, 16), b(16, 8), d(16, 8);
  for (int lane = 0; lane < 32; lane++) {
    for (int i = 0; i < 8; i++) {
      const int place = found[SUMS][lane][i];
      if (place < 0 || place > 255) return 1;
      sums.set({place / 16, place % 16}, lane, "x", i);
    }
    for (int i = 0; i < 2; i++) {
      for (int r = 0; r < 4; r++) a.set(held_of_a(lane, r, i, 2), lane, "a", r);
      for (int r = 0; r < 2; r++) b.set(held_of_b(lane, r, i, 2), lane, "b", r);
    }
    for (int i = 0; i < 4; i++) d.set(held_of_d(lane, i), lane, "d", i);
  }
  FILE *file = fopen(path, "w");
  if (file) {
    fprintf(file, "{\n \"maps\": {\n");
    sums.print(file, "accumulator", ",");
    a.print(file, "mma_a", ",");
    b.print(file, "mma_b", ",");
    d.print(file, "mma_d", "");
    fprintf(file, " }\n}\n");
    if (fclose(file) == 0) return 0;
  }
  fprintf(stderr, "fragments: %s could not be written.\n", path);
  return EXIT_IMPOSSIBLE;
}

int main(int argc, char **argv) {
  if (argc != 1 && (argc != 3 || strcmp(argv[1], "--json") != 0)) {
    fprintf(stderr, "Usage: fragments [--json FILE]\n");
    return EXIT_USAGE;
  }
  static const char *const names[KINDS] = {
      "a left operand", "a right operand", "a transposed right operand",
      "an accumulator", "ldmatrix, plain and transposed",
      "a column loaded with a distance of 0"};
  static int found[KINDS][32][16];
  int(*device)[32][16];
  if (cudaMalloc(reinterpret_cast<void **>(&device), sizeof found))
    return EXIT_IMPOSSIBLE;
  cudaMemset(device, 0xff, sizeof found);
  LAUNCH(hold, 1, 32, 0, 0, device);
  cudaMemcpy(found, device, sizeof found, cudaMemcpyDeviceToHost);
  const cudaError_t error = cudaGetLastError();
  if (error) printf("# %s\n", cudaGetErrorString(error));
  int failures = error != cudaSuccess;
  if (argc == 3) return failures ? 1 : write_maps(argv[2], found);
  for (int kind = 0; kind < KINDS; kind++) {
    int wrong = 0;
    for (int lane = 0; lane < 32; lane++)
      for (int i = 0; i < 16; i++)
        wrong += found[kind][lane][i] != expected(kind, lane, i);
    printf("%sok %d - %s: every element of every lane\n", wrong ? "not " : "",
           kind + 1, names[kind]);
    failures += wrong > 0;
  }
  failures += products();
  printf("1..%d\n", KINDS + 2);
  return failures ? EXIT_FAILED : EXIT_PASS;
}
